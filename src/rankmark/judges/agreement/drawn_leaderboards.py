"""Leaderboards of drawn queries: how much agreement depends on which queries there are.

Queries are drawn with replacement, the same for both leaderboards; the systems stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.statistics import Interval
from rankmark.statistics.resampling import sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints

Statistics = Callable[["Floats", "Floats"], "Floats"]
"""From means of systems in both leaderboards, (B, S) each, to statistics, (B, F)."""
_DIGITS = 12  # means that differ in later ones are equal, and were added up in another order


class Draws(NamedTuple):
    """The confidence of intervals, how often queries are drawn, and the seed of it."""

    confidence: float
    resamples: int
    seed: int


def paired_rankings(a: Floats, b: Floats) -> Pairing:
    """Pair the rankings of systems by their scores in both leaderboards: (B, S) each."""
    rows, systems = a.shape
    starts = np.arange(rows + 1) * systems
    order_a, first_a, last_a = _ranked(a)
    order_b, first_b, last_b = _ranked(b)
    place_b = np.empty_like(order_b)
    np.put_along_axis(place_b, order_b, np.arange(systems)[None, :], axis=1)
    at = np.take_along_axis(place_b, order_a, axis=1) + starts[:-1, None]
    flat = [each.ravel() for each in (first_a, last_a, first_b, last_b, at)]
    return Pairing(starts, starts, *flat)


def _ranked(scores: Floats) -> tuple[Ints, Ints, Ints]:
    """Order the systems, best first, and return the first and last rank of each one's tie."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    systems = scores.shape[1]
    ranks = np.arange(1, systems + 1)
    new = np.ones(scores.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, ranks, 0), axis=1)
    ends = np.ones(scores.shape, dtype=np.bool_)
    ends[:, :-1] = new[:, 1:]
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, ranks, systems + 1), 1), axis=1), 1)
    return order, first, last


def drawn_means(a: Floats, b: Floats, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield the means of all systems over drawn queries: (n_queries, S) each to (B, S) each.

    A NaN score is left out of its system's mean.
    """
    both = np.concatenate([a, b], axis=1)
    present = (~np.isnan(both)).astype(np.float64)
    scores = np.where(np.isnan(both), 0.0, both)
    complete = bool(present.all())
    for block, samples in enumerate(sample_blocks(len(a), resamples)):
        counts = sample_counts(len(a), samples, block, seed)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = counts @ scores / (len(a) if complete else counts @ present)
        means = np.round(np.nan_to_num(means, nan=0.0), _DIGITS)
        yield means[:, : a.shape[1]], means[:, a.shape[1] :]


def drawn_intervals(
    estimates: Sequence[float],
    statistics: Statistics,
    scores: tuple[Floats, Floats],
    names: Sequence[str],
    draws: Draws,
    bounds: Sequence[tuple[float, float]] | None = None,
) -> dict[str, Interval]:
    """Return an interval of each statistic of two leaderboards: t with the spread of the draws.

    It is for what sets of as many queries give on average. Leaderboards of drawn queries have the
    noise of two draws, so their agreement is lower, and percentiles would be too low: in
    simulations these often missed. Of unlimited queries agreement is higher, and no interval is for
    that.

    Parameters
    ----------
    estimates, names
        (F,) of the statistics.
    scores
        In a and in b, (n_queries, S) float64.
    bounds
        (F,) the lowest and the highest value of each; None for those of correlations, -1 and 1.
    """
    found = {}
    confidence, resamples, seed = draws
    a, b = scores
    if len(a) < 2:
        drawn = np.full((1, len(names)), math.nan)
    else:
        drawn = np.concatenate([statistics(*means) for means in drawn_means(a, b, resamples, seed)])
    times = float(special.stdtrit(max(len(a) - 1, 1), (1 + confidence) / 2))
    limits = bounds or [(-1.0, 1.0)] * len(names)
    for name, estimate, column, ends in zip(names, estimates, drawn.T, limits, strict=True):
        known = column[~np.isnan(column)]
        undefined, low, high = "", math.nan, math.nan
        if math.isnan(estimate):
            undefined = "it is not defined for these leaderboards"
        elif len(a) < 2:
            undefined = "there is only one query"
        elif not len(known) or np.ptp(known) == 0:
            undefined = "all draws of queries give the same value"
        else:
            half = times * float(known.std(ddof=1))
            low, high = max(estimate - half, ends[0]), min(estimate + half, ends[1])
        found[name] = Interval(
            estimate,
            low,
            high,
            confidence,
            name,
            "t, bootstrap by query",
            len(a),
            resamples=resamples,
            seed=seed,
            undefined=undefined,
        )
    return found
