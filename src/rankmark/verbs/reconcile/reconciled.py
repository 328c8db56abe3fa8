"""Search the conventions behind some numbers, and describe what was found."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import Conventions
from rankmark.errors import InputError, listed
from rankmark.verbs.reconcile.alternatives import Situation
from rankmark.verbs.reconcile.candidates import Candidates
from rankmark.verbs.reconcile.found_conventions import Describer, described, tried_values
from rankmark.verbs.reconcile.reconciliation import Reconciliation
from rankmark.verbs.reconcile.search import Search
from rankmark.verbs.reconcile.separating import separation
from rankmark.verbs.reconcile.targets import Means, PerQuery
from rankmark.verbs.reconcile.tie_bounds import between_ties
from rankmark.verbs.reconcile.tools import tool_starts, tools_that_give

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Bools
    from rankmark.verbs.reconcile.calls import Inputs
    from rankmark.verbs.reconcile.candidates import Start
    from rankmark.verbs.reconcile.certainty import Separation
    from rankmark.verbs.reconcile.found_conventions import Described
    from rankmark.verbs.reconcile.numbers_to_explain import GivenNumbers
    from rankmark.verbs.reconcile.rankings import Ranking, Rankings
    from rankmark.verbs.reconcile.reconciliation import Answer
    from rankmark.verbs.reconcile.tools import ToolNumbers

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
    """Search the conventions with at most some changes; None for as many as are worth it.

    Raises
    ------
    InputError
        If a query of the subset, or all queries with numbers, are not judged.
    """
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
    notes = [note, _unjudged(unjudged), *_remarks(answers, tools.found)]
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


def _unjudged(queries: Sequence[str]) -> str:
    if not queries:
        return ""
    several = f"{len(queries):,} queries with numbers are"
    are = "1 query with a number is" if len(queries) == 1 else several
    return f"{are} not judged: {listed(queries)}"


def _remarks(answers: Sequence[Answer], tools: Sequence[ToolNumbers]) -> list[str]:
    """Return what must be said about answers."""
    remarks = []
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
        several = f"{len(unjudged):,} queries of the subset have"
        have = "1 query of the subset has" if len(unjudged) == 1 else several
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
