"""Words that have an opposite: enable and disable, 允許 and 禁用.

Reads text flattened by `core.fold.flatten`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from rag.core.words import stem

_HAN = re.compile(r"[㐀-鿿]")

# Each line: words of one meaning / words of the opposite. A clause that has one side does not say
# what a clause with the other side says. What happens to a thing:
_OPPOSITE_ACTIONS = """
enable enabled enables activate activated / disable disabled disables deactivate deactivated
allow allowed allows permitted permit permits / deny denied denies
support supported supports / unsupported
accept accepts accepted approve approves approved \
/ reject rejects rejected refuse refuses refused
grant grants granted / revoke revokes revoked
include includes included including / exclude excludes excluded excluding
rise rises rose risen increase increases increased grow grows grew grown \
/ shrink shrinks shrank shrunk fall falls fell fallen decrease decreases decreased drop drops \
dropped decline declines declined
succeed succeeds succeeded success successful successfully / fail fails failed failure unsuccessful
lock locks locked / unlock unlocks unlocked
add adds added / remove removes removed
upload uploads uploaded / download downloads downloaded
encrypted / unencrypted
paid / unpaid
start starts started begin begins began / end ends ended finish finishes finished
启用 开启 / 停用 关闭 禁用
允许 准许 / 禁用
增加 上升 提高 提升 上涨 调升 调涨 调高 / 减少 下降 降低 下跌 调降 调低
写入 / 读取
成功 / 失败
接受 核准 批准 / 拒绝 驳回 退回
包含 包括 / 排除
加入 新增 / 移除 删除
登入 / 登出
上传 / 下载
汇入 / 汇出
加密 / 解密
升级 / 降级
开始 / 结束
"""
# What a thing is like. As a mere attribute ("private keys") it may tell two things apart:
_OPPOSITE_QUALITIES = """
same identical equal alike / different unequal distinct
active / inactive
available / unavailable
valid / invalid
correct / incorrect
required mandatory compulsory / optional
public / private
online / offline
open / closed
automatic automatically / manual manually
internal / external
inbound incoming / outbound outgoing
safe secure / unsafe insecure
known / unknown
authorized authorised / unauthorized unauthorised
first / last
shortest / longest
largest biggest / smallest
oldest earliest / newest latest
ascending / descending
higher highest upper / lower lowest
true / false
north northern / south southern
east eastern / west western
full-time / part-time
synchronous / asynchronous
mutable / immutable
read-only / writable
相同 一样 一致 同样 / 相异 有别
必填 / 选填
公开 / 私有 机密
自动 / 手动 人工
较高 / 较低
升幂 升序 递增 / 降幂 降序 递减
免费 无偿 / 付费 收费
早班 日班 / 晚班 夜班
全职 正职 / 兼职
全薪 / 半薪
内部 / 外部
有效 / 无效
线上 / 离线 线下
第一 / 最后
"""
_LATIN_WORD = re.compile(r"[a-z]+(?:-(?:only|time))?")


@dataclass(frozen=True, slots=True)
class Opposite:
    """A word of a pair at `text[start:end]`; `sign` is -1 for the pair's second side."""

    key: str
    sign: int
    is_action: bool
    start: int
    end: int


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, int, bool]]:
    table: dict[str, tuple[str, int, bool]] = {}
    for block, is_action in ((_OPPOSITE_ACTIONS, True), (_OPPOSITE_QUALITIES, False)):
        for line in block.strip().splitlines():
            positive, negative = (side.split() for side in line.split(" / "))
            key = "±" + stem(positive[0])
            for word in positive:
                table.setdefault(word, (key, 1, is_action))
            for word in negative:
                table.setdefault(word, (key, -1, is_action))
    return table


@lru_cache(maxsize=1)
def _han_pattern() -> re.Pattern[str]:
    return re.compile("|".join(word for word in _table() if not word.isascii()))


def find_opposites(text: str) -> list[Opposite]:
    """The words of `text` that have an opposite."""
    table = _table()
    matches = [match for match in _LATIN_WORD.finditer(text) if match.group() in table]
    if not text.isascii() and _HAN.search(text):
        matches += list(_han_pattern().finditer(text))
    return [Opposite(*table[match.group()], match.start(), match.end()) for match in matches]
