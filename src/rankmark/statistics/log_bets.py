"""Bets on the mean over a log, of which few queries are judged: those that can lose much first."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import share
from rankmark.array_types import Bools, Floats, Ints

METHOD = "bets without replacement"
METHOD_OF_SAMPLE = "bets on independent draws"

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
    spread
        The standard deviation of the weights, which matters if the log is a sample.
    sampled_to
        The largest weight possible, if the log is a sample of the population that the mean is
        about, of which queries are drawn independently; None if the mean is that of the log.
    """

    size: float
    total: float
    gain: float
    gain_elsewhere: float
    largest_ratio: float
    planned: int
    spread: float = 0.0
    sampled_to: float | None = None

    def least_queries(self, margin: float, level: float) -> int:
        """Return how many queries have to be judged if none of them loses anything."""
        lost, total, level = margin * self.size, self._largest_total(level), self._level(level)
        if lost >= total:
            return 0
        if lost <= 0:
            return np.iinfo(np.int64).max
        return math.ceil(math.log(1 / level) / -math.log1p(-lost / total))

    def smallest_margin(self, judged: int, level: float) -> float:
        """Return the smallest margin that so many queries can show if none loses anything."""
        mean, level = self._largest_total(level) / self.size, self._level(level)
        return float(mean * -math.expm1(math.log(level) / judged)) if judged else mean

    def _level(self, level: float) -> float:
        """Return the level of the bets: of a sample, a tenth is for the mean of the weights."""
        return level if self.sampled_to is None else 0.9 * level

    def _largest_total(self, level: float) -> float:
        """Return the total; of a sample, that of as many queries with the largest mean weight.

        The bound of the mean is proven [1]_ for all weights from 0 to the largest possible.

        .. [1] Maurer and Pontil 2009, Empirical Bernstein bounds and sample variance penalization,
           COLT, theorem 4.
        """
        if self.sampled_to is None or self.size < 2:
            return self.total if self.sampled_to is None else self.size * self.sampled_to
        doubt = math.log(2 / (0.1 * level))
        more = self.spread * math.sqrt(2 * doubt / self.size)
        more += self.sampled_to * 7 * doubt / (3 * (self.size - 1))
        return min(self.total + self.size * more, self.size * self.sampled_to)


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
    baseline
        Of a share, the estimated mean of the baseline; else NaN.
    """

    estimate: float
    low: float
    high: float
    p: float
    capital: float
    looks: int
    baseline: float = math.nan

    @classmethod
    def of(
        cls, estimate: float, low: float, high: float, won: _Won, baseline: float = math.nan
    ) -> LogBounds:
        """Return bounds, with what the bets against the limit alone have won."""
        estimate = max(estimate, low)
        estimate = min(estimate, high) if not math.isnan(high) else estimate
        capital = math.inf if won.is_certain[0] else math.exp(float(won.capital[0]))
        p = min(1.0, 1 / capital)
        return cls(estimate, low, high, p, capital, int(won.looks[0]), baseline)


NOTHING = LogBounds(math.nan, math.nan, math.nan, 1.0, 1.0, 0)
"""What is known without a log."""


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
    (True, 11)
    """
    level = 1 - share("confidence", confidence)
    y, w, g = (np.asarray(one, dtype=np.float64)[:, None] for one in (changes, weights, gains))
    above = _above(y, w, log, level)
    least = -log._largest_total(level) / log.size
    estimate = _estimate(y[:, 0], w[:, 0], log) / log.size
    at_limit = above(np.array([limit]))
    if log.sampled_to is not None:  # no upper bound: what a query can gain was not drawn for
        low = _last(above, least, max(1.0, limit), limit)
        return LogBounds.of(estimate, max(low, least), math.nan, at_limit)
    bets, to_gain = _Bets(w, log.total, log.planned, level), _rest(log.gain, g)

    def below(means: Floats) -> _Won:
        sums = log.gain_elsewhere - means * log.size
        return bets.against(-y, sums, log.largest_ratio, to_gain)

    most = (log.gain + log.gain_elsewhere) / log.size
    low = _last(above, least, max(most, limit), limit)
    high = -_last(lambda means: below(-means), -max(most, limit), -least, -limit)
    return LogBounds.of(estimate, min(max(low, least), most), max(min(high, most), least), at_limit)


