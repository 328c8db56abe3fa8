"""Intervals over queries of figures on how judges agree.

The documents of a query are judged against the same need, so their labels are not independent:
whole queries are weighted, left out, or drawn. Statistics depend on the sum of the tables of the
queries, which is all that is computed anew. Intervals by pair, as other tools compute them, take
every label as independent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.statistics import Interval
from rankmark.statistics.query_weights import effective_number
from rankmark.statistics.resampling import exponential_weights, sample_blocks, sample_counts
from rankmark.statistics.reweighting import imagined_size
from rankmark.statistics.scipy_functions import special

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.judges.agreement.agreement_figures import Figures, Statistic

Method = Literal["auto", "jackknife", "bootstrap", "pairs"]

_CELLS = 1 << 22  # of tables at once, so that they stay small in memory
_ROUNDING = 1e-13
_STEP = 1e-6  # share of the pairs that is moved to a cell, to find how a statistic changes

REWEIGHTED = "random weights of the queries and of an imagined one, jackknife by query above"
METHODS: dict[Method, str] = {
    "auto": "jackknife by query",
    "jackknife": "jackknife by query",
    "bootstrap": "percentile bootstrap by query",
    "pairs": "linearised variance by pair",
}
"""What each way to find intervals is called; with "auto", figures of agreement are REWEIGHTED."""


class Sampling(NamedTuple):
    """How intervals are found.

    Parameters
    ----------
    method
        "auto" takes lower ends of figures of agreement from random weights of the queries and of
        one that they may lack, and otherwise is "jackknife", with fewer degrees of freedom for the
        upper ends of these;
        "jackknife" leaves each query out, and takes t with as many degrees of freedom as queries of
        equal size are worth as much, but one; "bootstrap" draws queries, and takes percentiles;
        "pairs" takes pairs of a query and a document as independent.
    confidence
        Of all intervals.
    resamples, seed
        How often queries are weighted or drawn, and the seed of it.
    """

    method: Method = "auto"
    confidence: float = 0.95
    resamples: int = 4_000
    seed: int = 0

    @property
    def draws(self) -> bool:
        """Whether random numbers are drawn."""
        return self.method in {"auto", "bootstrap"}

    @property
    def unaware(self) -> str:
        """Which intervals do not allow for queries that the sample lacks, in words."""
        which = " of differences and shares" if self.method == "auto" else ""
        return f"intervals{which} over queries"


class _Ends(NamedTuple):
    """Ends of intervals, and what says that a figure varies at all if it is above 0."""

    low: Floats
    high: Floats
    spread: Floats


def figure_intervals(figures: Figures, tables: Floats, sampling: Sampling) -> dict[str, Interval]:
    """Return an interval of each figure of all queries together: (queries, K, K) float64.

    It is undefined for a single query, and if the figure is undefined, or the same whatever queries
    are left out, weighted or drawn.
    """
    names, bounds, statistic = figures.names, figures.bounds, figures.of
    total = tables.sum(0)
    by_pair = sampling.method == "pairs"
    units = int(total.sum()) if by_pair else len(tables)
    estimate = statistic(total)
    reweighted = figures.are_of_agreement & (sampling.method == "auto")
    if units < 2:
        unknown = np.full(len(names), math.nan)
        ends = _Ends(unknown, unknown, np.zeros(len(names)))
    elif by_pair:
        ends = _linearised(statistic, total, estimate, sampling.confidence)
    elif sampling.method == "bootstrap":
        ends = _drawn(statistic, tables, sampling)
    else:
        ends = _left_out(statistic, tables, total, estimate, sampling, reweighted)
    low, high = np.maximum(ends.low, bounds[:, 0]), np.minimum(ends.high, bounds[:, 1])
    found = {}
    for name, one, begin, end, wide, is_reweighted in zip(
        names,
        estimate.tolist(),
        low.tolist(),
        high.tolist(),
        ends.spread.tolist(),
        reweighted.tolist(),
        strict=True,
    ):
        undefined = ""
        if math.isnan(one):
            undefined = "it is not defined for these labels"
        elif units < 2:
            undefined = f"there is only one {'pair' if by_pair else 'query'}"
        elif not wide > _ROUNDING:
            undefined = f"it is the same whatever {'pairs' if by_pair else 'queries'} are drawn"
        drawn = is_reweighted or sampling.method == "bootstrap"
        found[name] = Interval(
            one,
            math.nan if undefined else begin,
            math.nan if undefined else end,
            sampling.confidence,
            name,
            REWEIGHTED if is_reweighted else METHODS[sampling.method],
            units,
            resamples=sampling.resamples if drawn else None,
            seed=sampling.seed if drawn else None,
            undefined=undefined,
        )
    return found


def _left_out(
    statistic: Statistic,
    tables: Floats,
    total: Floats,
    estimate: Floats,
    sampling: Sampling,
    reweighted: Bools,
) -> _Ends:
    """Leave out each query, and take lower ends of some figures from random weights.

    The error of a few large queries and many small ones is known as badly as that of the large ones
    alone, so degrees of freedom are those of as many queries of equal size. The upper ends of the
    reweighted figures have no more than Satterthwaite's for the queries' own deviations, which are
    few if few queries decide, as where hardly any document is relevant.
    """
    n = len(tables)
    step = max(1, _CELLS // total.size)
    values = np.concatenate([statistic(total - tables[at : at + step]) for at in range(0, n, step)])
    # A query without which a statistic is undefined says nothing of its spread.
    known = ~np.isnan(values)
    count = known.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0.0).sum(0) / count
        squares = np.where(known, values - mean, 0.0) ** 2
        error = np.sqrt((count - 1) / count * squares.sum(0))
        own = squares.sum(0) ** 2 / (squares**2).sum(0)
    degrees = np.full(len(estimate), effective_number(tables.sum((1, 2))) - 1)
    half = _quantile(degrees, sampling) * error
    ends = _Ends(estimate - half, estimate + half, error)
    if not reweighted.any():
        return ends
    low = _reweighted(statistic, tables, total, sampling)
    half = _quantile(np.fmin(degrees, own), sampling) * error
    high = np.where(error > _ROUNDING, estimate + half, np.inf)  # else the spread is unknown
    return _Ends(
        np.where(reweighted, low, ends.low),
        np.where(reweighted, high, ends.high),
        np.where(reweighted, estimate - low, error),
    )


def _quantile(degrees: Floats, sampling: Sampling) -> Floats:
    return special.stdtrit(np.maximum(degrees, 1.0), (1 + sampling.confidence) / 2)


def _reweighted(statistic: Statistic, tables: Floats, total: Floats, sampling: Sampling) -> Floats:
    """Return lower ends by random exponential weights of the queries and of an imagined one.

    This is the bound of a gate for statistics that are not means. The imagined query, which a
    sample may lack, is as large as the largest of these, and its labels agree no more than by
    chance, as if one judge had misread it. Queries are numbered by their tables, in either order of
    the judges, so that draws depend on neither order.
    """
    n, labels = len(tables), tables.shape[-1]
    flat = tables.reshape(n, -1)
    both = (tables + np.swapaxes(tables, 1, 2)).reshape(n, -1)
    flat = flat[np.lexsort(np.vstack((flat.T, both.T)))]
    by_chance = np.outer(total.sum(1), total.sum(0)) / total.sum() ** 2
    imagined = imagined_size(tables.sum((1, 2))) * by_chance
    values = []
    for block, samples in enumerate(sample_blocks(n + 1, sampling.resamples)):
        weights = exponential_weights(n + 1, samples, block, sampling.seed)
        sums = (weights[:, :n] @ flat).reshape(samples, labels, labels)
        values.append(statistic(sums + weights[:, n, None, None] * imagined))
    level = (1 - sampling.confidence) / 2
    return quantiles(np.concatenate(values), (level, 1 - level))[0]


def _linearised(statistic: Statistic, total: Floats, estimate: Floats, confidence: float) -> _Ends:
    """Take pairs as independent; the spread is the standard error.

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
    return _Ends(estimate - half, estimate + half, error)


def _drawn(statistic: Statistic, tables: Floats, sampling: Sampling) -> _Ends:
    """Draw queries with replacement, and take percentiles.

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
    return _Ends(low, high, high - low)


def quantiles(values: Floats, shares: tuple[float, float]) -> Floats:
    """Return quantiles of each column, NaN left out: (r, F) to (2, F)."""
    if not np.isnan(values).any():
        return np.quantile(values, shares, axis=0)
    columns = []
    for column in values.T:
        known = column[~np.isnan(column)]
        columns.append(np.quantile(known, shares) if len(known) else np.full(2, math.nan))
    return np.array(columns).T
