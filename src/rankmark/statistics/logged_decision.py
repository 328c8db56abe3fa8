"""Decide about logged queries, few of which have judgments, from those that changed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark.errors import InputError
from rankmark.statistics import reweighting
from rankmark.statistics.margin_decision import Ends, MarginDecision, decide_margin, verdict_of
from rankmark.statistics.score_arrays import share
from rankmark.statistics.shares import clopper_pearson

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_FOR_SHARE = 0.1  # of the error that is allowed, for the share of queries that changed


def decide_logged(
    baseline: ArrayLike,
    other: ArrayLike,
    margin: float,
    *,
    logged: int,
    changed: int,
    better: bool = False,
    more_is_better: bool = True,
    confidence: float = 0.95,
    power: float = 0.8,
    scores_between: tuple[float, float] = (0.0, 1.0),
    max_query_drop: float | None = None,
) -> MarginDecision:
    """Decide as ``decide_margin`` about logged queries, few of which have judgments.

    Where both systems rank the same documents to the depth of the measure, the difference is 0
    whatever the judgments. So the mean difference is the share of queries that changed times the
    mean difference of these, and only these have to be judged, or some of them drawn by chance.

    Parameters
    ----------
    baseline, other
        (n,) float64, the scores of changed queries that were drawn by chance and judged. None of
        them may be chosen for any other reason, such as that judgments exist.
    margin, better, more_is_better, confidence, power, scores_between, max_query_drop
        As for ``decide_margin``; the margin is that of all logged queries.
    logged, changed
        Number of logged queries, themselves a sample, and how many of them changed.

    Returns
    -------
    MarginDecision
        ``difference`` is that of all logged queries; ``baseline``, ``other``, the p-value and the
        numbers of queries required are unknown.

    Raises
    ------
    InputError
        As ``decide_margin``; or if more queries changed, or were judged, than there are.

    Notes
    -----
    A tenth of the error that is allowed is spent on the bound of the share (Clopper and Pearson),
    the rest on the reweighting bound of the mean of changed queries, so that both hold together
    (Bonferroni's inequality). Which end of the share matters depends on the sign of the mean
    alone, so that only one of them can err.

    Examples
    --------
    >>> decide_logged([], [], 0.01, logged=2000, changed=0).verdict
    'holds'
    >>> few = decide_logged([0.5] * 50, [0.5] * 48 + [0.3, 0.6], 0.01, logged=2000, changed=100)
    >>> few.verdict, round(few.low, 4), round(few.difference, 5)
    ('holds', -0.004, -0.0001)
    """
    if not 0 <= changed <= logged or logged < 1:
        raise InputError(
            f"{changed:,} of {logged:,} queries changed", "need no more than there are"
        )
    level = 1 - share("confidence", confidence)
    of_changed = decide_margin(
        baseline,
        other,
        0.0,
        better=True,
        more_is_better=more_is_better,
        confidence=1 - (1 - _FOR_SHARE) * level,
        power=power,
        scores_between=scores_between,
        max_query_drop=max_query_drop,
    )
    if of_changed.n > changed:
        raise InputError(
            f"{of_changed.n:,} judged queries, and only {changed:,} changed",
            "give queries that changed",
        )
    if not math.isfinite(of_changed.largest_loss):
        return replace(of_changed, logged=logged, changed=changed)
    sign = 1.0 if more_is_better else -1.0
    mean = Ends(-of_changed.largest_loss, _largest_gain(scores_between, of_changed.largest_loss))
    if of_changed.n:
        mean = Ends(of_changed.low, of_changed.high).turned(sign)
    fewest, most = clopper_pearson(changed, logged, _FOR_SHARE * level)
    ends = Ends(
        mean.low * (most if mean.low < 0 else fewest),
        mean.high * (most if mean.high > 0 else fewest),
    )
    margin = 0.0 if better else margin
    difference = ends.turned(sign)
    return replace(
        of_changed,
        verdict=verdict_of("bound", ends, margin),
        cause="bound",
        baseline=math.nan,
        other=math.nan,
        difference=of_changed.difference * changed / logged if changed else 0.0,
        low=difference.low,
        high=difference.high,
        margin=margin,
        p=math.nan,
        smallest_margin=of_changed.largest_loss * clopper_pearson(0, logged, _FOR_SHARE * level)[1],
        effective=float(logged),
        detectable=math.nan,
        required=None,
        required_for_spread=None,
        required_for_rare=None,
        required_if_unchanged=None,
        confidence=confidence,
        logged=logged,
        changed=changed,
        method=f"{reweighting.METHOD} of changed queries, Clopper and Pearson of their share",
    )


def _largest_gain(between: tuple[float, float], loss: float) -> float:
    width = between[1] - between[0]
    return width if math.isfinite(width) else loss
