"""Decide whether a new system is worse than another by less than a margin, if the data can tell."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import above_zero, one_of, share
from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics import confidence_sequences, reweighting
from rankmark.statistics.confidence_sequences import confidence_sequence
from rankmark.statistics.margin_power import (
    QueriesForMargin,
    detectable_margin,
    queries_for_margin,
)
from rankmark.statistics.query_weights import effective_number, query_weights, scaled_like
from rankmark.statistics.reweighting import (
    number_if_unchanged,
    of_mean,
    of_ratio,
    queries_if_unchanged,
)
from rankmark.statistics.score_arrays import cluster_numbers, pair, renumbered, sums_by_cluster

Verdict = Literal["holds", "does not hold", "cannot tell"]
Unchanged = Literal["decide", "pass"]
Cause = Literal[
    "bound",
    "unchanged",
    "no query",
    "baseline is 0",
    "larger drop",
    "mean changed",
    "no interval",
]

_ROUNDING = 1e-9  # what a score may lie beyond its bounds


@dataclass(frozen=True, slots=True)
class MarginDecision:
    """Whether the mean of another system is above the baseline's minus a margin.

    Parameters
    ----------
    verdict
        "holds": shown, at the level; "does not hold": the contrary was shown, at the same level;
        "cannot tell": neither was shown.
    cause
        What the verdict rests on: the confidence "bound", the policy that "unchanged" runs pass, or
        why there is none: "no query", "baseline is 0" (a relative margin has no meaning), "larger
        drop" (a query lost more than was assumed to be possible, and scores have no bounds), "mean
        changed" (no mean is compatible with all looks of a confidence sequence) or "no interval"
        (an estimate has none).
    n, left_out
        Queries with a score from both, and without.
    wins, ties, losses
        Queries for which the other system is better, the same, and worse.
    baseline, other, difference
        Means, weighted if queries are, and the other's minus the baseline's.
    low, high
        One-sided bounds of the difference, each of the confidence; NaN where there is none.
    margin
        The loss of the mean that is allowed, in units of the scores.
    relative, relative_low, relative_high
        The difference over the baseline's mean, and its one-sided bounds; NaN unless the margin is
        relative.
    p
        p-value of the null hypothesis that the loss is at least the margin; NaN where the bounds
        give none.
    smallest_margin
        The smallest loss that so many queries could rule out if no score changed, known before any
        difference is read. With a smaller margin, the gate can hold only if the other system is
        seen to be better.
    effective
        How many queries of equal weight, or clusters of equal size, these are worth.
    spread
        Standard deviation of the differences of queries, as many as ``effective`` of which have a
        mean with the standard error of theirs; NaN if unknown.
    largest_loss
        The most that one query can lose: as assumed, or the width of the range of scores.
    assumed
        Whether ``largest_loss`` is an assumption about these systems.
    beyond_drop
        The number of the query that lost most, if that is more than was assumed, so that the
        assumption was dropped; None if none did.
    detectable
        The smallest margin that so many queries would show with the power if the systems were
        equally good; NaN if unknown.
    required, required_for_spread, required_for_rare
        Queries that would show with the power that the margin holds, if the systems are equally
        good, or that the other is better, if it is by as much as observed, or by the ``gain`` asked
        about; and the parts of this
        number that the spread of differences and the possibility of rare losses account for. None
        if unknown.
    required_if_unchanged
        Queries that can show the margin if no score changes; None if no number can.
    confidence, power
        As asked.
    clusters
        Number of clusters that the queries belong to, or None.
    method
        How the bounds were found.
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
    smallest_margin: float
    effective: float
    spread: float
    largest_loss: float
    assumed: bool
    beyond_drop: int | None
    detectable: float
    required: int | None
    required_for_spread: int | None
    required_for_rare: int | None
    required_if_unchanged: int | None
    confidence: float
    power: float
    clusters: int | None = None
    method: str = reweighting.METHOD


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
    weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    largest: float | None = None,
    scores_between: tuple[float, float] = (0.0, 1.0),
    max_query_drop: float | None = None,
    unchanged: Unchanged = "decide",
    anytime: bool = False,
    gain: float | None = None,
) -> MarginDecision:
    """Decide whether another system is not worse than the baseline by a margin, or better.

    The margin holds if a one-sided lower bound of the mean difference lies above it, and does not
    hold if the bound on the other side lies below it. Both are reweighting bounds [1]_: they allow
    for rare losses that a sample need not contain.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    margin
        The loss that is allowed, at least 0, in units of the scores, or a share of the baseline's
        mean if ``relative``.
    relative
        The null hypothesis is then that mean(other) is at most (1 - margin) mean(baseline).
    better
        Ask for a gain instead; the margin is then 0, whatever is given.
    more_is_better
        Whether a higher score is better; if not, a rise is a loss.
    confidence
        Of each bound; above 0.5.
    power
        The power for ``detectable`` and ``required``.
    weights
        (n,) how much each query counts, from 0; a query of weight 0 is left out.
    clusters
        (n,) what each query belongs to, as ``t_test`` has it.
    largest
        The weight of the heaviest query of the population, or the size of its largest cluster, as
        ``reweighting.lower_bound`` has it.
    scores_between
        The lowest and the highest score possible, which may be infinite.
    max_query_drop
        The most that one query can lose, if that is known to be less than the range of scores; it
        is needed if that range is infinite, and is then also the most that one can gain. If a query
        lost more, the range is taken instead.
    unchanged
        What to decide if no score differs: "decide" by the bound, or "pass" by policy.
    anytime
        Whether to take the bounds of a confidence sequence, which are valid however often you look
        as queries come in, in this order.
    gain
        How much better the other system is taken to be in truth, for ``required``; None for as much
        as observed if ``better``, else for not at all.

    Returns
    -------
    MarginDecision
        The verdict, what it rests on, and what these queries could have shown.

    References
    ----------
    .. [1] Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean
       of a nonnegative variable, Mathematical Methods of Statistics 14(4), pages 451-467.
    .. [2] Piaggio et al. 2012, Reporting of noninferiority and equivalence randomized trials,
       Journal of the American Medical Association 308(24), pages 2594-2604.

    Examples
    --------
    >>> old = [0.5, 0.4, 0.6, 0.5, 0.3, 0.7] * 20
    >>> decide_margin(old, [0.5, 0.41, 0.59, 0.51, 0.3, 0.7] * 20, 0.05).verdict
    'holds'
    >>> decide_margin(old, [0.4, 0.2, 0.9, 0.4, 0.3, 0.6] * 20, 0.05).verdict
    'cannot tell'
    """
    confidence, power = share("confidence", confidence), share("power", power)
    if confidence <= 0.5:
        raise InputError(f"confidence is {confidence:g}", "need more than 0.5")
    if not 0 <= margin < math.inf or (relative and margin >= 1):
        raise InputError(f"margin is {margin:g}", "need at least 0, and a share below 1")
    one_of("unchanged", unchanged, "decide", "pass")
    margin, relative = (0.0, False) if better else (float(margin), relative)
    if anytime and (relative or clusters is not None or weights is not None):
        what = "a relative margin has" if relative else "weights and clusters have"
        raise InputError(f"{what} no confidence sequence here", "leave one of the two out")
    given = _given(baseline, other, weights, clusters, largest, more_is_better=more_is_better)
    limits = _limits(given, scores_between, max_query_drop)
    level, n = 1 - confidence, len(given.d)
    ends, p = Ends(math.nan, math.nan), math.nan
    ratio = Ends(math.nan, math.nan)
    cause: Cause = "bound"
    if not n:
        cause = "no query"
    elif anytime:
        sequence = confidence_sequence(given.d, (-limits.loss, limits.gain), 2 * confidence - 1)
        ends = Ends(sequence.low, sequence.high)
        cause = "mean changed" if sequence.undefined else "bound"
    elif not math.isfinite(limits.loss):
        cause = "larger drop"
    else:
        lower = of_mean(given.d, -limits.loss, *given.units_of)
        upper = of_mean(-given.d, -limits.gain, *given.units_of)
        high = -upper.low(level) if math.isfinite(limits.gain) else math.nan
        ends, p = Ends(lower.low(level), high), lower.p(-margin)
    beyond = ends  # of what must lie above -margin
    if relative and cause == "bound":
        if not given.a.any():
            cause, p = "baseline is 0", math.nan
        else:
            ratio, p = _ratio(given, limits, scores_between[0], level, margin)
            beyond = ratio.turned(given.sign)
    if cause == "bound" and unchanged == "pass" and not better and not given.d.any():
        cause = "unchanged"
    difference = ends.turned(given.sign)
    allowed = margin * given.mean(given.a) if relative else margin
    smallest = given.smallest_margin(limits.loss, level)
    if gain is None:
        gain = given.mean(given.d) if better else 0.0
    planned, if_unchanged = _required(
        given, allowed, smallest, limits.loss, gain=gain, confidence=confidence, power=power
    )
    return MarginDecision(
        verdict=verdict_of(cause, beyond, margin),
        cause=cause,
        n=n,
        left_out=given.left_out,
        wins=int(np.sum(given.d > 0)),
        ties=int(np.sum(given.d == 0)),
        losses=int(np.sum(given.d < 0)),
        baseline=given.mean(given.a),
        other=given.mean(given.b),
        difference=given.sign * given.mean(given.d),
        low=difference.low,
        high=difference.high,
        margin=allowed,
        relative=given.mean(given.b) / given.mean(given.a) - 1
        if relative and cause != "baseline is 0"
        else math.nan,
        relative_low=ratio.low,
        relative_high=ratio.high,
        p=p,
        smallest_margin=smallest,
        effective=given.effective,
        spread=given.spread,
        largest_loss=limits.loss,
        assumed=limits.assumed,
        beyond_drop=limits.beyond,
        detectable=detectable_margin(
            given.effective, given.spread, limits.loss, confidence=confidence, power=power
        ),
        required=None if planned is None else planned.n,
        required_for_spread=None if planned is None else planned.for_spread,
        required_for_rare=None if planned is None else planned.for_rare,
        required_if_unchanged=if_unchanged,
        confidence=confidence,
        power=power,
        clusters=given.units if given.clusters is not None else None,
        method=confidence_sequences.METHOD if anytime else reweighting.METHOD,
    )


