"""Whether some order of tied documents, such as that of an unstable sort, may give a number."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark.errors import MeasureError
from rankmark.verbs.reconcile.averages import Scores

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.verbs.reconcile.candidates import Candidates
    from rankmark.verbs.reconcile.targets import Means

_LEAST_WIDTH = 2.0  # units of the last decimal: below, rounding makes the difference


def between_ties(target: Means, candidates: Candidates) -> str:
    """Say that numbers lie between those of the worst and the best order of ties; else nothing.

    The run is also cut at the cutoffs of the measures: a tool may have kept any of the documents
    that tie across the last rank.
    """
    start = candidates.start
    if "ties" in start.known:
        return ""
    cutoffs = {getattr(measure, "k", None) for measure in start.measures}
    for depth in (None, *sorted(k for k in cutoffs if k)):
        if depth is not None and "depth" in start.known:
            continue
        conventions = replace(start.conventions, depth=depth or start.conventions.depth)
        worst = _means(candidates, replace(conventions, ties="worst"))
        best = _means(candidates, replace(conventions, ties="best"))
        if worst is None or best is None:
            continue
        rows = list(zip(target.numbers, worst, best, strict=True))
        within = all(
            min(low, high) - number.unit / 2 <= number.value <= max(low, high) + number.unit / 2
            for number, low, high in rows
        )
        if within and any(abs(high - low) > _LEAST_WIDTH * one.unit for one, low, high in rows):
            shown = ", ".join(
                f"{measure} {low:.{number.decimals}f} to {high:.{number.decimals}f}"
                for measure, (number, low, high) in zip(start.measures, rows, strict=True)
            )
            cut = "" if depth is None else f" of the first {depth:,} documents"
            return (
                f"an order of ties that no convention fixes, such as that of an unstable sort, may "
                f"give this: from the worst to the best order{cut}, {shown}"
            )
    return ""


def _means(candidates: Candidates, conventions: Conventions) -> tuple[float, ...] | None:
    ranking = candidates.rankings.under(conventions)
    if ranking is None:
        return None
    average = candidates.start.average(())
    try:
        if any(ranking.is_slow(measure) for measure in candidates.start.measures):
            return None
        means = tuple(
            Scores(ranking, measure, None).value(average) for measure in candidates.start.measures
        )
    except MeasureError:
        return None
    return means if all(map(math.isfinite, means)) else None
