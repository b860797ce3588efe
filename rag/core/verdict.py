"""Whether a second stage is worth its time, in a plain word."""

from typing import Literal

from rag.core.metrics import Difference
from rag.domain.base import Value

Worth = Literal["worth it", "not worth it", "not enough questions to tell"]

# A gain in nDCG@10 below two points is not felt: one question in fifty has its document first
# instead of third, and the stage adds a model call to each.
_FELT = 0.02
# With fewer questions an interval from resampling them says too little (a bootstrap interval of
# ten values covers about 90 % where it claims 95 %).
_FEWEST = 10


class Verdict(Value):
    """`worth` and the sentence that says why."""

    worth: Worth
    why: str


def judge_gain(n: int, gain: Difference, headroom: float) -> Verdict:
    """What a gain measured on `n` questions comes to.

    Args:
        gain: nDCG@10 of the first stage and of the second, paired.
        headroom: what an ideal order of the same candidates would gain.
    """
    measured = f"{gain.value:+.3f} nDCG@10 [{gain.low:+.3f}, {gain.high:+.3f}], n={n}"
    if n < _FEWEST:
        return Verdict(
            worth="not enough questions to tell", why=f"{measured}: fewer than {_FEWEST}"
        )
    if gain.low > 0.0:
        return Verdict(worth="worth it", why=f"{measured}: better beyond chance")
    if gain.high < 0.0:
        return Verdict(worth="not worth it", why=f"{measured}: worse beyond chance")
    if headroom < _FELT:
        return Verdict(
            worth="not worth it",
            why=f"{measured}: an ideal order would gain only {headroom:+.3f}",
        )
    if gain.high < _FELT:
        return Verdict(worth="not worth it", why=f"{measured}: no gain of {_FELT} is likely")
    return Verdict(
        worth="not enough questions to tell", why=f"{measured}: the interval holds gain and none"
    )
