"""Values of measures of a run, and differences of two runs, with intervals by leaving users out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure, divided
from rankmark.results.result import Row


class Jackknifed(NamedTuple):
    """A value, its standard error by leaving one list out at a time, and degrees of freedom.

    ``undefined`` says why there is no interval, or is "".
    """

    value: float
    error: float
    freedom: float
    undefined: str = ""

    @classmethod
    def of(cls, value: float, without: Floats, strata: Ints | None = None) -> Jackknifed:
        """Return the error of a value, of which (n,) are known that leave a list out each.

        With ``strata``, as in LeftOut, errors of the groups are added up, and degrees of freedom
        are Welch and Satterthwaite's: for the difference of two means, this is Welch's t.
        """
        if strata is not None:
            return cls._stratified(value, without[strata >= 0], strata[strata >= 0])
        n = len(without)
        if n < 2:
            return cls(value, math.nan, 0, "there is only one list")
        if math.isnan(value) or np.isnan(without).any():
            return cls(value, math.nan, 0, "without one of the lists there is no value")
        if not np.ptp(without) and math.isclose(value, without[0], rel_tol=1e-9, abs_tol=1e-12):
            return cls(value, 0.0, 0, "the value is the same whichever list is left out")
        if not np.ptp(without):  # such as the coverage of lists that have no item in common
            return cls(value, math.nan, 0, "every list changes the value alike")
        squares = float(((without - without.mean()) ** 2).sum())
        return cls(value, math.sqrt((n - 1) / n * squares), n - 1)

    @classmethod
    def _stratified(cls, value: float, without: Floats, strata: Ints) -> Jackknifed:
        sizes = np.bincount(strata).astype(np.float64)
        if np.isnan(without).any() or sizes.min() < 2:
            return cls(value, math.nan, 0, "a group has one user")
        centres = np.bincount(strata, weights=without) / sizes
        squares = np.bincount(strata, weights=(without - centres[strata]) ** 2)
        parts = (sizes - 1) / sizes * squares
        variance = float(parts.sum())
        if not variance:
            return cls(value, 0.0, 0, "the value is the same whichever user is left out")
        freedom = variance**2 / float((parts**2 / (sizes - 1)).sum())
        return cls(value, math.sqrt(variance), freedom)

    def ends(self, confidence: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the interval by Student's t, within the lowest and the highest value possible."""
        if self.undefined:
            return math.nan, math.nan
        from rankmark.statistics.confidence_intervals import quantile_of_t  # noqa: PLC0415

        reach = quantile_of_t(self.freedom, confidence) * self.error
        return max(self.value - reach, bounds[0]), min(self.value + reach, bounds[1])

    @property
    def p(self) -> float:
        """The p-value of the hypothesis that the value is 0, of two sides."""
        return 2 * min(self.p_above(0.0), self.p_above(0.0, -1.0))

    def p_above(self, bound: float, sign: float = 1.0) -> float:
        """Return the p-value of the hypothesis that the value, times a sign, is at most a bound."""
        if self.undefined:
            return math.nan
        from rankmark.statistics.confidence_intervals import p_of_t  # noqa: PLC0415

        return p_of_t((sign * self.value - bound) / self.error, self.freedom)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunValue(Row):
    """The value of a measure of a run: one number of all lists together, no mean over queries.

    Parameters
    ----------
    measure
        Its canonical name.
    value
        Of all lists.
    low, high
        Ends of the interval of what as many other users would give: leaving out one list at a
        time, by Student's t; NaN where ``undefined`` says why.
    confidence
        Of the interval.
    undefined
        Why there is no interval, or "".
    """

    measure: str
    value: float
    low: float
    high: float
    confidence: float
    undefined: str = ""

    @classmethod
    def of(cls, measure: RunMeasure, found: LeftOut, confidence: float = 0.95) -> RunValue:
        """Return the value of a measure with its interval."""
        known = Jackknifed.of(*found)
        low, high = known.ends(confidence, measure.bounds)
        return cls(
            measure=str(measure),
            value=found.value,
            low=low,
            high=high,
            confidence=confidence,
            undefined=known.undefined,
        )

    @property
    def interval(self) -> str:
        """The interval in words, or nothing."""
        return "" if self.undefined else f"[{self.low:.4f}, {self.high:.4f}]"


def difference_of(baseline: LeftOut, other: LeftOut) -> Jackknifed:
    """Return the other value minus the baseline's: a user is left out of both at a time."""
    change, without = other.value - baseline.value, other.without - baseline.without
    return Jackknifed.of(change, without, _common(baseline, other))


def ratio_of(baseline: LeftOut, other: LeftOut) -> Jackknifed:
    """Return the other value divided by the baseline's, minus 1; as ``difference_of``."""
    change = other.value / baseline.value - 1
    with np.errstate(divide="ignore", invalid="ignore"):  # without one of few users nothing is left
        without = divided(other.without, baseline.without) - 1
    return Jackknifed.of(change, without, _common(baseline, other))


def _common(baseline: LeftOut, other: LeftOut) -> Ints | None:
    """Return the groups of users that count in both; None without groups."""
    if baseline.strata is None or other.strata is None:
        return None
    return np.where(baseline.strata == other.strata, baseline.strata, -1)
