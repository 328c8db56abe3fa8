"""How many queries a gate needs: by formula, and by drawing queries from those observed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.errors import InputError
from rankmark.statistics.power import required_queries
from rankmark.statistics.reweighting import (
    approximate_probabilities,
    number_if_unchanged,
    queries_if_unchanged,
    smallest_margin,
)
from rankmark.statistics.scipy_functions import optimize, special


@dataclass(frozen=True, slots=True)
class QueriesForMargin:
    """How many queries a margin needs.

    Parameters
    ----------
    for_spread
        Queries that Student's t would need for the spread of differences.
    for_rare
        Queries that are needed on top because rare large losses may not be in the sample.
    """

    for_spread: int
    for_rare: int

    @property
    def n(self) -> int:
        """All of them."""
        return self.for_spread + self.for_rare

    def times(self, spread: float, rare: float) -> QueriesForMargin:
        """Return the same for queries of which so many are worth one, for each of the two parts."""
        return QueriesForMargin(
            math.ceil(self.for_spread * spread - 1e-9), math.ceil(self.for_rare * rare - 1e-9)
        )


def queries_for_margin(
    margin: float,
    spread: float,
    largest_loss: float = 1.0,
    *,
    gain: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.8,
) -> QueriesForMargin | None:
    """Return how many queries show that a loss is within a margin, by the reweighting bound.

    As many as Student's t needs for the spread, and as many more as it takes to rule out losses
    that the sample need not contain. In simulations of 28 kinds of change this was between 6% too
    few and 9% too many.

    Parameters
    ----------
    margin
        The loss that is allowed, in units of the scores, at least 0.
    spread
        Standard deviation of the differences of queries; NaN if unknown.
    largest_loss
        The most that one query can lose.
    gain
        How much better the other system is in truth.
    confidence, power
        Of the bound; and how often the margin is to be shown.

    Returns
    -------
    QueriesForMargin or None
        None if the spread is unknown, or no reasonable number would do.

    Examples
    --------
    >>> queries_for_margin(0.02, 0.148)
    QueriesForMargin(for_spread=340, for_rare=149)
    """
    distance = margin + gain
    level = 2 * (1 - confidence)
    if not (spread >= 0 and distance > 0 and math.isfinite(largest_loss)) or level >= power:
        return None
    rare = queries_if_unchanged(distance, confidence, largest_loss)
    if rare is None:
        return None
    if spread == 0:
        return QueriesForMargin(0, rare)
    try:
        return QueriesForMargin(
            required_queries(distance, spread, power=power, level=level).n, rare
        )
    except InputError:  # more than a billion
        return None


def detectable_margin(
    n: float,
    spread: float,
    largest_loss: float = 1.0,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
) -> float:
    """Return the smallest margin that n queries show if both systems are equally good.

    By normal quantiles: the margin m for which ((z1 + z2) spread / m)^2 and the queries for rare
    losses add up to n.

    Parameters
    ----------
    n
        Queries, or the effective number of them.
    spread, largest_loss, confidence, power
        As for ``queries_for_margin``.

    Returns
    -------
    float
        In units of the scores; NaN if the spread is unknown, or if not even the largest loss could
        be shown.
    """
    if not (spread >= 0 and n > 0 and math.isfinite(largest_loss)):
        return math.nan
    low = smallest_margin(n, confidence, largest_loss)
    scale = (float(special.ndtri(confidence)) + float(special.ndtri(power))) * spread

    def missing(margin: float) -> float:
        return (scale / margin) ** 2 + number_if_unchanged(margin, confidence, largest_loss) - n

    high = largest_loss * (1 - 1e-12)
    if missing(high) > 0:
        return math.nan
    return float(optimize.brentq(missing, low * (1 - 1e-9), high, xtol=1e-12))


_AT_ONCE = 500_000  # numbers
_MOST_UNITS = 50_000
_FINENESS = 50  # of the number of units that is searched, as a share of it


@dataclass(frozen=True, slots=True)
class DrawnCondition:
    """A condition of a gate, for each query or cluster that may be drawn.

    It passes if the mean of ``values`` over that of ``sizes`` is shown to be above 0.

    Parameters
    ----------
    values
        (units,) float64, sums of what must be above 0 on average: difference plus margin.
    sizes
        (units,) float64, weights; 0 for what is not in the slice of the condition.
    loss
        How far below 0 the value of one query can be.
    level
        Of the test.
    largest
        The size of the imagined unit: that of the largest that may be drawn, or of one that these
        lack.
    """

    values: Floats
    sizes: Floats
    loss: float
    level: float
    largest: float

    def spread_by(self, factor: float) -> DrawnCondition:
        """Return the same with deviations from the mean that are so many times as large."""
        means = self.sizes * (self.values.sum() / self.sizes.sum())
        return replace(self, values=means + factor * (self.values - means))

    def passes(self, drawn: np.ndarray) -> Bools:
        """Return for each row of drawn units whether the condition passes: (rows,) bool."""
        losses = np.full(len(drawn), max(self.largest * self.loss, 1e-300))
        p = approximate_probabilities(self.values[drawn], losses)
        return (p < self.level) & (self.sizes[drawn] > 0).any(axis=1)


def moved(values: Floats, weights: Floats | None, mean: float) -> Floats:
    """Move the differences that are not 0 alike, so that their mean is the one given.

    Those that are 0 stay so: a query that does not change with one system will not with another
    that is as different. Where all are 0 they stay 0.
    """
    changed = values != 0
    weight = np.ones(len(values)) if weights is None else weights
    share = float(weight @ changed) / float(weight.sum())
    if share == 0:
        return values
    shift = (mean - float(np.average(values, weights=weights))) / share
    return np.where(changed, values + shift, 0.0)


def passing_shares(
    conditions: Sequence[DrawnCondition], units: int, *, resamples: int, seed: int
) -> tuple[Floats, float]:
    """Draw so many units with replacement, and return how often each condition passes, and all.

    Units are numbered by their values, so that draws do not depend on the order of queries.

    Returns
    -------
    (conditions,) float64, float
        Shares of the draws, with standard errors of at most 0.5 / sqrt(resamples).
    """
    columns = [column for one in conditions for column in (one.sizes, one.values)]
    order = np.lexsort(columns)
    conditions = [
        replace(one, values=one.values[order], sizes=one.sizes[order]) for one in conditions
    ]
    observed = len(order)
    rng = np.random.default_rng(seed)
    passed = np.zeros(len(conditions))
    together = 0
    rows = max(1, _AT_ONCE // units)
    for first in range(0, resamples, rows):
        drawn = rng.integers(0, observed, (min(rows, resamples - first), units))
        found = np.array([condition.passes(drawn) for condition in conditions])
        passed += found.sum(axis=1)
        together += int(found.all(axis=0).sum())
    return passed / resamples, together / resamples


def units_for_all(
    conditions: Sequence[DrawnCondition],
    first: int,
    power: float,
    *,
    resamples: int,
    seed: int,
) -> int | None:
    """Return how many units make all conditions pass together as often as asked, to 2%.

    ``first`` is where the search begins. None if 50,000 are too few.
    """

    def enough(units: int) -> bool:
        return passing_shares(conditions, units, resamples=resamples, seed=seed)[1] >= power

    low, high = 1, max(2, first)
    while not enough(high):
        low, high = high, math.ceil(1.4 * high)
        if high > _MOST_UNITS:
            return None
    while high - low > 1 + high // _FINENESS:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
