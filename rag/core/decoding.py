"""Bytes to text without guessing: a text is read exactly, or the reason why not is given.

No decoder here ignores or replaces bytes. What cannot be read whole is refused, so that nothing
disappears from a document without a word.
"""

import codecs
import re

from rag.core.language import detect_language
from rag.domain.errors import LoadError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# The older Chinese encodings accept each other's bytes, so decoding without an error proves
# little. A wrong reading scatters over rare characters; running text stays within the common ones,
# which both standards put first: Big5 level 1 and GB 2312 level 1.
_COMMON_SHARE = 0.9
_BIG5_LEVEL_1 = (0xA4, 0xC6)
_GB2312_LEVEL_1 = (0xB0, 0xD7)

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
# Form feeds and escape sequences occur in text; more control characters than one in a hundred
# do not.
_CONTROL_SHARE = 0.01


def decode(data: bytes) -> str:
    """The text of a file: LF line ends, no byte order mark.

    Reads UTF-8, UTF-16 and UTF-32 with a byte order mark, and Big5 or GB 18030 where the bytes
    leave no doubt about it.

    Raises:
        LoadError: the bytes are not text, or not in an encoding that can be told for certain.
    """
    text = _decode(data)
    if "\0" in text or len(_CONTROL.findall(text)) > _CONTROL_SHARE * len(text):
        raise LoadError("not a text file", "only text in a known encoding can be indexed")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(data: bytes) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise LoadError(
                    f"not valid {encoding.upper()} at byte {error.start + len(mark)}",
                    "save the file again as UTF-8",
                ) from error
    if b"\0" in data:
        raise LoadError("not a text file", "UTF-16 without a byte order mark is not read")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        legacy = _decode_chinese(data)
        if legacy is not None:
            return legacy
        raise LoadError(
            f"unknown text encoding (not UTF-8 at byte {error.start})",
            "save the file as UTF-8",
        ) from error


def _decode_chinese(data: bytes) -> str | None:
    """Big5 or GB 18030, when exactly one of them reads as common Chinese of its own script."""
    readings = []
    for encoding, script, common in (
        ("big5hkscs", "zh-Hant", _BIG5_LEVEL_1),
        ("gb18030", "zh-Hans", _GB2312_LEVEL_1),
    ):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if _common_share(text, encoding, common) < _COMMON_SHARE:
            continue
        if detect_language(text) == script:
            readings.append(text)
    return readings[0] if len(readings) == 1 else None


def _common_share(text: str, encoding: str, common: tuple[int, int]) -> float:
    """Share of the letters beyond ASCII that stand in the common part of the encoding's table.
    Private characters, to which a wrong reading maps what has no meaning, count as letters."""
    letters = [char for char in text if char > "\x7f" and (char.isalpha() or _is_private(char))]
    low, high = common
    found = sum(low <= char.encode(encoding)[0] <= high for char in letters)
    return found / len(letters) if letters else 0.0


def _is_private(char: str) -> bool:
    return "\ue000" <= char <= "\uf8ff"