def bounds_of_share(
    baseline: ArrayLike,
    changes: ArrayLike,
    weights: ArrayLike,
    gains: ArrayLike,
    log: Log,
    margin: float,
    confidence: float = 0.95,
) -> LogBounds:
    """Bound the change of the mean over a log as a share of the baseline's mean.

    Parameters
    ----------
    baseline
        (n,) float64, the scores of the baseline, from 0 to 1, times what the query counts.
    changes, gains
        As for ``bounds_of_log``.
    weights
        (n,) float64: the most that the query can lose, and the margin times what it counts.
    log
        The log that they were drawn from; its ratio, and its gains, are those of the change plus
        the margin times the baseline. All queries have a weight.
    margin
        The share of the baseline's mean that may be lost, above 0.
    confidence
        Of each bound.
    """
    level = 1 - share("confidence", confidence)
    a, y, w, g = (
        np.asarray(one, dtype=np.float64)[:, None] for one in (baseline, changes, weights, gains)
    )
    bets = _Bets(w, log.total, log.planned, level, is_drained=log.sampled_to is None)
    left = _rest(log.total, w)

    def above(shares: Floats) -> _Won:
        return bets.against(y - shares * a, np.zeros(len(shares)), 1.0, left)

    def below(shares: Floats) -> _Won:
        # What a share beyond the margin adds to a gain, a weight of at least the margin bounds.
        more = np.maximum(np.abs(shares) - margin, 0.0)
        ratio = log.largest_ratio + more / margin
        to_gain = _rest(log.gain + more * log.size, g + more)
        return bets.against(shares * a - y, np.zeros(len(shares)), ratio, to_gain)

    low = _last(above, -1.0, margin, -margin)
    high = -_last(lambda shares: below(-shares), -2.0, 1.0, margin)
    lost, held = _estimate(y[:, 0], w[:, 0], log), _estimate(a[:, 0], w[:, 0], log)
    change = lost / held if held else math.nan
    mean = min(max(held / log.size, 0.0), 1.0)
    return LogBounds.of(change, low, high, above(np.array([-margin])), mean)


def looks_of_logs(
    changes: Floats, weights: Floats, log: Log, limit: float, confidence: float = 0.95
) -> Ints:
    """Return after how many queries each of R samples shows that the limit is exceeded: (R,) int64.

    It is 0 if a sample does not. Changes and weights are (n, R), in the order of the draws.
    """
    level = 1 - share("confidence", confidence)
    return _above(changes, weights, log, level)(np.array([limit])).looks


def _above(changes: Floats, weights: Floats, log: Log, level: float) -> Callable[[Floats], _Won]:
    """Return what bets against means of the log, or of its population, at most these."""
    is_drained, total = log.sampled_to is None, log._largest_total(level)
    bets = _Bets(weights, total, log.planned, log._level(level), is_drained=is_drained)
    left = _rest(total, weights) if is_drained else np.full((len(weights) + 1, 1), total)
    return lambda means: bets.against(changes, means * log.size, 1.0, left)


class _Won(NamedTuple):
    """What bets have won, for each mean: the capital, after how many queries, and for sure.

    Parameters
    ----------
    capital
        (R,) float64, the logarithm of the most that they have made of 1.
    looks
        (R,) int64, after how many queries that was enough; 0 if never, or before the first.
    is_enough
        (R,) bool.
    is_certain
        (R,) bool, whether the mean is impossible.
    """

    capital: Floats
    looks: Ints
    is_enough: Bools
    is_certain: Bools


