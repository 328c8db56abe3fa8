"""Intervals of statistics of labels over queries: whole queries are left out, or drawn.

The documents of a query are judged against the same need, so their labels are not independent.
Statistics depend on the sum of the tables of the queries, which is all that is computed anew.
Intervals by pair, as other tools compute them, take every label as independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.statistics import Interval
from rankmark.statistics.resampling import sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special

if TYPE_CHECKING:
    from rankmark.array_types import Floats

Method = Literal["jackknife", "bootstrap", "pairs"]
Statistic = Callable[["Floats"], "Floats"]
"""From tables, (..., K, K), to statistics, (..., F)."""

_CELLS = 1 << 22  # of tables at once, so that they stay small in memory
_ROUNDING = 1e-13
_STEP = 1e-6  # share of the pairs that is moved to a cell, to find how a statistic changes

METHODS: dict[Method, str] = {
    "jackknife": "jackknife by query",
    "bootstrap": "percentile bootstrap by query",
    "pairs": "linearised variance by pair",
}
"""What each way to find intervals is called."""


class Sampling(NamedTuple):
    """How intervals are found.

    Parameters
    ----------
    method
        "jackknife" leaves each query out, and takes t with as many degrees of freedom as there are
        queries but one; "bootstrap" draws queries, and takes percentiles; "pairs" takes pairs of a
        query and a document as independent.
    confidence
        Of all intervals.
    resamples, seed
        How often queries are drawn, and the seed of it.
    """

    method: Method = "jackknife"
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0


def statistic_intervals(
    statistic: Statistic, tables: Floats, sampling: Sampling, names: tuple[str, ...], bounds: Floats
) -> dict[str, Interval]:
    """Return an interval of each statistic of all queries together.

    Parameters
    ----------
    statistic
        What is computed from a sum of tables.
    tables
        (queries, K, K) float64.
    names, bounds
        (F,) of the statistics, and (F, 2) the lowest and the highest value that each can have.

    Returns
    -------
    dict
        Undefined for a single query, and if the statistic is undefined, or the same whatever
        queries are left out or drawn.
    """
    total = tables.sum(0)
    by_pair = sampling.method == "pairs"
    units = int(total.sum()) if by_pair else len(tables)
    estimate = statistic(total)
    if units < 2:
        low = high = np.full(len(names), math.nan)
        spread = np.zeros(len(names))
    elif by_pair:
        low, high, spread = _linearised(statistic, total, estimate, sampling.confidence)
    elif sampling.method == "jackknife":
        low, high, spread = _left_out(statistic, tables, total, estimate, sampling.confidence)
    else:
        low, high, spread = _drawn(statistic, tables, sampling)
    low, high = np.maximum(low, bounds[:, 0]), np.minimum(high, bounds[:, 1])
    drawn = sampling.method == "bootstrap"
    found = {}
    for name, one, begin, end, wide in zip(
        names, estimate.tolist(), low.tolist(), high.tolist(), spread.tolist(), strict=True
    ):
        undefined = ""
        if math.isnan(one):
            undefined = "it is not defined for these labels"
        elif units < 2:
            undefined = f"there is only one {'pair' if by_pair else 'query'}"
        elif not wide > _ROUNDING:
            undefined = f"it is the same whatever {'pairs' if by_pair else 'queries'} are drawn"
        found[name] = Interval(
            one,
            math.nan if undefined else begin,
            math.nan if undefined else end,
            sampling.confidence,
            name,
            METHODS[sampling.method],
            units,
            resamples=sampling.resamples if drawn else None,
            seed=sampling.seed if drawn else None,
            undefined=undefined,
        )
    return found


def _left_out(
    statistic: Statistic, tables: Floats, total: Floats, estimate: Floats, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Leave out each query: ends, and standard errors."""
    n = len(tables)
    step = max(1, _CELLS // total.size)
    values = np.concatenate([statistic(total - tables[at : at + step]) for at in range(0, n, step)])
    # A query without which a statistic is undefined says nothing of its spread.
    known = ~np.isnan(values)
    count = known.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(0) / count
        squares = (np.where(known, values - mean, 0.0) ** 2).sum(0)
        error = np.sqrt((count - 1) / count * squares)
    half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    return estimate - half, estimate + half, error


def _linearised(
    statistic: Statistic, total: Floats, estimate: Floats, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Take pairs as independent: ends, and standard errors.

    The variance is that of how much each pair moves the statistic, to first order, as irrCAC
    computes it: Gwet 2008, Computing inter-rater reliability and its variance.
    """
    n = total.sum()
    cells = np.argwhere(total > 0)
    step = max(1, _CELLS // total.size)
    moves = []
    for at in range(0, len(cells), step):
        some = cells[at : at + step]
        ends = []
        for share in (_STEP, -_STEP):
            moved = np.repeat(total[None] * (1 - share), len(some), axis=0)
            moved[np.arange(len(some)), some[:, 0], some[:, 1]] += share * n
            ends.append(statistic(moved))
        moves.append((ends[0] - ends[1]) / (2 * _STEP))
    counts = total[cells[:, 0], cells[:, 1]]
    error = np.sqrt((counts[:, None] * np.concatenate(moves) ** 2).sum(0) / n / (n - 1))
    half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * error
    return estimate - half, estimate + half, error


def _drawn(
    statistic: Statistic, tables: Floats, sampling: Sampling
) -> tuple[Floats, Floats, Floats]:
    """Draw queries with replacement: percentiles, and their distance.

    Queries are numbered by their tables, so that draws do not depend on their order.
    """
    n, labels = len(tables), tables.shape[-1]
    flat = tables.reshape(n, -1)
    flat = flat[np.lexsort(flat.T)]
    values = []
    for block, samples in enumerate(sample_blocks(n, sampling.resamples)):
        counts = sample_counts(n, samples, block, sampling.seed)
        values.append(statistic((counts @ flat).reshape(samples, labels, labels)))
    drawn = np.concatenate(values)
    level = 1 - sampling.confidence
    low, high = quantiles(drawn, (level / 2, 1 - level / 2))
    return low, high, high - low


def quantiles(values: Floats, shares: tuple[float, float]) -> Floats:
    """Return quantiles of each column, NaN left out: (r, F) to (2, F)."""
    if not np.isnan(values).any():
        found: Floats = np.quantile(values, shares, axis=0)
        return found
    columns = []
    for column in values.T:
        known = column[~np.isnan(column)]
        columns.append(np.quantile(known, shares) if len(known) else np.full(2, math.nan))
    return np.array(columns).T