class Ends(NamedTuple):
    """The ends of an interval, each one-sided; NaN where there is none."""

    low: float
    high: float

    def turned(self, sign: float) -> Ends:
        """Return the ends as they are, or those of the opposite number."""
        return self if sign > 0 else Ends(-self.high, -self.low)


class _Limits(NamedTuple):
    """What one query can lose and gain at most.

    ``assumed`` says whether the loss is an assumption, and ``beyond`` is the number of a query
    that lost more than was assumed, or None.
    """

    loss: float
    gain: float
    assumed: bool
    beyond: int | None


class _Given(NamedTuple):
    """The queries with scores from both; ``d`` is above 0 where the other system is better.

    ``largest`` is the size of the largest unit of the population, None for the largest of these.
    """

    a: Floats
    b: Floats
    d: Floats
    weights: Floats | None
    clusters: Ints | None
    largest: float | None
    rows: Ints
    left_out: int
    sign: float

    def mean(self, values: Floats) -> float:
        if not len(values):
            return math.nan
        return float(np.average(values, weights=self.weights))

    @property
    def units_of(self) -> tuple[Floats | None, Ints | None, float | None]:
        """What ``of_mean`` and ``of_ratio`` make units of."""
        return self.weights, self.clusters, self.largest

    @property
    def units(self) -> int:
        return len(self.d) if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    def _sums(self, values: Floats) -> Floats:
        weighted = values if self.weights is None else values * self.weights
        if self.clusters is None:
            return weighted
        return sums_by_cluster(weighted[:, None], self.clusters)[:, 0]

    @property
    def effective(self) -> float:
        """How many queries, or clusters, of equal weight these are worth."""
        return effective_number(self._sums(np.ones(len(self.d)))) if len(self.d) else 0.0

    def smallest_margin(self, loss: float, level: float) -> float:
        """Return the loss that these queries rule out if no score changes."""
        if not len(self.d) or not math.isfinite(loss):
            return math.nan
        return -of_mean(np.zeros(len(self.d)), -loss, *self.units_of).low(level)

    @property
    def spread(self) -> float:
        """The standard deviation of one of so many queries; NaN if it is unknown."""
        if self.units < 2:
            return math.nan
        sizes = self._sums(np.ones(len(self.d)))
        residuals = self._sums(self.d - self.mean(self.d)) / sizes.sum()
        variance = float(residuals @ residuals) * self.units / (self.units - 1)
        return math.sqrt(variance * self.effective)


