"""How often gates pass on queries like those observed, by drawing from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.statistics.random_weighting import approximate_probabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats

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
    """

    values: Floats
    sizes: Floats
    loss: float
    level: float

    def passes(self, drawn: np.ndarray) -> Bools:
        """Return for each row of drawn units whether the condition passes: (rows,) bool."""
        sizes = self.sizes[drawn]
        squares = sizes**2
        total = squares.sum(axis=1)
        extra = np.einsum("ij,ij->i", squares, sizes) / np.where(total > 0, total, 1.0)
        p = approximate_probabilities(self.values[drawn], np.maximum(extra * self.loss, 1e-300))
        found: Bools = (p < self.level) & (total > 0)
        return found


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
    found: Floats = np.where(changed, values + shift, 0.0)
    return found


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