class _Bets(NamedTuple):
    """Bets that ratios of changes and weights exceed what a mean allows.

    ``weights`` is (n, 1), or (n, R) of several samples; changes are, too, or depend on the mean.
    """

    weights: Floats
    total: float
    planned: int
    level: float
    is_drained: bool = True
    """Whether what was drawn is not drawn again, so that less is left."""

    def against(self, changes: Floats, sums: Floats, worst: float | Floats, left: Floats) -> _Won:
        """Bet against sums of the changes of queries with weights that are at most ``sums``.

        Parameters
        ----------
        changes
            (n, 1) or (n, R) float64.
        sums
            (R,) float64.
        worst
            No ratio is below minus this.
        left
            (n + 1, 1 or R) what the queries that are left after each can lose at most.
        """
        goal = math.log(1 / self.level)
        shape = np.broadcast_shapes(sums.shape, changes.shape[1:], self.weights.shape[1:])
        capital, largest, seen, used, ratios = np.zeros((5, *shape))
        spread = np.full(shape, _FIRST_VARIANCE)
        looks = np.zeros(shape, dtype=np.int64)
        certain = np.broadcast_to(sums <= -left[0], shape)
        for at in range(len(changes)):
            rest = np.maximum(self.total - used * self.is_drained, 1e-300)
            before = seen * self.is_drained
            mean = np.maximum((sums - before) / rest, -worst * (1 - _ROUNDING))
            missing = np.maximum(goal - capital, _ROUNDING)
            ahead = _horizon(self.planned, at) - at
            stake = np.minimum(
                np.sqrt(2 * missing / (spread / (at + 1) * ahead)),
                _LARGEST_BET / np.maximum(worst + mean, 1e-12),
            )
            is_open = (looks == 0) & ~certain
            ratio = changes[at] / self.weights[at]
            won = np.maximum(np.where(is_open, stake, 0.0) * (ratio - mean), -1 + 1e-7)
            capital = capital + np.log1p(won)
            largest = np.maximum(largest, capital)
            seen, used, ratios = seen + changes[at], used + self.weights[at], ratios + ratio
            spread = spread + (ratio - ratios / (at + 2)) ** 2
            # Strictly, so that a mean of exactly the limit is never shown to be above it.
            impossible = self.is_drained & (sums - seen < -left[at + 1] - _ROUNDING * self.total)
            looks = np.where(is_open & ((capital >= goal) | impossible), at + 1, looks)
            certain = certain | impossible
        return _Won(largest, looks, (looks > 0) | certain, certain)


def _estimate(y: Floats, w: Floats, log: Log) -> float:
    """Return the mean of what each draw says of the sum: the changes before it, and the rest."""
    if not len(y):
        return 0.0 if log.total == 0 else math.nan
    if log.sampled_to is not None:
        return float(np.mean(y / w)) * log.total
    before, used = np.cumsum(y) - y, np.cumsum(w) - w
    return float(np.mean(before + np.maximum(log.total - used, 0.0) * y / w))


def _last(won: Callable[[Floats], _Won], low: float, high: float, asked: float) -> float:
    """Return the last of the means from ``low`` on that are all ruled out; ``low`` if none is.

    ``asked`` is tried itself, so that the bound agrees with a verdict on it.
    """
    for _ in range(2):
        if not low < high:
            break
        means = np.union1d(np.linspace(low, high, _MEANS), [min(max(asked, low), high)])
        kept = np.flatnonzero(~won(means).is_enough)
        if not len(kept):
            return high
        if kept[0] == 0:
            return low
        low, high = float(means[kept[0] - 1]), float(means[kept[0]])
    return low


def _rest(total: float | Floats, parts: Floats) -> Floats:
    """Return what is left of a total after each part: (n + 1, 1 or R) float64."""
    none = np.zeros((1, *parts.shape[1:]))
    return np.maximum(total - np.concatenate([none, np.cumsum(parts, axis=0)]), 0.0)


def _horizon(planned: int, at: int) -> int:
    """Return for how many queries to bet: those planned, then twice as many, and so on."""
    horizon = max(planned, 1)
    while horizon <= at:
        horizon *= 2
    return horizon
