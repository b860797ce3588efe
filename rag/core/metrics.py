"""Measured quality: what the field's library computes, and how sure a mean of it is.

Everything here is deterministic: bootstrap samples come from a seeded generator.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from rag.domain.base import Value
from rag.domain.errors import SetupError

Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
"""Query id to document id to relevance; above 0 is relevant."""
Run: TypeAlias = Mapping[str, Sequence[str]]
"""Query id to document ids, best first."""
PerQuery: TypeAlias = Mapping[str, float]
"""Query id to the value of one metric."""

# Our names, and the measures' names in ir-measures (RR: reciprocal rank, R: recall).
RETRIEVAL_METRICS: Mapping[str, str] = {
    "hit@1": "Success@1",
    "hit@5": "Success@5",
    "hit@10": "Success@10",
    "mrr@5": "RR@5",
    "mrr@10": "RR@10",
    "ndcg@10": "nDCG@10",
    "recall@5": "R@5",
}

# 2,000 resamples put the ends of an interval within half a point of where more would.
_RESAMPLES = 2000
_SEED = 0
_TAIL = 2.5


class Interval(Value):
    """A mean with the ends of its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


class Difference(Value):
    """How much a mean changed, query by query, with the ends of its 95 % interval."""

    before: float
    after: float
    value: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0.0 or self.high < 0.0


def retrieval_metrics(qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    """Each metric's value for each query of `qrels`; a query that `run` lacks counts 0.

    Raises:
        SetupError: the extra `eval` is not installed.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise SetupError("ir-measures is not installed", "pip install 'citebound[eval]'") from error
    names = {
        str(ir_measures.parse_measure(theirs)): ours for ours, theirs in RETRIEVAL_METRICS.items()
    }
    values = {name: dict.fromkeys(qrels, 0.0) for name in RETRIEVAL_METRICS}
    judged = [
        ir_measures.Qrel(query, document, relevance)
        for query, documents in qrels.items()
        for document, relevance in documents.items()
    ]
    # The library sorts by score; ours are places, which leave it no ties to break.
    found = [
        ir_measures.ScoredDoc(query, document, -float(place))
        for query in qrels
        for place, document in enumerate(run.get(query, ()))
    ]
    if judged and found:
        measures = [ir_measures.parse_measure(name) for name in names]
        for metric in ir_measures.iter_calc(measures, judged, found):
            values[names[str(metric.measure)]][metric.query_id] = float(metric.value)
    return values


def interval(values: Sequence[float]) -> Interval:
    """Mean and percentile bootstrap interval (Efron, 1979) of at least one value."""
    mean, low, high = _bootstrap(values)
    return Interval(value=mean, low=low, high=high)


def difference(before: PerQuery, after: PerQuery) -> Difference:
    """Paired bootstrap over the queries that both have (Sakai, SIGIR 2006); at least one."""
    shared = sorted(before.keys() & after.keys())
    mean, low, high = _bootstrap([after[query] - before[query] for query in shared])
    old = sum(before[query] for query in shared) / len(shared)
    return Difference(before=old, after=old + mean, value=mean, low=low, high=high)


def rank_correlation(first: Sequence[str], second: Sequence[str]) -> float:
    """Kendall's tau (Biometrika, 1938) of two orders of the same items: 1 for the same order, -1
    for the reverse."""
    places = {item: place for place, item in enumerate(second)}
    pairs = [places[one] < places[other] for one, other in combinations(first, 2)]
    return 2 * sum(pairs) / len(pairs) - 1 if pairs else 1.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..100) of `values` lies; at least one value."""
    import numpy as np

    return float(np.percentile(np.asarray(values), share))


def _bootstrap(values: Sequence[float]) -> tuple[float, float, float]:
    import numpy as np

    sample = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(_SEED)
    means = [
        sample[generator.integers(0, len(sample), len(sample))].mean() for _ in range(_RESAMPLES)
    ]
    low, high = np.percentile(means, [_TAIL, 100.0 - _TAIL])
    return float(sample.mean()), float(low), float(high)
