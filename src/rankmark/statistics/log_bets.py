"""Bets on the mean over a log, of which few queries are judged: those that can lose much first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.arguments import share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Bools, Floats

METHOD = "bets without replacement"

_FIRST_VARIANCE = 0.1  # of an imagined query; bets are valid whatever it is
_LARGEST_BET = 0.999  # share of the capital that a bet may lose: any share below 1 is valid
_MEANS = 128  # that are tried at once
_ROUNDING = 1e-9  # of the total that can be lost


@dataclass(frozen=True, slots=True)
class Log:
    """What is known of a log before anything is judged.

    A change of a query is the new score minus the old one, or what a relative margin makes of it.
    Queries are judged one after another, each drawn from the rest with a probability proportional
    to its weight.

    Parameters
    ----------
    size
        How many queries there are, or the sum of what they count.
    total
        The sum of the weights; a weight is at least the most that the query can lose.
    gain
        The sum of the most that each query with a weight can gain.
    gain_elsewhere
        The same of those without a weight, which can lose nothing and are not judged.
    largest_ratio
        The largest ratio of the most that a query can gain and its weight.
    planned
        How many queries are to be judged. Bets are as large as is good for that number, and valid
        for any.
    """

    size: float
    total: float
    gain: float
    gain_elsewhere: float
    largest_ratio: float
    planned: int

    def least_queries(self, margin: float, level: float) -> int:
        """Return how many queries have to be judged if none of them loses anything."""
        lost = margin * self.size
        if lost >= self.total:
            return 0
        if lost <= 0:
            return np.iinfo(np.int64).max
        return math.ceil(math.log(1 / level) / -math.log1p(-lost / self.total))

    def smallest_margin(self, judged: int, level: float) -> float:
        """Return the smallest margin that so many queries can show if none loses anything."""
        if not judged:
            return self.total / self.size
        return float(self.total / self.size * -math.expm1(math.log(level) / judged))


class LogBounds(NamedTuple):
    """Bounds of the mean change over a log, after some queries were judged.

    Parameters
    ----------
    estimate
        The mean change, of which queries without a weight count 0.
    low, high
        One-sided bounds, each of the confidence however often one looks.
    p
        The smallest level at which the mean would have been shown to be above the limit.
    capital
        The most that the bets against the limit have made of 1; infinite if it is certain.
    looks
        After how many queries the bets had won, or 0 if they have not.
    """

    estimate: float
    low: float
    high: float
    p: float
    capital: float
    looks: int


def bounds_of_log(
    changes: ArrayLike,
    weights: ArrayLike,
    gains: ArrayLike,
    log: Log,
    limit: float,
    confidence: float = 0.95,
) -> LogBounds:
    """Bound the mean change over a log from the queries that were judged.

    Parameters
    ----------
    changes
        (n,) float64, of the queries judged, in the order in which they were drawn.
    weights, gains
        (n,) float64: no change is below minus the weight of the query, or above its gain.
    log
        The log that they were drawn from.
    limit
        The mean that is to be exceeded, such as minus a margin.
    confidence
        Of each bound.

    Notes
    -----
    If the mean over the log is at most x, the ratio of change and weight of the next query has an
    expectation of at most mu = (x size - changes so far) / (total - weights so far), as it is drawn
    in proportion to the weights from the rest. A gambler who stakes a share of the capital on
    ratios above it, fixed before the query is drawn, has a capital that is a non-negative
    supermartingale, which ever reaches 1 / level with a probability of at most the level (Ville's
    inequality): for all scores, and however often one looks. The upper bound bets on low ratios.
    [1]_ has such bets on queries that are drawn with equal probabilities, and the size of bets.

    References
    ----------
    .. [1] Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting,
       Journal of the Royal Statistical Society B 86(1), pages 1-27, section 4.

    Examples
    --------
    >>> log = Log(1000, 40.0, 40.0, 0.0, 1.0, planned=24)
    >>> found = bounds_of_log([0.0] * 24, [0.2] * 24, [0.2] * 24, log, limit=-0.01)
    >>> found.low > -0.01, found.looks
    (True, 12)
    """
    level = 1 - share("confidence", confidence)
    y, w, g = (np.asarray(one, dtype=np.float64)[:, None] for one in (changes, weights, gains))
    least, most = -log.total / log.size, (log.gain + log.gain_elsewhere) / log.size
    falls, rises = _Falls(y, w, log, level), _Rises(y, w, g, log, level)
    capital, looks, certain = falls.found(np.array([limit]))
    low = _last(falls.ruled_out, least, max(most, limit), limit)
    high = -_last(lambda means: rises.ruled_out(-means), -max(most, limit), -least, -limit)
    won = math.inf if certain[0] else math.exp(float(capital[0]))
    return LogBounds(
        estimate=_estimate(y[:, 0], w[:, 0], log),
        low=max(low, least),
        high=min(high, most),
        p=min(1.0, 1 / won),
        capital=won,
        looks=int(looks[0]),
    )


def _estimate(y: Floats, w: Floats, log: Log) -> float:
    """Return the mean of what each draw estimates: the changes before it, and those of the rest."""
    if not len(y):
        return 0.0 if log.total == 0 else math.nan
    before, used = np.cumsum(y) - y, np.cumsum(w) - w
    return float(np.mean(before + np.maximum(log.total - used, 0.0) * y / w)) / log.size


def _last(ruled_out: object, low: float, high: float, asked: float) -> float:
    """Return the largest of the means from ``low`` on that are all ruled out; ``low`` if none is.

    ``asked`` is tried itself, so that the bound and a verdict on it agree.
    """
    assert callable(ruled_out)  # noqa: S101
    for _ in range(3):
        if not low < high:
            break
        means = np.union1d(np.linspace(low, high, _MEANS), [min(max(asked, low), high)])
        kept = np.flatnonzero(~ruled_out(means))
        if not len(kept):
            return high
        if kept[0] == 0:
            return low
        low, high = float(means[kept[0] - 1]), float(means[kept[0]])
    return low


class _Bets(NamedTuple):
    """Bets that ratios exceed what a mean allows, for several means, or several samples."""

    changes: Floats
    weights: Floats
    total: float
    planned: int
    level: float

    def against(
        self, sums: Floats, worst: float, left: Floats
    ) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.int64]], Bools]:
        """Bet against sums of changes of the queries with weights that are at most ``sums``.

        Parameters
        ----------
        sums
            (R,) float64.
        worst
            No ratio is below minus this.
        left
            (n + 1, 1 or R) what the queries that are left after each can lose at most.

        Returns
        -------
        tuple of arrays
            (R,) the logarithm of the largest capital, after how many queries it was enough, 0 if
            never, and whether the sum is impossible.
        """
        goal, n = math.log(1 / self.level), len(self.changes)
        shape = np.broadcast_shapes(sums.shape, self.changes.shape[1:])
        capital, largest = np.zeros(shape), np.zeros(shape)
        seen, used, ratios = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        spread = np.full(shape, _FIRST_VARIANCE)
        looks, certain = np.zeros(shape, dtype=np.int64), np.broadcast_to(sums <= -left[0], shape)
        for at in range(n):
            rest = np.maximum(self.total - used, 1e-300)
            mean = np.maximum((sums - seen) / rest, -worst * (1 - _ROUNDING))
            missing = np.maximum(goal - capital, _ROUNDING)
            ahead = _horizon(self.planned, at) - at
            stake = np.minimum(
                np.sqrt(2 * missing / (spread / (at + 1) * ahead)),
                _LARGEST_BET / np.maximum(worst + mean, 1e-12),
            )
            stake = np.where((looks == 0) & ~certain, stake, 0.0)
            ratio = self.changes[at] / self.weights[at]
            capital = capital + np.log1p(np.maximum(stake * (ratio - mean), -1 + 1e-7))
            largest = np.maximum(largest, capital)
            looks = np.where((looks == 0) & ~certain & (capital >= goal), at + 1, looks)
            seen, used, ratios = seen + self.changes[at], used + self.weights[at], ratios + ratio
            spread = spread + (ratio - ratios / (at + 2)) ** 2
            # Strictly, so that a mean of exactly the limit is never shown to be above it.
            impossible = sums - seen < -left[at + 1] - _ROUNDING * self.total
            looks = np.where((looks == 0) & ~certain & impossible, at + 1, looks)
            certain = certain | impossible
        return largest, looks, certain


class _Falls:
    """Bets against means that are too low."""

    def __init__(self, changes: Floats, weights: Floats, log: Log, level: float) -> None:
        self._bets = _Bets(changes, weights, log.total, log.planned, level)
        self._left = _rest(log.total, weights)
        self._size = log.size
        self._goal = math.log(1 / level)

    def found(
        self, means: Floats
    ) -> tuple[Floats, np.ndarray[tuple[int], np.dtype[np.int64]], Bools]:
        """Return the capital, the look and whether it is certain, for each mean."""
        return self._bets.against(means * self._size, 1.0, self._left)

    def ruled_out(self, means: Floats) -> Bools:
        """Return which means the truth exceeds."""
        largest, _, certain = self.found(means)
        return (largest >= self._goal) | certain


class _Rises:
    """Bets against means that are too high."""

    def __init__(
        self, changes: Floats, weights: Floats, gains: Floats, log: Log, level: float
    ) -> None:
        self._bets = _Bets(-changes, weights, log.total, log.planned, level)
        self._left = _rest(log.gain, gains)
        self._log = log
        self._goal = math.log(1 / level)

    def ruled_out(self, means: Floats) -> Bools:
        """Return which means the truth is below."""
        log = self._log
        sums = log.gain_elsewhere - means * log.size
        largest, _, certain = self._bets.against(sums, log.largest_ratio, self._left)
        return (largest >= self._goal) | certain


def _rest(total: float, parts: Floats) -> Floats:
    """Return what is left of a total after each part: (n + 1, 1 or R) float64."""
    none = np.zeros((1, *parts.shape[1:]))
    found: Floats = np.maximum(total - np.concatenate([none, np.cumsum(parts, axis=0)]), 0.0)
    return found


def _horizon(planned: int, at: int) -> int:
    """Return for how many queries to bet: those planned, then twice as many, and so on."""
    horizon = max(planned, 1)
    while horizon <= at:
        horizon *= 2
    return horizon
