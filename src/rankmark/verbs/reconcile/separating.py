"""Which other number would tell answers apart that give the same numbers with as many changes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import Conventions
from rankmark.errors import InputError, MeasureError
from rankmark.measures import AP, RR, P, R, Success, nDCG
from rankmark.verbs.reconcile.averages import Scores
from rankmark.verbs.reconcile.candidates import Start
from rankmark.verbs.reconcile.certainty import Separation
from rankmark.verbs.reconcile.search import Found
from rankmark.verbs.reconcile.tools import ToolNumbers, meant_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.reconcile.candidates import Candidates, Changes

_ANSWERS = 10
_MEASURES: tuple[Measure, ...] = (
    AP, RR, nDCG @ 10, P @ 10, R @ 100, nDCG, AP @ 10, RR @ 10, P @ 5, R @ 10, Success @ 5,
)  # fmt: skip
"""Those that are often printed together, the most usual first."""


_OTHER_JUDGMENTS = frozenset({"subtopics", "preferences", "anywhere"})


class _Seen(NamedTuple):
    """The values of one measure under several answers.

    Parameters
    ----------
    means
        (n_answers,) float64.
    of_queries
        (n_answers, Q) float64, NaN where a query is not averaged.
    """

    means: Floats
    of_queries: Floats


def separation(
    several: Sequence[Found | ToolNumbers],
    candidates: Candidates,
    subset: Bools | None,
    decimals: int,
    given: Sequence[int] | None,
) -> Separation | None:
    """Return the number that tells most of some answers apart; None if there is none.

    The mean of another measure is preferred to the value of a query, as it is printed more often.

    Parameters
    ----------
    several
        What gives the numbers, each with as many changes.
    decimals
        Of the number that is to tell them apart.
    given
        The rows of queries whose numbers are known; None if means are known.
    """
    several = several[:_ANSWERS]
    asked = candidates.start.measures
    # Of measures over subtopics and preferences, others have no judgments.
    others = [one for one in _MEASURES if one not in asked] if _plain(asked) else []
    best: tuple[int, Measure, str | None, Floats] | None = None
    for measure in others:
        seen = _seen(several, measure, candidates, subset)
        apart = 0 if seen is None else _different(seen.means, decimals)
        if seen is not None and apart > max(1, best[0] if best else 1):
            best = apart, measure, None, seen.means
    if best is None or best[0] < len(several):
        seen = _seen(several, asked[0], candidates, subset)
        if seen is not None and (query := _query(seen.of_queries, decimals, given)) is not None:
            values = seen.of_queries[:, query]
            apart = _different(values, decimals)
            if apart > (best[0] if best else 1):
                best = apart, asked[0], candidates.rankings.qrels.query_ids[query], values
    if best is None:
        return None
    _, measure, asked_query, values = best
    expected = tuple(None if math.isnan(value) else value for value in values.tolist())
    first = several[0]
    number = first.number if isinstance(first, Found) else 1
    return Separation(number, str(measure), asked_query, expected)


def _plain(measures: Sequence[Measure]) -> bool:
    return all(measure.depends_on not in _OTHER_JUDGMENTS for measure in measures)


def _query(of_queries: Floats, decimals: int, given: Sequence[int] | None) -> int | None:
    """Return the query with most different numbers, and of those the greatest differences."""
    numbers = np.where(np.isnan(of_queries), -1.0, np.round(of_queries, decimals))
    sorted_ = np.sort(numbers, axis=0)
    different = 1 + np.count_nonzero(np.diff(sorted_, axis=0) != 0, axis=0)
    if given is not None:
        different[list(given)] = 1
    if not len(different) or different.max() < 2:
        return None
    spread = sorted_[-1] - sorted_[0]
    return int(np.lexsort((-spread, -different))[0])


def _different(values: Floats, decimals: int) -> int:
    shown = np.where(np.isnan(values), -1.0, np.round(values, decimals))
    return len(np.unique(shown))


def _seen(
    several: Sequence[Found | ToolNumbers],
    measure: Measure,
    candidates: Candidates,
    subset: Bools | None,
) -> _Seen | None:
    """Compute a measure under each answer; None if some answer does not allow it."""
    means, of_queries = [], []
    for source in several:
        start, changes = _conventions(source, measure, candidates)
        ranking = candidates.rankings.under(start.documents(changes), start.order(changes))
        if ranking is None:
            return None
        (changed,) = start.changed(changes)
        if ranking.is_slow(changed):
            return None
        average = start.average(changes)
        try:
            scores = Scores(ranking, changed, subset)
            means.append(scores.value(average))
        except MeasureError:
            return None
        rows = scores.rows(average)
        values = np.full(len(scores.of_queries), math.nan)
        values[rows] = scores.by_query(average["no_relevant"])[rows]
        of_queries.append(values)
    return _Seen(np.array(means), np.stack(of_queries))


def _conventions(
    source: Found | ToolNumbers, measure: Measure, candidates: Candidates
) -> tuple[Start, Changes]:
    """Return the start and the changes of an answer for another measure."""
    start = candidates.start
    if isinstance(source, ToolNumbers):
        return _tool_start(source.profile, measure, start), ()
    if source.tool is None:
        return Start((measure,), start.conventions, start.known), source.changes
    return _tool_start(source.tool.profile, measure, start), source.changes


def _tool_start(profile: Profile, measure: Measure, start: Start) -> Start:
    known: dict[str, Any] = {name: getattr(start.conventions, name) for name in start.known}
    try:
        meant = meant_by(profile, measure, known)
    except (MeasureError, InputError):
        conventions = Conventions(**{**profile.conventions, **known})
        return Start((measure,), conventions, start.known)
    return Start((meant.measure,), meant.conventions, start.known)
