"""Aggregates of the scores of queries: means, quantiles and others."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankmark.array_types import exact_mean, exact_sum
from rankmark.conventions import by_text
from rankmark.errors import InputError, listed, shown

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.measures import Measure

WORDS = ("mean", "median", "gmean", "stdev", "min", "max")
LEAST_IN_GMEAN = 1e-5
"""Lower scores are raised to this in the geometric mean; trec_eval's MIN_GEO_MEAN."""
LARGEST = 1e100
"""The largest weight of a query, so that sums of them are finite."""
_WEIGHTED = ("mean", "gmean")


def as_aggregates(names: Iterable[str] | str, *, weighted: bool = False) -> tuple[str, ...]:
    """Check names of aggregates, and drop repeated ones."""
    names = (names,) if isinstance(names, str) else tuple(names)
    for name in names:
        if name not in WORDS and math.isnan(_percent(name)):
            raise InputError(
                f"aggregate is {name!r}",
                f"need one of {', '.join(WORDS)}, or a quantile from q0 to q100, such as q25",
            )
        if weighted and name not in _WEIGHTED:
            raise InputError(
                f"weights go with {' and '.join(_WEIGHTED)}", f"leave them out for {name}"
            )
    return tuple(dict.fromkeys(names))


def aggregated(scores: Floats, how: str, weights: Floats | None = None) -> float:
    """Aggregate scores, (n,) float64; NaN if there are none, or any is NaN.

    Parameters
    ----------
    how
        One of ``WORDS``, or a quantile. "gmean" raises scores to at least ``LEAST_IN_GMEAN``;
        "stdev" divides by n - 1, and is NaN for one score; quantiles are interpolated linearly.
    weights
        (n,) float64, from 0, for "mean" and "gmean"; None for equal weights.
    """
    (how,) = as_aggregates((how,), weighted=weights is not None)
    if not len(scores) or np.isnan(scores).any():
        return math.nan
    if weights is not None and not weights.any():
        raise InputError("weights: all queries averaged have weight 0", "give one of them more")
    if how == "mean":
        return _weighted_mean(scores, weights)
    if how == "gmean":
        return math.exp(_weighted_mean(np.log(np.maximum(scores, LEAST_IN_GMEAN)), weights))
    if how == "stdev":
        return float(scores.std(ddof=1)) if len(scores) > 1 else math.nan
    if how in {"min", "max"}:
        return float(scores.min() if how == "min" else scores.max())
    return float(np.percentile(scores, _percent(how)))


def _weighted_mean(values: Floats, weights: Floats | None) -> float:
    if weights is None:
        return exact_mean(values)
    return exact_sum(values * weights) / exact_sum(weights)


class Aggregated(Protocol):
    """What is aggregated: a measure, or the facts of one."""

    @property
    def aggregate(self) -> str:
        """How: "mean", "sum" or "gmean"."""
        ...


def for_all(
    measures: Sequence[Aggregated],
    scores: Floats,
    *,
    skip: Sequence[bool],
    weights: Floats | None = None,
) -> tuple[float, ...]:
    """Aggregate scores, (Q, M) float64, by the aggregate of each measure.

    NaN is left out of the measures in ``skip``, (M,) bool; otherwise, it makes the aggregate NaN.
    With ``weights``, (Q,) float64 from 0, aggregates are weighted means, also those of counts.
    """
    found = []
    for measure, column, skips in zip(measures, scores.T, skip, strict=True):
        kept = ~np.isnan(column) if skips else slice(None)
        values, aggregate, count = column[kept], measure.aggregate, 0.0
        if aggregate == "gmean":
            values = np.log(np.maximum(values, LEAST_IN_GMEAN))
        if weights is None:
            count = len(values)
        else:
            values, count = values * weights[kept], exact_sum(weights[kept])
            aggregate = "mean" if aggregate == "sum" else aggregate
        found.append(_of_total(aggregate, exact_sum(values), count))
    return tuple(found)


def _of_total(aggregate: str, total: float, count: float) -> float:
    """Aggregate the queries' total, which is of logarithms for a geometric mean."""
    if aggregate == "sum":
        return total
    if not count:
        return math.nan
    return math.exp(total / count) if aggregate == "gmean" else total / count


def error_for_all(
    measure: Measure, scores: Floats, errors: Floats, weights: Floats | None = None
) -> float:
    """Return the standard error of a measure's aggregate from those of scores: (Q,) float64."""
    present = ~np.isnan(scores)
    scores, errors = scores[present], errors[present]
    factor, divisor = 1.0, 1.0 if measure.aggregate == "sum" else max(len(scores), 1)
    if weights is not None:
        weights = weights[present]
        errors, divisor = errors * weights, float(weights.sum()) or 1.0
    if measure.aggregate == "gmean":
        (factor,) = for_all([measure], scores[:, None], skip=[False], weights=weights)
        errors = np.where(scores > LEAST_IN_GMEAN, errors / np.maximum(scores, LEAST_IN_GMEAN), 0.0)
    return factor * math.sqrt(float((errors**2).sum())) / divisor


def weights_of(queries: Iterable[str], weights: Mapping[Any, Any]) -> Floats:
    """Return the weight of each query, (n,) float64; other weights are ignored."""
    by_id = by_text(weights, "weights")
    queries = tuple(queries)
    missing = [query for query in queries if query not in by_id]
    if missing:
        raise InputError(
            f"weights: averaged queries without a weight: {len(missing):,}, {listed(missing)}",
            "give each a weight, 0 to leave it out",
        )
    for query in queries:
        if not _is_weight(by_id[query]):
            raise InputError(
                f"weights: the weight of query {query!r} is {shown(by_id[query])}",
                f"need a finite number from 0 to {LARGEST:g}",
            )
    return np.array([float(by_id[query]) for query in queries])


def weights_of_all(queries: Iterable[str], weights: Mapping[Any, Any]) -> Floats:
    """Return what ``weights_of`` does, of queries that do not all have weight 0."""
    found = weights_of(queries, weights)
    if not found.any():
        raise InputError("weights: all weights are 0", "give one query a weight above 0")
    return found


def _is_weight(value: Any) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, (bool, str)) and 0 <= number <= LARGEST


def _percent(name: Any) -> float:
    """Return the percentage of a quantile; NaN for other names."""
    if name == "median":
        return 50.0
    found = re.fullmatch(r"q(\d{1,3}(?:\.\d+)?)", name) if isinstance(name, str) else None
    percent = float(found[1]) if found else math.nan
    return percent if percent <= 100 else math.nan