def _given(
    baseline: ArrayLike,
    other: ArrayLike,
    weights: ArrayLike | None,
    clusters: Sequence[Hashable] | ArrayLike | None,
    largest: float | None,
    *,
    more_is_better: bool,
) -> _Given:
    both = pair(baseline, other)
    each = query_weights(weights, len(both.kept))
    numbers = cluster_numbers(clusters, len(both.kept))
    a, b, d, kept = both.baseline, both.other, both.differences, both.kept
    if each is not None:
        counted = each[kept] > 0
        a, b, d = a[counted], b[counted], d[counted]
        kept = kept & (each > 0)
    sign = 1.0 if more_is_better else -1.0
    return _Given(
        a,
        b,
        sign * d,
        None if each is None else each[kept],
        renumbered(numbers, kept),
        scaled_like(weights, largest),
        np.flatnonzero(kept),
        both.left_out,
        sign,
    )


def _limits(given: _Given, between: tuple[float, float], max_query_drop: float | None) -> _Limits:
    low, high = between
    scores = np.concatenate((given.a, given.b))
    outside = scores[(scores < low - _ROUNDING) | (scores > high + _ROUNDING)]
    if len(outside):
        raise InputError(
            f"a score is {outside[0]:g}, which is not between {low:g} and {high:g}",
            "give the lowest and the highest score possible",
        )
    width = high - low
    if max_query_drop is None:
        if not math.isfinite(width):
            raise InputError(
                f"scores between {low:g} and {high:g} have no largest drop, and without one no "
                "bound of a mean is valid",
                "give max_query_drop, the most that one query can lose",
            )
        return _Limits(width, width, assumed=False, beyond=None)
    drop = min(above_zero("max_query_drop", max_query_drop), width)
    most = drop if not math.isfinite(width) else width
    if not len(given.d) or given.d.min() >= -drop - _ROUNDING:
        gain = most if not len(given.d) or given.d.max() <= most + _ROUNDING else math.inf
        return _Limits(drop, gain, assumed=drop < width, beyond=None)
    return _Limits(width, width, assumed=False, beyond=int(given.rows[given.d.argmin()]))


