"""Whether a difference is too small to matter: two one-sided tests, and non-inferiority."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankmark.statistics.score_arrays import (
    NO_QUERY,
    above_zero,
    cluster_numbers,
    pair,
    renumbered,
    share,
)
from rankmark.statistics.standard_errors import mean_and_error, spread_unknown, t_distribution

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class MarginTest:
    """A test of whether a difference stays within a margin.

    Parameters
    ----------
    test
        "equivalence" or "non-inferiority".
    null
        The null hypothesis: that the difference is beyond the margin.
    margin
        In units of the scores, above 0.
    difference
        Mean difference, the other minus the baseline; NaN without queries.
    p
        The p-value: at most 1 - confidence if the difference was shown to be within the margin.
        NaN where ``undefined`` says why.
    p_not_worse, p_not_better
        p-values of the two one-sided tests: that the other is worse by the margin or more, and
        that it is better by it or more.
    low, high
        The interval which lies within the margin if and only if p is at most 1 - confidence: of
        confidence 2 * confidence - 1 for equivalence; for non-inferiority it has no upper end.
    confidence
        1 minus the level.
    n, left_out
        Queries with a score from both, and without.
    method
        How p was found.
    clusters
        Number of clusters that the queries belong to, or None.
    undefined
        Why there is no p, or "".
    """

    test: str
    null: str
    margin: float
    difference: float
    p: float
    p_not_worse: float
    p_not_better: float
    low: float
    high: float
    confidence: float
    n: int
    left_out: int
    method: str
    clusters: int | None = None
    undefined: str = ""


def equivalence_test(
    baseline: ArrayLike,
    other: ArrayLike,
    margin: float,
    *,
    confidence: float = 0.95,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
) -> MarginTest:
    """Test whether the mean difference of two systems lies between -margin and margin.

    Two one-sided t tests: the other system is neither worse nor better by the margin or more. If
    an ordinary test finds no difference, that does not show that there is none; this test can.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    margin
        The smallest difference that would matter, in units of the scores, above 0.
    confidence
        1 minus the level.
    clusters
        (n,) what each query belongs to, as ``t_test`` has it.

    Returns
    -------
    MarginTest
        p is the larger of the two one-sided p-values.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or the margin is not above 0.

    References
    ----------
    .. [1] Schuirmann 1987, A comparison of the two one-sided tests procedure and the power approach
       for assessing the equivalence of average bioavailability, Journal of Pharmacokinetics and
       Biopharmaceutics 15(6), pages 657-680.

    Examples
    --------
    >>> found = equivalence_test([0.5, 0.4, 0.6, 0.5, 0.3], [0.5, 0.41, 0.59, 0.51, 0.3], 0.02)
    >>> round(found.p, 4)
    0.0043
    """
    return _tested(baseline, other, margin, confidence, clusters, both_sides=True)


def non_inferiority_test(
    baseline: ArrayLike,
    other: ArrayLike,
    margin: float,
    *,
    confidence: float = 0.95,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
) -> MarginTest:
    """Test whether the other system is worse than the baseline by less than a margin.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    margin
        The smallest loss that would matter, in units of the scores, above 0.
    confidence
        1 minus the level.
    clusters
        (n,) what each query belongs to, as ``t_test`` has it.

    Returns
    -------
    MarginTest
        p is that of a one-sided t test.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or the margin is not above 0.

    References
    ----------
    .. [1] Piaggio et al. 2012, Reporting of noninferiority and equivalence randomized trials,
       Journal of the American Medical Association 308(24), pages 2594-2604.

    Examples
    --------
    >>> found = non_inferiority_test([0.5, 0.4, 0.6, 0.5], [0.5, 0.45, 0.6, 0.52], 0.01)
    >>> round(found.p, 4), round(found.low, 4)
    (0.0512, -0.0103)
    """
    return _tested(baseline, other, margin, confidence, clusters, both_sides=False)


def _tested(
    baseline: ArrayLike,
    other: ArrayLike,
    margin: float,
    confidence: float,
    clusters: Sequence[Hashable] | ArrayLike | None,
    *,
    both_sides: bool,
) -> MarginTest:
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415

    margin, confidence = above_zero("margin", margin), share("confidence", confidence)
    both = pair(baseline, other)
    numbers = renumbered(cluster_numbers(clusters, len(both.kept)), both.kept)
    means, errors, units = mean_and_error(both.differences[:, None], numbers)
    mean, error = float(means[0]), float(errors[0])
    undefined = spread_unknown(units, error, both.differences) if units else NO_QUERY
    worse = better = low = high = math.nan
    if not undefined:
        worse = float(stdtr(units - 1, -(mean + margin) / error))
        better = float(stdtr(units - 1, (mean - margin) / error))
        half = float(stdtrit(units - 1, confidence)) * error
        low, high = mean - half, mean + half if both_sides else math.inf
    return MarginTest(
        test="equivalence" if both_sides else "non-inferiority",
        null=f"the other system is worse by {margin:g} or more"
        + (f", or better by {margin:g} or more" if both_sides else ""),
        margin=margin,
        difference=mean,
        p=max(worse, better) if both_sides else worse,
        p_not_worse=worse,
        p_not_better=better,
        low=low,
        high=high,
        confidence=confidence,
        n=len(both.differences),
        left_out=both.left_out,
        method="" if undefined else t_distribution(units),
        clusters=None if numbers is None else units,
        undefined=undefined,
    )
