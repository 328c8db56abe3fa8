"""Whether ties or unjudged documents could reverse a difference of means."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from rankmark.errors import RankmarkError

if TYPE_CHECKING:
    from rankmark.verbs.compare.run_difference import RunDifference
    from rankmark.verbs.evaluate.evaluation import Evaluation

NOTHING = "nothing"
"""What could reverse a difference if nothing that was tried could."""

Intervals = dict[str, tuple[float, float]] | None


def reversals(
    evaluations: Mapping[str, Evaluation], *, with_bounds: bool
) -> Callable[[RunDifference], str]:
    """Return a function that says what could reverse a difference.

    The means of the two runs are varied independently, each within its interval over orders of
    ties, or over judgments of unjudged documents. A document that both retrieved would change both
    means the same way, so a difference that they could reverse may still never be reversed.

    Parameters
    ----------
    with_bounds
        Whether to judge the unjudged documents too, which takes longer.
    """

    @cache
    def ties_of(run: str) -> Intervals:
        try:
            return evaluations[run].tie_interval
        except RankmarkError:  # data has changed or is gone, or measures have no such interval
            return None

    @cache
    def bounds_of(run: str) -> Intervals:
        try:
            return evaluations[run]._known_bounds
        except RankmarkError:
            return None

    def reversible_by(one: RunDifference) -> str:
        if not one.difference or math.isnan(one.difference):
            return ""
        sources = {"ties": ties_of} | ({"unjudged": bounds_of} if with_bounds else {})
        reversing = []
        for name, intervals_of in sources.items():
            baseline, run = intervals_of(one.baseline), intervals_of(one.run)
            if baseline is None or run is None or one.measure not in run:
                return ""
            if _can_reverse(one, baseline[one.measure], run[one.measure]):
                reversing.append(name)
        return ", ".join(reversing) or NOTHING

    return reversible_by


def _can_reverse(
    one: RunDifference, baseline: tuple[float, float], run: tuple[float, float]
) -> bool:
    if one.difference > 0:
        return run[0] <= baseline[1]
    return run[1] >= baseline[0]
