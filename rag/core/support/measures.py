"""Units of measure and currencies: their names in English and Chinese, and exact conversions.

Names are in the form that `core.fold.flatten` gives: lower case, Simplified.
"""

import re
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """`factors` are the sizes in the dimension's base; more than one where usage is split
    (a megabyte is 10^6 or 2^20 bytes)."""

    name: str
    dimension: str
    factors: tuple[Fraction, ...]


def _units(dimension: str, *rows: tuple[str, int | str | tuple[int, ...], str]) -> dict[str, Unit]:
    table: dict[str, Unit] = {}
    for name, factor, spellings in rows:
        sizes = factor if isinstance(factor, tuple) else (factor,)
        unit = Unit(name, dimension, tuple(Fraction(size) for size in sizes))
        table.update({spelling.replace("_", " "): unit for spelling in spellings.split()})
    return table


# Months and years are no fixed number of days, so they are a dimension of their own.
_TIME = _units(
    "time",
    ("ns", "1/1000000000", "ns nanosecond nanoseconds 纳秒 奈秒"),
    ("µs", "1/1000000", "us μs microsecond microseconds 微秒"),
    ("ms", "1/1000", "ms msec millisecond milliseconds 毫秒"),
    ("second", 1, "s sec secs second seconds 秒 秒钟"),
    ("minute", 60, "min mins minute minutes 分 分钟"),
    ("hour", 3_600, "h hr hrs hour hours 小时 钟头 时"),
    ("day", 86_400, "day days 天 日 日历天 calendar_day calendar_days"),
    ("week", 604_800, "wk wks week weeks 周 星期 礼拜 周间"),
    ("fortnight", 1_209_600, "fortnight fortnights"),
)
_CALENDAR = _units(
    "calendar",
    ("month", 1, "mo mos month months 月 月份"),
    ("quarter", 3, "季 季度"),
    ("half-year", 6, "半年"),
    ("year", 12, "yr yrs year years 年 岁 周年 年度 year-old years-old 周岁"),
    ("decade", 120, "decade decades"),
    ("century", 1_200, "century centuries 世纪"),
)
_WORKDAY = _units(
    "workday",
    (
        "working day",
        1,
        "workday workdays working_day working_days business_day business_days 工作天 工作日 营业日"
        " 上班日",
    ),
)
_DATA = _units(
    "data",
    ("byte", 1, "byte bytes 字节 位元组"),
    ("KB", (10**3, 2**10), "kb kib kilobyte kilobytes"),
    ("MB", (10**6, 2**20), "mb mib megabyte megabytes"),
    ("GB", (10**9, 2**30), "gb gib gigabyte gigabytes"),
    ("TB", (10**12, 2**40), "tb tib terabyte terabytes"),
    ("PB", (10**15, 2**50), "pb pib petabyte petabytes"),
)
_BITS = _units(
    "bit",
    ("bit", 1, "bit bits 位元 比特"),
    ("kbit", 10**3, "kbit kbps kbit/s"),
    ("Mbit", 10**6, "mbit mbps mbit/s"),
    ("Gbit", 10**9, "gbit gbps gbit/s"),
)
_LENGTH = _units(
    "length",
    ("mm", 1, "mm millimeter millimeters millimetre millimetres 毫米 公厘"),
    ("cm", 10, "cm centimeter centimeters centimetre centimetres 厘米 公分"),
    ("m", 1_000, "m meter meters metre metres 米 公尺"),
    ("km", 10**6, "km kilometer kilometers kilometre kilometres 公里 千米"),
) | _units(
    "imperial length",
    ("inch", 1, "inch inches 英寸 寸 吋"),
    ("foot", 12, "ft foot feet 英尺 尺 呎"),
    ("yard", 36, "yard yards yd 码"),
    ("mile", 63_360, "mile miles mi 英里 哩"),
)
_AREA = _units(
    "area",
    ("m²", 1, "m2 m² sqm square_meters square_metres square_meter square_metre 平方公尺 平方米"),
    ("hectare", 10**4, "ha hectare hectares 公顷"),
    ("km²", 10**6, "km2 km² square_kilometers square_kilometres 平方公里 平方千米"),
    ("ping", "400/121", "坪"),
) | _units(
    "imperial area",
    ("square mile", 640, "square_mile square_miles 平方英里"),
    ("acre", 1, "acre acres 英亩"),
)
_MASS = _units(
    "mass",
    ("mg", "1/1000", "mg milligram milligrams 毫克"),
    ("g", 1, "g gram grams 克 公克"),
    ("kg", 1_000, "kg kilo kilos kilogram kilograms 公斤 千克"),
    ("t", 10**6, "tonne tonnes 吨 公吨"),
    ("catty", 600, "台斤"),
) | _units("imperial mass", ("pound", 1, "lb lbs 磅"), ("ounce", "1/16", "oz ounce ounces 盎司"))
_OTHER = (
    _units(
        "volume",
        ("ml", 1, "ml millilitre millilitres milliliter milliliters 毫升 cc"),
        ("l", 1_000, "l litre litres liter liters 升 公升"),
    )
    | _units("celsius", ("°C", 1, "°c ℃ degrees_celsius celsius 摄氏度"))
    | _units("fahrenheit", ("°F", 1, "°f ℉ degrees_fahrenheit fahrenheit 华氏度"))
    | _units("degree", ("degree", 1, "° degree degrees 度"))
    | _units(
        "frequency",
        ("Hz", 1, "hz hertz 赫兹"),
        ("kHz", 10**3, "khz 千赫"),
        ("MHz", 10**6, "mhz 兆赫"),
        ("GHz", 10**9, "ghz"),
    )
    | _units(
        "power",
        ("W", 1, "w watt watts 瓦 瓦特"),
        ("kW", 10**3, "kw kilowatt kilowatts 千瓦"),
        ("MW", 10**6, "mw megawatt megawatts"),
    )
    | _units("discount", ("折", 1, "折"))
    | _units("voltage", ("V", 1, "v volt volts 伏特 伏"))
    | _units("pixel", ("px", 1, "px pixel pixels 像素 画素"))
    | _units("point", ("percentage point", 1, "percentage_points percentage_point 百分点"))
    | _units(
        "ratio",
        ("%", "1/100", "% percent per_cent pct 趴 个百分比"),
        ("‰", "1/1000", "‰ permille"),
        ("tenth", "1/10", "成"),
    )
)

