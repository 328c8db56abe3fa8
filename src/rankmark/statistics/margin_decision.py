"""Decide whether a new system is worse than another by less than a margin, if the data can tell."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.errors import InputError
from rankmark.statistics.confidence_intervals import mean_interval
from rankmark.statistics.confidence_sequences import confidence_sequence
from rankmark.statistics.mean_tests import t_test
from rankmark.statistics.power import detectable_difference, required_queries
from rankmark.statistics.relative_differences import relative_interval
from rankmark.statistics.score_arrays import cluster_numbers, pair, renumbered, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Floats

Verdict = Literal["holds", "does not hold", "cannot tell"]
Cause = Literal[
    "bound",
    "nothing differs",
    "one value",
    "no query",
    "few queries",
    "baseline near 0",
    "mean changed",
]


@dataclass(frozen=True, slots=True)
class MarginDecision:
    """Whether the mean of another system is above the baseline's minus a margin.

    Parameters
    ----------
    verdict
        "holds": shown, at the level; "does not hold": the contrary was shown, at the same level;
        "cannot tell": neither was shown.
    cause
        What the verdict rests on: the confidence "bound", "nothing differs", "one value" (all
        differences are the same), or why there is none: "no query", "few queries" (no p-value of
        signs could be small enough), "baseline near 0" (a relative margin has no meaning) or "mean
        changed" (no mean is compatible with all looks of a confidence sequence).
    n, left_out
        Queries with a score from both, and without.
    wins, ties, losses
        Queries for which the other system is better, the same, and worse.
    baseline, other, difference
        Means, and the other's minus the baseline's.
    low, high
        One-sided bounds of the difference, each of the confidence; NaN where there is none.
    margin
        The loss of the mean that is allowed, in units of the scores.
    relative, relative_low, relative_high
        The difference over the baseline's mean, and its one-sided bounds by Fieller's theorem; NaN
        unless the margin is relative.
    p, smallest_p
        p-value of the null hypothesis that the loss is at least the margin, and the smallest that a
        sign test of so many queries could give.
    detectable
        The smallest loss or gain that these queries show with the power; NaN if unknown.
    required
        Queries that would show with the power that the margin holds, if the systems are alike; or
        that the other is better, if it is by as much as observed. None if unknown.
    enough_for_p
        The fewest queries with which any p-value can be small enough.
    confidence, power
        As asked.
    clusters
        Number of clusters that the queries belong to, or None.
    """

    verdict: Verdict
    cause: Cause
    n: int
    left_out: int
    wins: int
    ties: int
    losses: int
    baseline: float
    other: float
    difference: float
    low: float
    high: float
    margin: float
    relative: float
    relative_low: float
    relative_high: float
    p: float
    smallest_p: float
    detectable: float
    required: int | None
    enough_for_p: int
    confidence: float
    power: float
    clusters: int | None = None


def decide_margin(
    baseline: ArrayLike,
    other: ArrayLike,
    margin: float,
    *,
    relative: bool = False,
    better: bool = False,
    more_is_better: bool = True,
    confidence: float = 0.95,
    power: float = 0.8,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    scores_between: tuple[float, float] | None = None,
) -> MarginDecision:
    """Decide whether another system is not worse than the baseline by a margin, or better.

    The margin holds if a one-sided t bound of the mean difference lies above it, and does not hold
    if the bound on the other side lies below it. If there are so few queries that
    no p-value of a sign test could be small enough, nothing is decided.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    margin
        The loss that is allowed, at least 0, in units of the scores, or a share of the baseline's
        mean if ``relative``.
    relative
        The null hypothesis is then that mean(other) is at most (1 - margin) mean(baseline), which
        is one about the mean of a weighted difference, as in Fieller's theorem.
    better
        Ask for a gain instead; the margin is then 0, whatever is given.
    more_is_better
        Whether a higher score is better; if not, a rise is a loss.
    confidence
        Of each bound; above 0.5.
    power
        The power for ``detectable`` and ``required``.
    clusters
        (n,) what each query belongs to, as ``t_test`` has it.
    scores_between
        The lowest and the highest score possible: the bounds are then those of a confidence
        sequence, which are valid however often you look as queries come in.

    Returns
    -------
    MarginDecision
        The verdict, what it rests on, and what these queries could have shown.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or an option is invalid.

    References
    ----------
    .. [1] Piaggio et al. 2012, Reporting of noninferiority and equivalence randomized trials,
       Journal of the American Medical Association 308(24), pages 2594-2604.
    .. [2] Fieller 1954, Some problems in interval estimation, Journal of the Royal Statistical
       Society B 16(2), pages 175-185.

    Examples
    --------
    >>> old = [0.5, 0.4, 0.6, 0.5, 0.3, 0.7]
    >>> decide_margin(old, [0.5, 0.41, 0.59, 0.51, 0.3, 0.7], 0.02).verdict
    'holds'
    >>> decide_margin(old, [0.4, 0.2, 0.9, 0.4, 0.3, 0.6], 0.02).verdict
    'cannot tell'
    """
    confidence, power = share("confidence", confidence), share("power", power)
    if confidence <= 0.5:
        raise InputError(f"confidence is {confidence:g}", "need more than 0.5")
    if not 0 <= margin < math.inf or (relative and margin >= 1):
        raise InputError(f"margin is {margin:g}", "need at least 0, and a share below 1")
    margin, relative = (0.0, False) if better else (margin, relative)
    both = pair(baseline, other)
    numbers = renumbered(cluster_numbers(clusters, len(both.kept)), both.kept)
    sign = 1.0 if more_is_better else -1.0
    a, d = both.baseline, sign * both.differences
    beyond = d + (margin * a if relative else margin)  # above 0 where the margin holds
    n, level = len(d), 1 - confidence
    units = None if numbers is None else int(numbers.max(initial=-1)) + 1
    signs = int(np.count_nonzero(beyond)) if units is None else units
    two_sided = 2 * confidence - 1
    allowed = float(margin * a.mean()) if relative and n else float(margin)
    if scores_between is None:
        bounds = mean_interval(beyond, method="t", confidence=two_sided, clusters=numbers)
        # The bounds of ``beyond`` are not those of the difference if the margin is relative.
        of_d = mean_interval(d, method="t", confidence=two_sided, clusters=numbers)
        cause = _cause(d, n if units is None else units, signs, level, bounds.undefined)
        low, high, ends = bounds.low, bounds.high, (of_d.low, of_d.high)
    else:
        if numbers is not None or relative:
            what = "a relative margin has" if relative else "clusters have"
            raise InputError(f"{what} no confidence sequence here", "leave one of the two out")
        width = scores_between[1] - scores_between[0]
        sequence = confidence_sequence(d, (-width, width), two_sided)
        ends = sequence.low, sequence.high
        low, high = sequence.low + margin, sequence.high + margin
        # Also where nothing differs: few queries leave wide bounds, and their signs say nothing.
        cause = "no query" if not n else "mean changed" if sequence.undefined else "bound"
    ratio = None
    if relative:
        ratio = relative_interval(a, both.other, confidence=two_sided)
        if cause == "bound" and (ratio.undefined or a.mean() <= 0):
            cause = "baseline near 0"
    # What could be detected is known for t bounds of independent queries.
    plain = n > 1 and numbers is None and scores_between is None
    spread = float(beyond.std(ddof=1)) if plain else math.nan
    gain = allowed if margin else (float(d.mean()) if n else math.nan)
    return MarginDecision(
        verdict=_verdict(cause, beyond, low, high, better=better),
        cause=cause,
        n=n,
        left_out=both.left_out,
        wins=int(np.sum(d > 0)),
        ties=int(np.sum(d == 0)),
        losses=int(np.sum(d < 0)),
        baseline=float(a.mean()) if n else math.nan,
        other=float(both.other.mean()) if n else math.nan,
        difference=float(both.differences.mean()) if n else math.nan,
        low=min(sign * ends[0], sign * ends[1]),
        high=max(sign * ends[0], sign * ends[1]),
        margin=allowed,
        relative=math.nan if ratio is None else ratio.estimate,
        relative_low=math.nan if ratio is None else ratio.low,
        relative_high=math.nan if ratio is None else ratio.high,
        p=math.nan if scores_between is not None else _p(cause, beyond, numbers),
        smallest_p=math.ldexp(1.0, -signs),
        detectable=_detectable(spread, n, power, level),
        required=_required(gain, spread, power, level),
        enough_for_p=math.ceil(-math.log2(level) - 1e-9),
        confidence=confidence,
        power=power,
        clusters=units,
    )


def _cause(d: Floats, units: int, signs: int, level: float, undefined: str) -> Cause:
    if not len(d):
        return "no query"
    alike = not d.any()
    if math.ldexp(1.0, -(units if alike else signs)) > level * (1 + 1e-9):
        return "few queries"
    if alike:
        return "nothing differs"
    return "one value" if undefined else "bound"


def _verdict(cause: Cause, beyond: Floats, low: float, high: float, *, better: bool) -> Verdict:
    if cause == "nothing differs":
        return "does not hold" if better else "holds"
    if cause == "one value":
        return "holds" if beyond[0] > 0 else "does not hold"
    if cause != "bound":
        return "cannot tell"
    return "holds" if low > 0 else "does not hold" if high < 0 else "cannot tell"


def _p(cause: Cause, beyond: Floats, clusters: object) -> float:
    if cause in {"no query", "baseline near 0"}:
        return math.nan
    found = t_test(np.zeros(len(beyond)), beyond, alternative="greater", clusters=clusters)  # type: ignore[arg-type]
    if not found.undefined:
        return found.p
    # All are the same: of all signs, none is more extreme than that observed.
    return math.ldexp(1.0, -len(beyond)) if beyond[0] > 0 else 1.0


def _detectable(spread: float, n: int, power: float, level: float) -> float:
    if not spread > 0 or 2 * level >= power:
        return math.nan
    return detectable_difference(spread, n, power=power, level=2 * level).difference


def _required(gain: float, spread: float, power: float, level: float) -> int | None:
    if not spread > 0 or not gain > 0 or 2 * level >= power:
        return None
    try:
        return required_queries(gain, spread, power=power, level=2 * level).n
    except InputError:  # more than a billion
        return None
