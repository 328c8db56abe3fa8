"""Decide about a margin from few labels of people and many of a model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.scipy_functions import optimize, special
from rankmark.statistics import reweighting
from rankmark.statistics.label_planning import labels_for_margin
from rankmark.statistics.margin_decision import (
    Ends,
    MarginDecision,
    WithModel,
    decide_margin,
    verdict_of,
)
from rankmark.statistics.margin_power import detectable_margin
from rankmark.statistics.prediction_powered import PredictionPowered, prediction_powered
from rankmark.statistics.query_weights import effective_number
from rankmark.statistics.reweighting import Reweighted, of_mean
from rankmark.statistics.score_arrays import ROUNDING, column, pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Bools, Floats

METHOD = f"{reweighting.METHOD} of both sets of labels"
_FARTHEST = 8.0  # standard deviations, as far as a p-value is looked for
_PRECISE = 1e-10


def decide_with_model(
    baseline: ArrayLike,
    other: ArrayLike,
    model_baseline: ArrayLike,
    model_other: ArrayLike,
    margin: float,
    *,
    better: bool = False,
    more_is_better: bool = True,
    confidence: float = 0.95,
    power: float = 0.8,
    scores_between: tuple[float, float] = (0.0, 1.0),
    max_query_drop: float | None = None,
    probabilities: ArrayLike | None = None,
    gain: float | None = None,
) -> MarginDecision:
    """Decide as ``decide_margin`` from few labels of people and many of a model.

    The difference is that of ``prediction_powered``: the mean of people's differences less lambda
    times the model's where both judged, plus lambda times the model's mean of the others [2]_. For
    its bound, each of the two means has a reweighting bound, and the distances of the two bounds
    from their means are added as the sides of a right angle [1]_.

    Parameters
    ----------
    baseline, other
        (M,) float64, scores of two systems by people's labels; NaN where people did not judge.
    model_baseline, model_other
        (M,) float64, the same by the model's labels; a query without them is left out.
    margin, better, more_is_better, confidence, power, scores_between, max_query_drop, gain
        As for ``decide_margin``. What one query can lose at most is meant by people's labels.
    probabilities
        (M,) with what probability each query was chosen for people; None for a random sample.

    Returns
    -------
    MarginDecision
        ``n``, ``wins``, ``ties`` and ``losses`` count queries that people judged; ``baseline`` and
        ``other`` are estimates of their own, each with the lambda that is best for it.
        ``with_model`` says what the model's labels add. If people judged all queries, this is the
        result of ``decide_margin``.

    Raises
    ------
    InputError
        As ``decide_margin`` and ``prediction_powered``.

    Notes
    -----
    A sample of n queries can lack a share of ``1 - (1 - confidence)^(1/n)`` of all queries. These
    may be the ones that lose everything, and on which the model sees the largest gains. So the
    imagined query of the first bound loses everything by people's labels, and has the mean of the
    largest differences of the model among so large a share of all queries. This widens the bound
    the more of the model's labels it uses, so that it uses less of them than the estimate: as much
    as makes the bound narrowest, and none if people judged few queries.

    References
    ----------
    .. [1] Zou and Donner 2008, Construction of confidence limits about effect measures: a general
       approach, Statistics in Medicine 27(10), pages 1693-1702.
    .. [2] Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient prediction-powered inference,
       arXiv 2311.01453.

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> old, change = rng.uniform(0.3, 0.7, 2000), rng.normal(0, 0.2, 2000).clip(-0.3, 0.3)
    >>> judged = np.arange(2000) < 200
    >>> people = [np.where(judged, one, math.nan) for one in (old, old + change)]
    >>> found = decide_with_model(*people, old, old + 0.8 * change, 0.03)
    >>> found.verdict, found.with_model.people_verdict
    ('holds', 'cannot tell')
    """
    a, b = column("baseline", baseline), column("other", other)
    of_model = pair(model_baseline, model_other)
    if not len(a) == len(b) == len(of_model.kept):
        raise InputError(
            f"people's scores are {len(a):,} and {len(b):,}, and the model's "
            f"{len(of_model.kept):,}",
            "give all for the same queries, in the same order",
        )
    chances = None if probabilities is None else column("probabilities", probabilities)
    sign = 1.0 if more_is_better else -1.0
    of_people = pair(a, b)
    judged = of_people.kept & of_model.kept
    weights = None
    if chances is not None and judged.any():
        of_judged = chances[judged]
        # Without differences between the probabilities, the sample is a random one.
        weights = None if np.ptp(of_judged) <= ROUNDING * of_judged.max() else 1 / of_judged
    alone = decide_margin(
        np.where(judged, a, math.nan),
        np.where(judged, b, math.nan),
        margin,
        better=better,
        more_is_better=more_is_better,
        confidence=confidence,
        power=power,
        gain=gain,
        weights=None if weights is None else _spread_over(weights, judged, 1.0),
        scores_between=scores_between,
        max_query_drop=max_query_drop,
    )
    y, h = of_people.by_query, of_model.by_query
    others = int((of_model.kept & ~judged).sum())
    unknown = WithModel(
        others=others,
        lam=0.0,
        bound_lam=0.0,
        correlation=math.nan,
        effective_n=float(alone.n) if alone.n else math.nan,
        model_estimate=float(of_model.differences.mean()) if of_model.kept.any() else math.nan,
        people_estimate=alone.difference,
        people_low=alone.low,
        people_high=alone.high,
        people_verdict=alone.verdict,
    )
    left_out = int((~of_model.kept).sum())
    alone = replace(alone, with_model=unknown, left_out=left_out)
    if alone.n < 2 or not others or alone.cause != "bound":
        return alone

    def predicted(people: Floats, model: Floats) -> PredictionPowered:
        return prediction_powered(
            people, model, probabilities=chances, confidence=2 * confidence - 1
        )

    result = predicted(y, h)
    means = [
        predicted(people, model).estimate
        for people, model in (
            (np.where(judged, a, math.nan), column("baseline", model_baseline)),
            (np.where(judged, b, math.nan), column("other", model_other)),
        )
    ]
    margin = 0.0 if better else float(margin)
    added = unknown._replace(
        lam=result.lam, correlation=result.correlation, effective_n=result.effective_n
    )
    found = replace(
        alone,
        baseline=means[0],
        other=means[1],
        difference=result.estimate,
        with_model=added,
        method=METHOD,
    )
    if result.lam == 0:  # the model is of no use
        return found
    width = scores_between[1] - scores_between[0]
    most = width if math.isfinite(width) else alone.largest_loss
    y, h, rest = sign * y[judged], sign * h[judged], sign * h[of_model.kept & ~judged]
    level = 1 - confidence
    lower = _Estimate.of(y, h, rest, weights, -alone.largest_loss, -width, level)
    upper = _Estimate.of(-y, -h, -rest, weights, -most, -width, level)
    known = not math.isnan(alone.low + alone.high)
    beyond = Ends(lower.low(level), -upper.low(level) if known else math.nan)
    ends = beyond.turned(sign)
    spread = result.error * math.sqrt(alone.effective)
    loss = max(-lower.worst(level), alone.largest_loss)
    if gain is None:
        gain = sign * result.estimate if better else 0.0
    planned = None
    if weights is None:
        planned = labels_for_margin(
            margin,
            alone.spread,
            result.correlation,
            queries=alone.n + others,
            largest_loss=loss,
            gain=gain,
            confidence=confidence,
            power=power,
        )
    return replace(
        found,
        verdict=verdict_of("bound", beyond, margin),
        low=ends.low,
        high=ends.high,
        p=lower.p(-margin),
        with_model=added._replace(bound_lam=lower.lam),
        spread=spread,
        detectable=detectable_margin(
            alone.effective, spread, loss, confidence=confidence, power=power
        ),
        required=None if planned is None else planned.n,
        required_for_spread=None if planned is None else planned.for_spread,
        required_for_rare=None if planned is None else planned.for_rare,
    )


class _Estimate(NamedTuple):
    """What bounds an estimate from below: the mean of residuals, plus that of the model's labels.

    Attributes
    ----------
    lam
        How much of the model's labels is used.
    residuals
        (n,) float64, people's differences less so much of the model's, where both judged.
    weights
        (n,) of them; None if all count alike.
    least
        The least difference by people's labels.
    highest
        (M,) float64, so much of the model's differences of all queries, the largest first.
    center, model_center
        The two means.
    of_model
        What bounds the second.
    """

    lam: float
    residuals: Floats
    weights: Floats | None
    least: float
    highest: Floats
    center: float
    model_center: float
    of_model: Reweighted

    @classmethod
    def of(
        cls,
        people: Floats,
        judged: Floats,
        others: Floats,
        weights: Floats | None,
        least: float,
        lowest: float,
        level: float,
    ) -> _Estimate:
        """Take differences by people, and by the model of the same queries and of the others."""
        every = np.concatenate([judged, others])
        # With weights, the others are no random part of all queries, so the mean is that of all.
        rest, most = (others, 1.0) if weights is None else (every, len(every) / len(others))
        highest = -np.sort(-every)
        lam = _narrowest(
            people, judged, rest, weights, _largest(highest, weights, len(people), level), level
        )
        lam = min(lam, most)
        residuals = people - lam * judged
        bottom = lam * (lowest if math.isfinite(lowest) else least)
        return cls(
            lam,
            residuals,
            weights,
            least,
            lam * highest,
            float(np.average(residuals, weights=weights)),
            lam * float(rest.mean()),
            of_mean(lam * rest, min(bottom, lam * float(rest.min()))),
        )

    def worst(self, level: float) -> float:
        """Return the residual of the imagined query, which loses what the sample can lack."""
        return self.least - _largest(self.highest, self.weights, len(self.residuals), level)

    def low(self, level: float) -> float:
        """Return the lower bound at a level."""
        worst = min(self.worst(level), float(self.residuals.min()))
        first = self.center - of_mean(self.residuals, worst, self.weights).low(level)
        second = self.model_center - self.of_model.low(level)
        squares = math.copysign(first**2, first) + math.copysign(second**2, second)
        away = math.copysign(math.sqrt(abs(squares)), squares)
        return self.center + self.model_center - away

    def p(self, t: float) -> float:
        """Return the level whose bound is t: the p-value of a mean of at most t."""

        def missed(quantile: float) -> float:
            return self.low(float(special.ndtr(quantile))) - t

        if missed(-_FARTHEST) > 0:
            return float(special.ndtr(-_FARTHEST))
        if missed(_FARTHEST) < 0:
            return 1.0
        found = optimize.brentq(missed, -_FARTHEST, _FARTHEST, xtol=_PRECISE)
        return float(special.ndtr(found))


def _largest(highest: Floats, weights: Floats | None, n: int, level: float) -> float:
    """Return the mean of the largest differences, of the share of queries that a sample can lack.

    Parameters
    ----------
    highest
        (M,) float64, the largest first.
    weights, n
        Of the sample.
    level
        How often the sample may lack so many.
    """
    size = _share_lacking(weights, n, level) * len(highest)
    whole = min(math.floor(size), len(highest) - 1)
    total = float(highest[:whole].sum()) + (size - whole) * float(highest[whole])
    return total / size


def _share_lacking(weights: Floats | None, n: int, level: float) -> float:
    """Return the largest share of queries that a sample lacks as often as a level."""
    effective = n if weights is None else effective_number(weights)
    return -math.expm1(math.log(level) / effective)


def _narrowest(
    people: Floats,
    judged: Floats,
    rest: Floats,
    weights: Floats | None,
    largest: float,
    level: float,
) -> float:
    """Return the lambda for which the bound is nearest to the estimate, by normal quantiles.

    The distance is about ``z sqrt(a - 2 b lambda + c lambda²) + q (loss + lambda largest)``: the
    error of the estimate, and the share of queries that the sample can lack, times what these can
    lose. The first part is smallest at the lambda of PPI++, and the second grows with lambda.
    """
    n = len(people)
    shares = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    y, h = people - shares @ people, judged - shares @ judged
    scale = shares**2 * (n / (n - 1))
    a, b, c = float(scale @ y**2), float(scale @ (y * h)), float(scale @ h**2)
    c += float(rest.var(ddof=1)) / len(rest) if len(rest) > 1 else 0.0
    if not (b > 0 and c > 0):
        return 0.0
    slope = max(_share_lacking(weights, n, level) * largest, 0.0)
    steepest = float(special.ndtri(level)) ** 2 * c - slope**2
    if steepest <= 0:  # the second part grows faster than the first can fall
        return 0.0
    back = slope * math.sqrt(max(a - b * b / c, 0.0) / (c * steepest))
    return min(max(b / c - back, 0.0), 1.0 if weights is None else math.inf)


def _spread_over(values: Floats, rows: Bools, rest: float) -> Floats:
    """Return the values in these rows, and ``rest`` in all others."""
    found = np.full(len(rows), rest)
    found[rows] = values
    return found
