"""The difference of a run from another on a measure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple


class ComparedMeasure(NamedTuple):
    """A measure as comparisons use it.

    Parameters
    ----------
    name
        Its canonical name.
    more_is_better
        Whether higher scores are better.
    aggregate
        "mean"; "sum", for counts; or "gmean", whose means are not of scores, and not tested.
    """

    name: str
    more_is_better: bool = True
    aggregate: str = "mean"

    @property
    def undefined(self) -> str:
        """Why differences of this measure are not tested, or ""."""
        if self.aggregate == "gmean":
            return f"{self.name} is a geometric mean, and tests are of arithmetic means"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """How a run differs from a baseline on one measure: its scores minus the baseline's.

    Parameters
    ----------
    measure, baseline, run
        Their names.
    more_is_better
        Whether a positive difference means that the run is better.
    baseline_mean, run_mean
        The means of the two, each over all of its queries with a score; of a count the sums.
    n, left_out
        Queries with a score from both, and without.
    difference, low, high, method
        Mean difference with the confidence interval of this difference alone, and how that was
        found: "t", "BCa" or "Newcombe"; of a count, the difference of sums.
    adjusted_low, adjusted_high
        The interval that is corrected as ``adjusted_p`` is, so that all of the ``family`` hold
        their differences together with the confidence; with "bh" and "by", those of significant
        differences on average. It excludes 0 where ``significant``, or ``legend`` says where not.
        An end that is 0 is not part of it.
    relative, relative_low, relative_high
        The difference as a share of the baseline's mean, with Fieller's interval; NaN if that mean
        is not above 0, and for the ends if it could be 0.
    p, adjusted_p, smallest_p
        p-value; the p-value corrected for the ``family``; the smallest p that these queries and
        resamples can give. NaN if ``undefined`` says why.
    significant
        Whether ``adjusted_p`` is at most the level.
    family
        Number of p-values that were corrected together.
    d_z, d_av, cliffs_delta, probability_of_superiority
        Effect sizes; see ``rankmark.statistics.EffectSize``. NaN with weights.
    wins, ties, losses
        Queries on which the run is better than the baseline, equal, and worse.
    reversible_by
        What could reverse the sign of the difference: "nothing" that was tried, or "ties" (another
        order of tied documents), "unjudged" (judging the unjudged documents), or "ties, unjudged";
        "" if unknown, or if the difference is 0. This says nothing of its significance.
    undefined, warning
        Why there is no p-value, or ""; what to know when reading it, or "".
    slice
        The slice of the queries, or "" for all.
    """

    measure: str
    baseline: str
    run: str
    more_is_better: bool
    baseline_mean: float
    run_mean: float
    n: int
    left_out: int
    difference: float
    low: float
    high: float
    method: str
    adjusted_low: float
    adjusted_high: float
    relative: float
    relative_low: float
    relative_high: float
    p: float
    adjusted_p: float
    smallest_p: float
    significant: bool
    family: int
    d_z: float
    d_av: float
    cliffs_delta: float
    probability_of_superiority: float
    wins: int
    ties: int
    losses: int
    reversible_by: str
    undefined: str
    warning: str
    slice: str = ""

    @property
    def excludes_zero(self) -> bool:
        """Whether the adjusted interval excludes 0."""
        return self.adjusted_low >= 0 or self.adjusted_high <= 0

    @property
    def better(self) -> str | None:
        """The name of the better of the two; None if the means are equal or undefined."""
        if not self.difference or math.isnan(self.difference):
            return None
        return self.run if (self.difference > 0) == self.more_is_better else self.baseline