def _required(
    given: _Given,
    margin: float,
    smallest_margin: float,
    loss: float,
    *,
    gain: float,
    confidence: float,
    power: float,
) -> tuple[QueriesForMargin | None, int | None]:
    """Return the queries that show the margin, and those that do if no score changes."""
    planned = queries_for_margin(
        margin, given.spread, loss, gain=gain, confidence=confidence, power=power
    )
    unchanged = queries_if_unchanged(margin, confidence, loss)
    n = len(given.d)
    if not n or not math.isfinite(loss):
        return planned, unchanged
    # How many of these queries are worth one, for the spread and for rare losses.
    worth = n / number_if_unchanged(smallest_margin, confidence, loss)
    return (
        None if planned is None else planned.times(n / given.effective, worth),
        None if unchanged is None else math.ceil(unchanged * worth - 1e-9),
    )


def _ratio(
    given: _Given, limits: _Limits, lowest: float, level: float, margin: float
) -> tuple[Ends, float]:
    """Return bounds of the other's mean over the baseline's, less 1, and the p-value at the margin.

    The imagined query of each bound has the lowest score from one of the two systems, and from the
    other the highest that is possible then.
    """
    down, up = (limits.loss, limits.gain) if given.sign > 0 else (limits.gain, limits.loss)
    lower = of_ratio(given.b, given.a, (lowest, lowest + down), *given.units_of)
    upper = of_ratio(-given.b, given.a, (-lowest - up, lowest), *given.units_of)
    low = lower.low(level) - 1 if math.isfinite(down) else math.nan
    high = -upper.low(level) - 1 if math.isfinite(up) else math.nan
    p = lower.p(1 - margin) if given.sign > 0 else upper.p(-1 - margin)
    return Ends(low, high), p


def verdict_of(cause: Cause, ends: Ends, margin: float) -> Verdict:
    """Return the verdict of the bounds of what must lie above minus the margin."""
    if cause == "unchanged":
        return "holds"
    if cause != "bound":
        return "cannot tell"
    return (
        "holds" if ends.low > -margin else "does not hold" if ends.high < -margin else "cannot tell"
    )
