"""Find the conventions that give a number from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.conventions import (
    Conventions,
    Duplicates,
    NoRelevant,
    Precision,
    Queries,
    Ties,
    whole,
)
from rankmark.errors import DuplicateError, InputError, MeasureError, listed
from rankmark.profiles.known import profile as profile_of
from rankmark.reconciliation.alternatives import Situation
from rankmark.reconciliation.answers import Describer, described, tried_values
from rankmark.reconciliation.calls import Inputs
from rankmark.reconciliation.candidates import Candidates, Start
from rankmark.reconciliation.rankings import Ranking, Rankings
from rankmark.reconciliation.search import Search
from rankmark.reconciliation.tool_differences import tool_difference
from rankmark.reconciliation.tools import tools_that_give
from rankmark.results.reconciliation import Reconciliation
from rankmark.scoring.preconditions import refuse_unjudged
from rankmark.sources import PairOptions, Qrels, Run, as_both
from rankmark.verbs.evaluate import chosen_queries
from rankmark.verbs.given_numbers import GivenNumbers, given_numbers, is_percent, target_of

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.measures.names import AnyMeasure
    from rankmark.profiles.profile import Profile
    from rankmark.results.tool_difference import ToolDifference
    from rankmark.sources.prepared.qrels import QrelsSource
    from rankmark.sources.prepared.run import RunSource

_MOST_CHANGES = 3
_MANY_ROWS = ((200_000, 3), (1_000_000, 2))
"""Judged documents up to which as many changes are tried, unless the caller says how many."""


def reconcile(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    measure: Iterable[AnyMeasure] | AnyMeasure | None = None,
    value: Any = None,
    *,
    per_query: Any = None,
    digits: int | None = None,
    against: str | None = None,
    changes: int | None = None,
    subset: Sequence[str] | os.PathLike[str] | IO[Any] | None = None,
    queries: Queries | Sequence[str] | os.PathLike[str] | IO[Any] | None = None,
    ties: Ties | None = None,
    no_relevant: NoRelevant | None = None,
    depth: int | None = None,
    judged_only: bool | None = None,
    duplicates: Duplicates | None = None,
    drop_self: bool | None = None,
    precision: Precision | None = None,
    rel: float | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    qrels_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    contents: Literal["scores", "ids"] | None = None,
    threads: int | None = None,
) -> Reconciliation:
    """Find the conventions under which a run has a number that another program printed.

    All combinations of a few changes are tried: ties, which queries are averaged, gains,
    denominators and others. Those with the fewest changes come first. If nothing gives the number,
    the result has what comes nearest.

    Parameters
    ----------
    qrels, run
        As for ``evaluate``.
    measure
        The measure, by its name here, or several. None means those that ``value`` or ``per_query``
        name, or else nDCG@10.
    value
        The number, as text such as ``"0.4310"`` with the decimals that were printed, or a float.
        A number above 1 of a measure that is at most 1 is taken as percent. For several measures a
        list, or {measure: number}: one set of conventions must give them all.
    per_query
        Numbers of queries instead: {query id: number}, {query id: {measure: number}},
        {measure: {query id: number}}, a frame, or a file: CSV, TSV or JSON, or what ``trec_eval
        -q`` writes. ``value`` takes these, too.
    digits
        Decimals to compare. None means those that the numbers show.
    against
        The name of a profile, such as ``"ranx"``: show query by query where this tool differs on
        these inputs, and which of its conventions makes the difference. ``value`` is not needed.
    changes
        The most changes to try at once, from 0. None means up to 3, or fewer for more than 200,000
        judged documents; and no more after some conventions gave the number.
    subset
        Queries that may have been averaged instead of all: a list, or a file of ids.
    queries, ties, no_relevant, depth, judged_only, duplicates, drop_self, precision
        Conventions that you know, as for ``evaluate``; they are kept. None means not known.
    rel
        As for ``evaluate``; other values are tried, too.
    qrels_format, run_format, columns, qrels_columns, run_columns, groups, mask, lengths, contents
        As for ``evaluate``.
    threads
        Number of threads that read a file; None for one per core.

    Returns
    -------
    Reconciliation
        True if conventions were found. ``answers`` has them, ``nearest`` what comes nearest if
        there are none, each with ``changes``, ``words``, ``values``, and the ``call`` and
        ``command`` that compute the value.

    Raises
    ------
    InputError
        If there is nothing to explain, a number is none, or an input cannot be used.
    MeasureError
        If a measure does not exist.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q": {"a": 1, "b": 2, "c": 0}}
    >>> found = rm.reconcile(qrels, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}, "AP", "0.3333")
    >>> found.answers[0].words
    'labels from 2 on are relevant (trec_eval -l 2)'
    """
    if digits is not None and digits != 0:
        digits = whole("digits", digits)
    numbers = given_numbers(measure, value, per_query, digits)
    if rel is not None:
        from rankmark.measures.thresholds import with_rel  # noqa: PLC0415

        numbers = numbers._replace(measures=tuple(with_rel(numbers.measures, rel)))
    if not numbers.means and numbers.of_queries is None and against is None:
        raise InputError(
            "there is no number to explain", "give value, per_query, or a tool with against"
        )
    forms: dict[str, Any] = {
        "qrels_format": qrels_format,
        "run_format": run_format,
        "columns": columns,
        "qrels_columns": qrels_columns,
        "run_columns": run_columns,
        "groups": groups,
        "mask": mask,
        "lengths": lengths,
        "contents": contents,
    }
    inputs = Inputs(qrels, run, forms)
    known = {
        "queries": None if queries is None else chosen_queries(queries),
        "ties": ties,
        "no_relevant": no_relevant,
        "depth": depth,
        "judged_only": judged_only,
        "duplicates": duplicates,
        "drop_self": drop_self,
        "precision": precision,
    }
    known = {name: value for name, value in known.items() if value is not None}
    by_subtopic = any(one.depends_on == "subtopics" for one in numbers.measures)
    options = PairOptions(**forms, subtopics=by_subtopic)
    qrels, run = as_both(qrels, run, threads=threads, options=options)
    rankings = Rankings(qrels, run, subtopics=by_subtopic, threads=threads)
    conventions, ranking, notes = _start(rankings, known)
    start = Start(numbers.measures, conventions, frozenset(known))
    differences: tuple[ToolDifference, ...] = ()
    if against is not None:
        differences = _differences(rankings, start, profile_of(against), known, notes)
    if not numbers.means and numbers.of_queries is None:
        return _without_numbers(rankings, differences, notes)
    found = _reconciled(
        numbers,
        start,
        ranking,
        rankings,
        inputs,
        known=known,
        subset=() if subset is None else tuple(chosen_queries(subset)),
        changes=changes,
        notes=notes,
    )
    return replace(found, against=differences)


def _differences(
    rankings: Rankings,
    start: Start,
    profile: Profile,
    known: Mapping[str, Any],
    notes: list[str],
) -> tuple[ToolDifference, ...]:
    """Compare with a tool; note the measures that it does not have, unless it has none of them."""
    found, errors = [], []
    for measure in start.measures:
        try:
            found.append(tool_difference(rankings, start, measure, profile, known))
        except MeasureError as error:
            errors.append(error)
    if not found:
        raise errors[0]
    notes += [f"not compared: {error.found}" for error in errors]
    return tuple(found)


def _without_numbers(
    rankings: Rankings, differences: tuple[ToolDifference, ...], notes: list[str]
) -> Reconciliation:
    return Reconciliation(
        qrels=rankings.qrels.name,
        run=rankings.run.name,
        given={},
        of_queries=False,
        percent=False,
        decimals=4,
        start={one.measure: one.ours for one in differences},
        answers=(),
        nearest=(),
        tried={},
        without_effect=(),
        notes=tuple(notes),
        coincidence=None,
        against=differences,
    )


def _start(rankings: Rankings, known: Mapping[str, Any]) -> tuple[Conventions, Ranking, list[str]]:
    """Return the conventions to start from, and the ranking under them."""
    conventions = Conventions(**known)
    notes: list[str] = []
    try:
        rankings.read(Conventions(duplicates=conventions.duplicates))
    except DuplicateError:
        if "duplicates" in known:
            raise
        conventions = Conventions(**{**known, "duplicates": "first"})
        notes.append(
            "a document appears twice in a ranking: its first row counts (duplicates='first')"
        )
    refuse_unjudged(conventions, rankings.qrels.query_ids)
    ranking = rankings.under(conventions)
    if ranking is None:  # a convention that does not fit the run; the message says which
        ranking = rankings.read(conventions)
    return conventions, ranking, notes


def _reconciled(
    numbers: GivenNumbers,
    start: Start,
    ranking: Ranking,
    rankings: Rankings,
    inputs: Inputs,
    *,
    known: Mapping[str, Any],
    subset: tuple[str, ...],
    changes: int | None,
    notes: list[str],
) -> Reconciliation:
    queries = rankings.qrels.query_ids
    listed_queries = start.conventions.queries
    chosen = subset if isinstance(listed_queries, str) else listed_queries
    in_subset = _in_subset(queries, chosen)
    situation = _situation(numbers, start, ranking, rankings, subset=bool(subset))
    candidates = Candidates(start, situation, rankings, in_subset)
    names = [str(measure) for measure in numbers.measures]
    values = candidates.values(()) or ()
    fields: dict[str, Any] = {
        "qrels": rankings.qrels.name,
        "run": rankings.run.name,
        "start": dict(zip(names, values, strict=False)),
    }
    of_queries = numbers.of_queries is not None
    all_given = numbers.means or tuple(
        number for column in numbers.of_queries or () for number in column.values()
    )
    percent = is_percent(numbers.measures, all_given)
    target, unjudged = target_of(numbers, queries, percent=percent)
    if unjudged:
        are = (
            "1 query with a number is"
            if len(unjudged) == 1
            else (f"{len(unjudged):,} queries with numbers are")
        )
        notes.append(f"{are} not judged: {listed(unjudged)}")
    most, note = _most_changes(changes, ranking)
    notes += [note] * bool(note)
    search = Search(candidates, target)
    search.go(most=most, goes_on=changes is not None)
    describer = Describer(search, inputs, subset)
    answers = describer.answers(search.found)
    tools = tools_that_give(target, rankings, numbers.measures, known)
    answers = describer.of_tools(answers, tools)
    named = {name for answer in answers for name in answer.tools}
    others = [tool.profile.name for tool in tools if tool.profile.name not in named]
    if others:
        notes.append(f"with other values of queries, also the number of {', '.join(others)}")
    nearest = () if answers else describer.answers(search.nearest)
    coincidence = describer.coincidence(len(search.tried) - 1)
    if answers and answers[0].changes and answers[0].coincidence.probability > 0.2:
        notes.append("this may well be a coincidence: give more decimals, or several measures")
    elif len(answers) > 1:
        notes.append(
            "at most one of these is the reason; more decimals or measures would show which"
        )
    columns = numbers.of_queries or ()
    given = (
        {name: str(len(column)) for name, column in zip(names, columns, strict=True)}
        if of_queries
        else {name: number.text for name, number in zip(names, numbers.means, strict=True)}
    )
    return Reconciliation(
        **fields,
        given=given,
        of_queries=of_queries,
        percent=percent,
        decimals=max(target.decimals),
        answers=answers,
        nearest=nearest,
        tried=tried_values(candidates),
        without_effect=tuple(str(described(one)) for one in candidates.without_effect),
        notes=tuple(notes),
        coincidence=coincidence,
    )


def _in_subset(queries: Sequence[str], chosen: Sequence[str]) -> Bools | None:
    if not chosen:
        return None
    judged = set(queries)
    unjudged = [query for query in chosen if query not in judged]
    if unjudged:
        have = (
            "1 query of the subset has"
            if len(unjudged) == 1
            else (f"{len(unjudged):,} queries of the subset have")
        )
        raise InputError(f"{have} no judgments: {listed(unjudged)}", "remove what is not judged")
    ids = set(chosen)
    return np.array([query in ids for query in queries])


def _situation(
    numbers: GivenNumbers, start: Start, ranking: Ranking, rankings: Rankings, *, subset: bool
) -> Situation:
    a, facts = ranking.alignment, ranking.facts
    labels = np.unique(a.ideal_label[a.ideal_label > 0])
    tied = bool(facts.tied.any())
    if not tied:  # scores that differ may tie in single precision
        single = rankings.under(
            Conventions(duplicates=start.conventions.duplicates, precision="float32")
        )
        tied = single is not None and bool(single.facts.tied.any())
    positions = rankings.qrels.source.positions or rankings.run.source.positions
    return Situation(
        measures=numbers.measures,
        labels=tuple(labels.tolist()),
        longest=int(a.retrieved.max(initial=0)),
        tied=tied,
        self_matches=not positions and bool(facts.self_matches.any()),
        duplicates=start.conventions.duplicates != "error",
        subset=subset,
    )


def _most_changes(changes: int | None, ranking: Ranking) -> tuple[int, str]:
    """Return how many changes to try at once, and a note if these are fewer than usual."""
    if changes is not None:
        return (0 if changes == 0 else whole("changes", changes)), ""
    rows = len(ranking.alignment.label) + len(ranking.alignment.ideal_label)
    most = next((most for many, most in _MANY_ROWS if rows <= many), 1)
    if most == _MOST_CHANGES:
        return most, ""
    at_once = "1 change was" if most == 1 else f"{most} changes at once were"
    return most, (
        f"only {at_once} tried, as {rows:,} judged documents take long; changes=3 "
        "(--changes 3) tries more"
    )
