"""Intervals of estimated means of scores that have a lowest and a highest value.

Student's t knows neither: its intervals leave the range of the scores, and are far too short where
most scores are 0, since a sample may lack the few that are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.statistics.confidence_intervals import EVERYWHERE, quantile_of_t, within
from rankmark.statistics.reweighting import Reweighted, of_mean
from rankmark.statistics.scipy_functions import optimize, special

Ends = tuple[float, float]
FEW = 5
"""Scores that are neither the lowest nor the highest: with fewer, the reweighting bounds decide."""
_LEAST_P = 1e-12
_MOST_WORTH = 1e9  # queries


class EstimatedEnds(Protocol):
    """An estimate that has an interval of every confidence."""

    @property
    def estimate(self) -> float:
        """What the intervals are of."""

    @property
    def method(self) -> str:
        """How its intervals are found."""

    def ends(self, confidence: float) -> Ends:
        """Return the interval of a confidence."""


@dataclass(frozen=True, slots=True)
class StudentEnds:
    """An estimate with intervals by Student's t, or the normal distribution for infinite degrees.

    They are cut where no score is.
    """

    estimate: float
    error: float
    degrees: float
    between: Ends = EVERYWHERE

    @property
    def method(self) -> str:
        """How its intervals are found."""
        return "normal" if math.isinf(self.degrees) else "t"

    def ends(self, confidence: float) -> Ends:
        """Return the interval of a confidence."""
        if math.isinf(self.degrees):
            quantile = float(special.ndtri((1 + confidence) / 2))
        else:
            quantile = quantile_of_t(self.degrees, confidence)
        ends = self.estimate - quantile * self.error, self.estimate + quantile * self.error
        return within(ends, self.between)


@dataclass(frozen=True, slots=True)
class KornGraubardEnds:
    """An estimate with Korn and Graubard's intervals [1]_, which lie within the range of scores.

    A mean m of scores from 0 to 1 whose standard error is e is worth a share among
    ``m (1 - m) / e² (z / t)²`` queries with a score of 0 or 1, z and t the quantiles of the normal
    distribution and of Student's t. Its interval is that of Clopper and Pearson for so many
    queries. Where the error is 0, these are the n queries themselves.

    Parameters
    ----------
    estimate, error, degrees
        As estimated, which may be beyond the range; ``error`` has the degrees of freedom.
    n
        Queries, or clusters, that it rests on.
    between
        The lowest and the highest score.
    wider
        Bounds that the interval does not lie within: of scores with unequal weights, few of which
        are heavy and not the lowest or the highest; None for none.

    References
    ----------
    .. [1] Korn and Graubard 1998, Confidence intervals for proportions with small expected number
       of positive counts estimated from survey data, Survey Methodology 24(2), pages 193-201.
    """

    estimate: float
    error: float
    degrees: float
    n: int
    between: Ends
    wider: ReweightedEnds | None = None

    @property
    def method(self) -> str:
        """How its intervals are found."""
        return "Korn-Graubard"

    @property
    def mean(self) -> float:
        """The estimate as a share of the range, at least 0 and at most 1."""
        low, high = self.between
        return min(max((self.estimate - low) / (high - low), 0.0), 1.0)

    def ends(self, confidence: float) -> Ends:
        """Return the interval of a confidence."""
        low, high = self.between
        m, e = self.mean, self.error / (high - low)
        worth = float(self.n)
        if e > 0 and 0 < m < 1:
            ratio = 1.0
            if confidence > 0:
                z = float(special.ndtri((1 + confidence) / 2))
                ratio = z / quantile_of_t(self.degrees, confidence)
            # What rounding leaves of an error is none: the beta distribution has no more digits.
            worth = min(max(m * (1 - m) / e**2 * ratio**2, 1.0), _MOST_WORTH)
        tail, ones = (1 - confidence) / 2, m * worth
        zeros = worth - ones
        least = float(special.betaincinv(ones, zeros + 1, tail)) if ones > 0 else 0.0
        most = float(special.betaincinv(ones + 1, zeros, 1 - tail)) if zeros > 0 else 1.0
        found = low + (high - low) * least, low + (high - low) * most
        if self.wider is None:
            return found
        lowest, highest = self.wider.ends(confidence)
        return min(found[0], lowest), max(found[1], highest)


@dataclass(frozen=True, slots=True)
class ReweightedEnds:
    """An estimate with the reweighting bounds of human labels alone, for few scores above 0.

    Attributes
    ----------
    lower, upper
        What bounds the mean from below, and its negative.
    """

    estimate: float
    lower: Reweighted
    upper: Reweighted

    @property
    def method(self) -> str:
        """How its intervals are found."""
        return "reweighting"

    def ends(self, confidence: float) -> Ends:
        """Return the interval of a confidence, which holds the estimate."""
        level = (1 - confidence) / 2
        low, high = self.lower.low(level), -self.upper.low(level)
        return min(low, self.estimate), max(high, self.estimate)


@dataclass(frozen=True, slots=True)
class DifferenceEnds:
    """A mean difference, with the intervals of gains and of losses put together [1]_.

    Its distance from each end is that of the end of the gains and of the other end of the losses,
    added as the sides of a triangle whose angle has the correlation of the two estimates.

    Attributes
    ----------
    estimate, error
        Of the difference.
    gain, loss
        The means of max(d, 0) and of max(-d, 0).
    most
        The largest difference possible, either way.

    References
    ----------
    .. [1] Zou and Donner 2008, Construction of confidence limits about effect measures: a general
       approach, Statistics in Medicine 27(10), pages 1693-1702.
    """

    estimate: float
    error: float
    gain: KornGraubardEnds
    loss: KornGraubardEnds
    most: Ends

    @property
    def method(self) -> str:
        """How its intervals are found."""
        return "gains and losses, Korn-Graubard"

    @property
    def _correlation(self) -> float:
        a, b = self.gain.error, self.loss.error
        if not a * b > 0:
            return 0.0
        return min(max((a**2 + b**2 - self.error**2) / (2 * a * b), -1.0), 0.0)

    def ends(self, confidence: float) -> Ends:
        """Return the interval of a confidence."""
        (gain_low, gain_high), (loss_low, loss_high) = (
            self.gain.ends(confidence),
            self.loss.ends(confidence),
        )
        gain, loss = (
            min(max(one.estimate, one.between[0]), one.between[1]) for one in (self.gain, self.loss)
        )
        rho = self._correlation

        def distance(a: float, b: float) -> float:
            return math.sqrt(max(a**2 + b**2 - 2 * rho * a * b, 0.0))

        low = self.estimate - distance(gain - gain_low, loss_high - loss)
        high = self.estimate + distance(gain_high - gain, loss - loss_low)
        return max(low, self.most[0]), min(high, self.most[1])


@dataclass(frozen=True, slots=True)
class TurnedEnds:
    """The negative of an estimate."""

    of: EstimatedEnds

    @property
    def estimate(self) -> float:
        """What the intervals are of."""
        return -self.of.estimate

    @property
    def method(self) -> str:
        """How its intervals are found."""
        return self.of.method

    def ends(self, confidence: float) -> Ends:
        """Return the interval of a confidence."""
        low, high = self.of.ends(confidence)
        return -high, -low


def reweighted_ends(
    estimate: float,
    scores: Floats,
    between: Ends,
    weights: Floats | None = None,
    clusters: Ints | None = None,
    largest: float | None = None,
) -> ReweightedEnds:
    """Return the bounds of a mean from its scores, none of which lies beyond the range.

    ``largest`` is the weight of the heaviest score that there can be.
    """
    low, high = between
    return ReweightedEnds(
        estimate,
        of_mean(scores, low, weights, clusters, largest),
        of_mean(-scores, -high, weights, clusters, largest),
    )


def are_few(scores: Floats, between: Ends, weights: Floats | None = None) -> bool:
    """Return whether fewer than five scores are above the lowest, or below the highest.

    With weights, whether they weigh less than five of the heaviest: light ones say little of heavy
    ones that the sample lacks.
    """
    low, high = between
    each = np.ones(len(scores)) if weights is None else weights / weights.max()
    # Rounding must not make five that are equally heavy too few.
    return float(min(each[scores > low].sum(), each[scores < high].sum())) < FEW - 1e-9


def p_of(found: EstimatedEnds, null: float, *, one_sided: bool = False) -> float:
    """Return the p-value of a mean: 1 minus the confidence of the interval that ends at it.

    Parameters
    ----------
    found
        The estimate.
    null
        The mean that is asked about.
    one_sided
        Whether the alternative is a larger mean.

    Returns
    -------
    float
        Two-sided, or half as much; at least 1e-12.
    """
    is_above = one_sided or found.estimate >= null

    def beyond(log_p: float) -> float:
        low, high = found.ends(-math.expm1(log_p))
        return low - null if is_above else null - high

    least, most = math.log(_LEAST_P), math.log(1 - 1e-9)
    if beyond(most) <= 0:
        p = 1.0
    elif beyond(least) >= 0:
        p = _LEAST_P
    else:
        p = math.exp(float(optimize.brentq(beyond, least, most, xtol=1e-12)))
    return p / 2 if one_sided else p