UNITS: dict[str, Unit] = (
    _TIME | _CALENDAR | _WORKDAY | _DATA | _BITS | _LENGTH | _AREA | _MASS | _OTHER
)

DIMENSIONS: dict[str, str] = {unit.name: unit.dimension for unit in UNITS.values()}

# Currency signs and names, before or after the number. 元 and "dollars" name a family, not one
# currency: a claim may use them for any member.
_CURRENCY_NAMES = {
    "TWD": "nt$ ntd ntd$ twd 新台币 台币",
    "USD": "us$ usd us_dollar us_dollars u.s._dollars american_dollars 美金 美元",
    "EUR": "€ eur euro euros 欧元",
    "GBP": "£ gbp sterling 英镑",
    "JPY": "jpy yen 日圆 日元 日币",
    "CNY": "cny rmb renminbi 人民币",
    "HKD": "hk$ hkd 港币 港元",
    "KRW": "₩ krw won 韩元 韩圆",
    "CHF": "chf francs 瑞士法郎",
    "INR": "₹ inr rupee rupees 卢比",
    "dollar": "$ dollar dollars bucks",
    "¥": "¥",
    "元": "元 圆 块 块钱",
    "cent": "cent cents ¢",
}
CURRENCIES: dict[str, str] = {
    spelling.replace("_", " "): code
    for code, names in _CURRENCY_NAMES.items()
    for spelling in names.split()
}
_FAMILIES = {
    "dollar": frozenset({"USD", "CAD", "AUD", "SGD", "HKD", "dollar"}),
    "¥": frozenset({"JPY", "CNY", "¥"}),
    "元": frozenset({"TWD", "USD", "CNY", "HKD", "JPY", "KRW", "EUR", "元", "dollar", "¥"}),
}


def same_currency(first: str, second: str) -> bool:
    """Whether two currency words can mean one currency: `$` and USD can, EUR and USD cannot."""
    return (
        first == second or second in _FAMILIES.get(first, ()) or first in _FAMILIES.get(second, ())
    )


def _alternation(names: list[str]) -> str:
    """Longest first. A Latin name must end where its word ends, and so comes behind the names that
    it may begin (`ntd$`)."""
    latin: list[str] = []
    parts: list[str] = []
    for name in sorted(names, key=len, reverse=True):
        ends_in_a_word = name[-1].isascii() and name[-1].isalnum()
        (latin if ends_in_a_word else parts).append(re.escape(name).replace(r"\ ", r"[ -]"))
    if latin:
        parts.append(rf"(?:{'|'.join(latin)})(?![a-z0-9_])")
    return "|".join(parts)


# Right behind a number: "30 days", "30-day", "30天", "30个月".
_BETWEEN = (
    r"(?: (?:consecutive|full|whole|complete|more|additional|extra|further|straight|entire|calendar"
    r"|or (?:more|fewer|less)))?"
)
UNIT_AFTER = re.compile(rf"{_BETWEEN}[ -]?(?:个|整)?(?P<unit>{_alternation(list(UNITS))})")
_SIGNS = [name for name in CURRENCIES if not name[-1].isalnum()]
_ONLY_AFTER = ["元", "圆", "块", "块钱", "cent", "cents", "won", "dollar", "dollars", "bucks"]
# 三元組 is no sum of money.
CURRENCY_AFTER = re.compile(
    rf"[ ]?(?P<unit>{_alternation([name for name in CURRENCIES if name not in _SIGNS])})"
    r"(?![组素件])"
    rf"|(?P<sign>{_alternation(_SIGNS)})(?!\d)"
)
CURRENCY_BEFORE = re.compile(
    rf"(?<![a-z])(?P<unit>{_alternation([n for n in CURRENCIES if n not in _ONLY_AFTER])})[ ]?$"
)
LONGEST_CURRENCY = max(map(len, CURRENCIES)) + 1
