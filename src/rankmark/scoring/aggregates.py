"""The scores of many queries as one number: the mean, and what a mean does not show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import query_text
from rankmark.errors import InputError, listed, shown

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.measures import Measure

WORDS = ("mean", "median", "gmean", "stdev", "min", "max")
LEAST_IN_GMEAN = 1e-5
"""Of the geometric mean, which one 0 would make 0; trec_eval's MIN_GEO_MEAN."""
_WEIGHED = ("mean", "gmean")


def as_aggregates(asked: Iterable[str] | str, *, weighed: bool = False) -> tuple[str, ...]:
    """Check names of aggregates; each counts once, in the order asked.

    Raises
    ------
    InputError
        If one is none, or takes no weights and should.
    """
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    for name in names:
        if name not in WORDS and math.isnan(_percent(name)):
            raise InputError(
                f"aggregate is {name!r}; need one of {', '.join(WORDS)}, or a quantile from q0 to "
                "q100, such as q25"
            )
        if weighed and name not in _WEIGHED:
            raise InputError(f"weights go with {' and '.join(_WEIGHED)}; leave them out for {name}")
    return tuple(dict.fromkeys(names))


def aggregated(scores: Floats, how: str, weights: Floats | None = None) -> float:
    """Make one number of scores, (n,) float64; NaN where there is none, or one of them is NaN.

    Parameters
    ----------
    how
        One of ``WORDS``, or a quantile. "gmean" takes scores below ``LEAST_IN_GMEAN`` for that;
        "stdev" divides by n - 1, and is NaN of one score; a quantile between two scores lies on
        the line between them.
    weights
        (n,) float64, from 0, for "mean" and "gmean"; None for the same for all.

    Raises
    ------
    InputError
        If there is no such aggregate, it takes no weights, or all weights are 0.
    """
    (how,) = as_aggregates((how,), weighed=weights is not None)
    if not len(scores) or np.isnan(scores).any():
        return math.nan
    if weights is not None and not weights.any():
        raise InputError("weights: all queries averaged weigh 0; give one of them more")
    if how == "mean":
        return float(np.average(scores, weights=weights))
    if how == "gmean":
        logs = np.log(np.maximum(scores, LEAST_IN_GMEAN))
        return math.exp(float(np.average(logs, weights=weights)))
    if how == "stdev":
        return float(scores.std(ddof=1)) if len(scores) > 1 else math.nan
    if how in {"min", "max"}:
        return float(scores.min() if how == "min" else scores.max())
    return float(np.percentile(scores, _percent(how)))


def for_all(measures: Sequence[Measure], scores: Floats, *, skip: bool) -> tuple[float, ...]:
    """Make of scores, (Q, M) float64, a number a measure, as it says: mean, sum, geometric mean.

    NaN is left out if it is to be skipped, else it makes NaN.
    """
    counts: list[int] = [len(scores)] * len(measures)
    geometric = [column for column, one in enumerate(measures) if one.aggregate == "gmean"]
    if geometric:
        scores = scores.copy()
        scores[:, geometric] = np.log(np.maximum(scores[:, geometric], LEAST_IN_GMEAN))
    if skip:
        present = ~np.isnan(scores)
        counts = present.sum(axis=0).tolist()
        scores = np.where(present, scores, 0.0)
    sums = np.add.reduce(scores, axis=0).tolist()
    if geometric or skip or not len(scores):
        every = zip(measures, sums, counts, strict=True)
        return tuple(_of_total(one.aggregate, total, count) for one, total, count in every)
    number = len(scores)
    pairs = zip(measures, sums, strict=True)
    return tuple([total if one.aggregate == "sum" else total / number for one, total in pairs])


def _of_total(aggregate: str, total: float, count: int) -> float:
    """Make one number of the queries' total, which is of logarithms in a geometric mean."""
    if aggregate == "sum":
        return total
    if not count:
        return math.nan
    return math.exp(total / count) if aggregate == "gmean" else total / count


def error_for_all(one: Measure, scores: Floats, errors: Floats) -> float:
    """Give the standard error of a measure's number for all, of those of scores: (Q,) float64."""
    present = ~np.isnan(scores)
    scores, errors = scores[present], errors[present]
    factor = 1.0
    if one.aggregate == "gmean":
        (factor,) = for_all([one], scores[:, None], skip=False)
        errors = np.where(scores > LEAST_IN_GMEAN, errors / np.maximum(scores, LEAST_IN_GMEAN), 0.0)
    whole = 1 if one.aggregate == "sum" else max(len(scores), 1)
    return factor * math.sqrt(float((errors**2).sum())) / whole


def weights_of(queries: Iterable[str], weights: Mapping[Any, Any]) -> Floats:
    """Give the weight of each query, (n,) float64; weights of others are not looked at.

    Raises
    ------
    InputError
        If a query has none, or one that is no finite number from 0.
    """
    by_id = {query_text(query, "weights"): weight for query, weight in weights.items()}
    queries = tuple(queries)
    missing = [query for query in queries if query not in by_id]
    if missing:
        raise InputError(
            f"weights: queries averaged that have none: {len(missing):,}, {listed(missing)}; give "
            "each one, 0 to leave it out"
        )
    for query in queries:
        if not _is_weight(by_id[query]):
            raise InputError(
                f"weights: query {query!r} weighs {shown(by_id[query])}; need a finite number "
                "from 0"
            )
    return np.array([float(by_id[query]) for query in queries])


def _is_weight(value: Any) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, (bool, str)) and math.isfinite(number) and number >= 0


def _percent(name: Any) -> float:
    """Say how many percent of the scores a quantile is above of; NaN for another name."""
    if name == "median":
        return 50.0
    found = re.fullmatch(r"q(\d{1,3}(?:\.\d+)?)", name) if isinstance(name, str) else None
    percent = float(found[1]) if found else math.nan
    return percent if percent <= 100 else math.nan
