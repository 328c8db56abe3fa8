"""Search the conventions behind some numbers, and describe what was found."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import Conventions
from rankmark.errors import InputError, MeasureError, counted, listed
from rankmark.measures import AP, RR, P, R, Success, nDCG
from rankmark.verbs.reconcile.alternatives import Situation
from rankmark.verbs.reconcile.candidates import Candidates, Start
from rankmark.verbs.reconcile.certainty import Separation
from rankmark.verbs.reconcile.found_conventions import Describer, described, tried_values
from rankmark.verbs.reconcile.rankings import Scores
from rankmark.verbs.reconcile.reconciliation import Reconciliation
from rankmark.verbs.reconcile.search import Found, Search
from rankmark.verbs.reconcile.targets import Means, PerQuery
from rankmark.verbs.reconcile.tools import ToolNumbers, meant_by, tool_starts, tools_that_give

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.reconcile.candidates import Changes
    from rankmark.verbs.reconcile.found_conventions import Described, Inputs
    from rankmark.verbs.reconcile.given_numbers import GivenNumbers
    from rankmark.verbs.reconcile.rankings import Ranking, Rankings
    from rankmark.verbs.reconcile.reconciliation import Answer

_ANSWERS = 10
_MEASURES: tuple[Measure, ...] = (
    AP, RR, nDCG @ 10, P @ 10, R @ 100, nDCG, AP @ 10, RR @ 10, P @ 5, R @ 10, Success @ 5,
)  # fmt: skip
"""Those that are often printed together, the most usual first."""


_OTHER_JUDGMENTS = frozenset({"subtopics", "preferences", "anywhere", "lists", "run"})


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
        ranking = start.ranking(candidates.rankings, changes)
        if ranking is None:
            return None
        (changed,) = start.changed(changes)
        if ranking.is_slow(changed):
            return None
        average = start.average(changes)
        try:
            scores = Scores(ranking, changed, subset)
            means.append(scores.value(average))
        except (InputError, MeasureError):
            return None
        of_queries.append(scores.of_averaged(average))
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
    try:
        meant = meant_by(profile, measure, start.kept)
    except (MeasureError, InputError):
        conventions = Conventions(**{**profile.conventions, **start.kept})
        return Start((measure,), conventions, start.known)
    return Start((meant.measure,), meant.conventions, start.known)


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


_MOST_CHANGES = 3
_LEAST_DECIMALS = 4  # of a number that would tell answers apart
_MANY_ROWS = ((200_000, 3), (1_000_000, 2))
"""Judged documents up to which as many changes are tried, unless the caller says how many."""


class Problem(NamedTuple):
    """Numbers, and everything that they may be explained from.

    Parameters
    ----------
    numbers
        As given.
    start, ranking
        Measures and conventions without any change, and the run under them.
    rankings
        The run under any conventions.
    inputs
        As the caller gave them.
    known
        The conventions that the caller knows.
    subset
        Ids of queries that may have been averaged.
    """

    numbers: GivenNumbers
    start: Start
    ranking: Ranking
    rankings: Rankings
    inputs: Inputs
    known: Mapping[str, Any]
    subset: tuple[str, ...]


def reconciled(problem: Problem, changes: int | None) -> Reconciliation:
    """Search the conventions with at most some changes; None for as many as are worth it."""
    numbers, rankings = problem.numbers, problem.rankings
    most, note = _most_changes(changes, problem.ranking)
    target, unjudged = numbers.target(rankings.qrels.query_ids)
    situation, subset = _situation(problem), _in_subset(problem)
    candidates = Candidates(problem.start, situation, rankings, subset)
    tools = tools_that_give(target, rankings, numbers.measures, problem.known)
    starts = tool_starts(candidates, situation, subset) if most > 1 else ()
    search = Search(candidates, target, starts)
    search.go(most=most, goes_on=changes is not None, tools=tools)
    describer = Describer(search, problem.inputs, problem.subset, numbers.near())
    found = describer.with_tools(search.found, tools)
    answers = tuple(one.answer for one in found)
    notes = [note, *_remarks(unjudged, answers, tools.found)]
    if not answers and isinstance(target, Means):
        notes.append(between_ties(target, candidates))
    names = map(str, numbers.measures)
    return Reconciliation(
        qrels=rankings.qrels.name,
        run=rankings.run.name,
        given=numbers.described(),
        of_queries=numbers.of_queries is not None,
        percent=numbers.percent,
        decimals=max(target.decimals),
        start=dict(zip(names, candidates.values(()) or (), strict=False)),
        answers=answers,
        nearest=() if answers else describer.answers(search.nearest),
        arithmetic=() if answers else describer.answers(search.subsets),
        separations=_separations(found, candidates, target, subset),
        tried=tried_values(candidates),
        without_effect=tuple(str(described(one)) for one in candidates.without_effect),
        notes=tuple(text for text in notes if text),
        coincidence=describer.coincidence(search.tried[-1].changes, subsets=True),
    )


def _separations(
    found: Sequence[Described],
    candidates: Candidates,
    target: Means | PerQuery,
    subset: Bools | None,
) -> tuple[Separation, ...]:
    """Find what would tell answers with as many changes apart."""
    given = target.rows.tolist() if isinstance(target, PerQuery) else None
    decimals = max(_LEAST_DECIMALS, *target.decimals)
    separations = []
    for _, several in groupby(found, key=lambda one: len(one.answer.changes)):
        sources = [one.source for one in several]
        if len(sources) > 1:
            separations.append(separation(sources, candidates, subset, decimals, given))
    return tuple(one for one in separations if one is not None)


def _remarks(
    unjudged: Sequence[str], answers: Sequence[Answer], tools: Sequence[ToolNumbers]
) -> list[str]:
    """Return what must be said about queries and answers."""
    remarks = []
    if unjudged:
        are = "query with a number is", "queries with numbers are"
        remarks.append(f"{counted(len(unjudged), *are)} not judged: {listed(unjudged)}")
    named = {name for answer in answers for name in answer.tools}
    others = [tool.profile.name for tool in tools if tool.profile.name not in named]
    if others:
        remarks.append(f"the same number, but from other values of queries: {', '.join(others)}")
    return remarks


def _in_subset(problem: Problem) -> Bools | None:
    """Return which judged queries are listed by the caller: (Q,) bool; None without a list."""
    queries, listed_queries = problem.rankings.qrels.query_ids, problem.start.conventions.queries
    chosen = problem.subset if isinstance(listed_queries, str) else listed_queries
    if not chosen:
        return None
    judged = set(queries)
    unjudged = [query for query in chosen if query not in judged]
    if unjudged:
        have = counted(len(unjudged), "query of the subset has", "queries of the subset have")
        raise InputError(f"{have} no judgments: {listed(unjudged)}", "remove what is not judged")
    ids = set(chosen)
    return np.array([query in ids for query in queries])


def _situation(problem: Problem) -> Situation:
    a, facts, rankings = problem.ranking.alignment, problem.ranking.facts, problem.rankings
    duplicates = problem.start.conventions.duplicates
    tied = bool(facts.tied.any())
    if not tied:  # scores that differ may tie in single precision
        single = rankings.under(Conventions(duplicates=duplicates, precision="float32"))
        tied = single is not None and bool(single.facts.tied.any())
    positions = rankings.qrels.source.positions or rankings.run.source.positions
    return Situation(
        measures=problem.numbers.measures,
        labels=tuple(np.unique(a.ideal_label[a.ideal_label > 0]).tolist()),
        longest=int(a.retrieved.max(initial=0)),
        tied=tied,
        self_matches=not positions and bool(facts.self_matches.any()),
        duplicates=duplicates != "error",
        subset=bool(problem.subset),
        of_queries=problem.numbers.of_queries is not None,
        units=int(facts.units.max(initial=0)),
    )


def _most_changes(changes: int | None, ranking: Ranking) -> tuple[int, str]:
    """Return how many changes to try at once, and a note if these are fewer than usual."""
    if changes is not None:
        return changes, ""
    rows = len(ranking.alignment.label) + len(ranking.alignment.ideal_label)
    most = next((most for many, most in _MANY_ROWS if rows <= many), 1)
    if most == _MOST_CHANGES:
        return most, ""
    at_once = "1 change was" if most == 1 else f"{most} changes at once were"
    return most, (
        f"only {at_once} tried, as {rows:,} judged documents take long; changes=3 "
        "(--changes 3) tries more"
    )
