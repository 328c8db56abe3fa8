"""Evaluate several searches for each query in every way in which they can be taken together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np

from rankmark.answers.search_calls.call_evaluation import CallAudit, CallEvaluation, Way
from rankmark.answers.search_calls.given_calls import ROLES, Calls, GivenCalls, given_calls
from rankmark.answers.search_calls.merge_calls import How, as_run
from rankmark.answers.search_calls.session_dcg import SessionMeasure, session_measures
from rankmark.arguments import Columns, Flag, Names, checked, names_in
from rankmark.array_types import Floats, Ints, defined_means
from rankmark.data.files.lines_of_text import AveragedQueries
from rankmark.data.given_tables.role_tables import named_roles
from rankmark.data.preparing.qrels import Failed, Qrels, QrelsSource
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError, MeasureError, quiet
from rankmark.measures import DEFAULT, Measure
from rankmark.measures.names import flat
from rankmark.measures.names import measures as measures_of
from rankmark.verbs.evaluate.evaluate import evaluate

NoRelevant = Literal["zero", "skip", "one", "nan"]
Lists = Mapping[str, list[list[str]]]


@checked
def evaluate_calls(
    qrels: Qrels | QrelsSource,
    calls: GivenCalls,
    measures: Iterable[str | Measure | SessionMeasure]
    | str
    | Measure
    | SessionMeasure
    | None = None,
    *,
    how: Way = "interleave",
    costs: Names = None,
    document_costs: Names = (),
    queries: AveragedQueries = "judged",
    no_relevant: NoRelevant = "zero",
    judged_only: Flag = False,
    columns: Columns = None,
    failed: Failed | None = None,
) -> CallEvaluation:
    """Evaluate several searches for each query, as an agent makes, in every way to merge them.

    Parameters
    ----------
    Data:
    qrels
        Judgments, as for ``evaluate``.
    calls
        The documents that each call retrieved, as for ``merge_calls``.

    Measures:
    measures
        Names or objects, as for ``evaluate``; and SessionDCG, the sum of the DCG of each call,
        divided by 1 + log of its number, such as ``"SessionDCG(base=4, discount=2)@10"``. None for
        the default measures.

    Conventions:
    how
        The way to combine the calls of a query that values by query are of: those of
        ``merge_calls``, or ``"best"``, the call with the best value of each measure, which
        no system knows before.

        ``ways`` has the means of all, and ``of`` their values.
    costs
        Columns with the cost of each call; None for tokens, cost and seconds.

        Of these, those that there are.
    document_costs
        Columns with the cost of each document, which are added up.
    queries
        Which queries are averaged: all judged ones (``"judged"``), where one without calls
        counts 0; only those with calls (``"both"``); or these.

        A query to which retrieval does not apply has NaN, and is not averaged.
    no_relevant
        What a query without relevant documents counts.
    judged_only
        Leave out unjudged documents.

    Reading:
    columns
        Names of the columns that contain query_id, call, doc_id, score, rank or applicable,
        if they are not recognised.
    failed
        Judgments without a label, as a model failed to give one, are refused (default) or count as
        not judged; labels such as -1 stand for a failure, too.

        See ``evaluate``.

    Returns
    -------
    CallEvaluation
        ``scores``: (n_queries, n_measures) float64, one row per query. ``curve`` has the means
        after each call, ``costs`` what each query cost.
        ``compare_scores({"a": one, "b": other})`` compares two.

    Raises
    ------
    SchemaError, ParseError, DuplicateError
        If an input cannot be read.
    MismatchError
        If judgments and calls have no query in common.
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If an option has an invalid value.

    Examples
    --------
    >>> import rankmark as rm
    >>> first, second = [f"d{n}" for n in range(10)], ["right", "d3"]
    >>> found = rm.evaluate_calls({"q": {"right"}}, {"q": [first, second]}, ["RR@10"])
    >>> {way: values["RR@10"] for way, values in found.ways.items()}
    {'interleave': 0.5, 'concatenate': 0.0, 'first': 0.0, 'last': 1.0, 'best': 1.0}
    """
    requested, sessions, names = _requested(measures)
    given = given_calls(
        calls, named_roles(columns, ROLES), names_in(costs), names_in(document_costs) or ()
    )
    if isinstance(qrels, Qrels) and failed is not None:
        raise InputError("the qrels are already prepared", "give their failed to Qrels")
    judged = qrels if isinstance(qrels, Qrels) else Qrels(qrels, failed=failed)
    chosen: dict[str, Any] = {"no_relevant": no_relevant, "judged_only": judged_only}
    kept = _averaged(judged, given, queries)
    applied = [query for query in kept if query not in given.not_applicable]
    if not applied:
        raise InputError("retrieval applies to no query", "give calls that retrieve documents")
    place = {query: at for at, query in enumerate(kept)}
    lists = {query: given.lists[query] for query in applied if query in given.lists}

    def values(run: Run, of: Sequence[str], formulas: Sequence[Measure]) -> Floats:
        """Evaluate a run for some queries: (len(kept), len(formulas)), NaN for the others."""
        found = np.full((len(kept), len(formulas)), np.nan)
        if of and formulas:
            with quiet():  # what is wrong is said once, of all documents
                ev = evaluate(judged, run, list(formulas), queries=list(of), **chosen)
            rows = [place[query] for query in ev.queries]
            found[rows] = ev.scores
        return found

    in_sessions = np.column_stack(
        [
            np.zeros((len(kept), 0)),
            *(_session(one, lists, applied, kept, values) for one in sessions),
        ]
    )

    def complete(scores: Floats) -> Floats:
        found = np.column_stack([scores, in_sessions])
        return np.ascontiguousarray(found[:, [_place(one, requested, sessions) for one in names]])

    sets = [one.depends_on == "documents" and getattr(one, "k", None) is None for one in requested]
    ordered = ~np.array(sets, dtype=bool)
    ways: dict[str, Floats] = {}
    for way in get_args(How):
        scores = values(as_run(lists, way), applied, requested)
        if way == "union":  # the order of a union says nothing
            scores[:, ordered] = np.nan
        ways[way] = complete(scores)
    ways["best"] = complete(_best(lists, applied, requested, values))
    merged: How = "interleave" if how in {"best", "last", "first"} else how  # type: ignore[assignment]
    curve = _curve(lists, applied, requested, merged, values)
    if merged == "union":
        curve[:, ordered] = np.nan
    made = [given.lists.get(query, []) for query in kept]
    return CallEvaluation(
        how=how,
        names=[*map(str, names)],
        queries=kept,
        ways=ways,
        curve=curve,
        curve_names=tuple(map(str, requested)),
        searches=_whole(map(len, made)),
        counts={
            "calls": _whole(given.made.get(query, 0) for query in kept),
            "documents": _whole(sum(map(len, of_query)) for of_query in made),
            "distinct": _whole(len({*chain.from_iterable(of_query)}) for of_query in made),
            "relevant": _relevant(lists, applied, values),
        },
        costs={
            name: np.array([of_query.get(query, math.nan) for query in kept])
            for name, of_query in given.costs.items()
        },
        conventions={
            "how": how,
            "queries": queries if isinstance(queries, str) else [*kept],
            **chosen,
        },
        audit=_audit(judged, given, kept),
        read={"qrels": {"name": judged.name}, "calls": given.read},
    )


def _whole(values: Iterable[int]) -> Ints:
    return np.array([*values], dtype=np.int64)


def _requested(
    measures: Any,
) -> tuple[list[Measure], list[SessionMeasure], list[Measure | SessionMeasure]]:
    """Return the measures of rankings, those of sessions, and both in the requested order."""
    if measures is None or isinstance(measures, SessionMeasure):
        measures = [measures] if measures else DEFAULT
    names: dict[Measure | SessionMeasure, None] = {}
    for one in flat(measures):
        names |= dict.fromkeys(session_measures(one) or measures_of(one))
    if not names:
        raise MeasureError("no measure was requested", "name one, such as R@10")
    for one in names:
        if getattr(one, "aggregate", "mean") != "mean":
            raise MeasureError(f"{one} is no mean over queries", "leave it out")
    requested = [one for one in names if not isinstance(one, SessionMeasure)]
    return requested, [one for one in names if isinstance(one, SessionMeasure)], [*names]


def _place(one: Any, requested: list[Measure], sessions: list[SessionMeasure]) -> int:
    if isinstance(one, SessionMeasure):
        return len(requested) + sessions.index(one)
    return requested.index(one)


def _averaged(judged: Qrels, given: Calls, queries: Any) -> tuple[str, ...]:
    """Return the queries that have a row, in the order of the judgments."""
    of_rankings = (
        "judged"
        if isinstance(queries, str)
        else [query for query in queries if query not in given.not_applicable]
    )
    # Of all documents: warns and refuses as for any run.
    run = as_run(given.lists, "union")
    run.source.name = given.read["name"]  # as messages are about the calls
    evaluate(judged, run, "NumRet", queries=of_rankings or "judged")
    if not isinstance(queries, str):
        return tuple(queries)
    known = dict.fromkeys(judged.query_ids)
    # Without documents, a query may be judged by nobody.
    known |= dict.fromkeys(given.not_applicable)
    return tuple(query for query in known if queries == "judged" or query in given.made)


Values = Callable[[Run, Sequence[str], Sequence[Any]], Any]


def _call(lists: Lists, number: int) -> dict[str, list[str]]:
    """Return what the call of a number, from 0, retrieved for the queries that have it."""
    return {query: calls[number] for query, calls in lists.items() if len(calls) > number}


def _most(lists: Lists) -> int:
    return max((len(calls) for calls in lists.values()), default=0)


def _best(
    lists: Lists, applied: Sequence[str], requested: Sequence[Measure], values: Values
) -> Floats:
    """Return the best value over the calls of each query."""
    signs = np.array([1.0 if one.more_is_better else -1.0 for one in requested])
    # A query without calls has what nothing retrieved has.
    without = [query for query in applied if not lists.get(query)]
    best: Floats = signs * values(Run({query: [] for query in applied}), without, requested)
    for number in range(_most(lists)):
        of_call = _call(lists, number)
        best = np.fmax(best, signs * values(Run(of_call), [*of_call], requested))
    return signs * best


def _curve(
    lists: Lists,
    applied: Sequence[str],
    requested: Sequence[Measure],
    how: How,
    values: Values,
) -> Floats:
    """Return the means after each call: (n_calls, n_measures)."""
    means = []
    found = np.full((0, len(requested)), np.nan)
    for number in range(1, max(_most(lists), 1) + 1):
        so_far = {query: calls[:number] for query, calls in lists.items()}
        # Those that made no further call keep their values.
        still = [query for query in applied if number == 1 or len(lists.get(query, ())) >= number]
        now = values(as_run(so_far, how), still, requested)
        found = now if number == 1 else np.where(np.isnan(now), found, now)
        means.append(defined_means(found))
    return np.array(means)


def _session(
    measure: SessionMeasure,
    lists: Lists,
    applied: Sequence[str],
    kept: Sequence[str],
    values: Values,
) -> Floats:
    """Return SessionDCG of each query: (n_queries,) float64."""
    counted = {query: measure.seen_again(calls) for query, calls in lists.items()}
    applies = {*applied}
    total = np.array([0.0 if query in applies else np.nan for query in kept])
    for number in range(_most(counted)):
        of_call = _call(counted, number)
        found = values(Run(of_call), [*of_call], [measure.dcg])[:, 0]
        has_call = np.array([query in of_call for query in kept])
        # Where a query without relevant documents is left out, it has no value.
        total = total + np.where(has_call, measure.weight(number + 1) * found, 0.0)
    return total


def _relevant(lists: Lists, applied: Sequence[str], values: Values) -> Floats:
    """Return how many relevant documents all calls of each query retrieved together."""
    (num_rel_ret,) = measures_of("NumRelRet")
    return values(as_run(lists, "union"), applied, [num_rel_ret])[:, 0]


def _audit(judged: Qrels, given: Calls, kept: Sequence[str]) -> CallAudit:
    known = {*judged.query_ids}
    run_only = [query for query in given.lists if query not in known]
    run_only = [query for query in run_only if query not in given.not_applicable]
    answered = sum(query in given.made for query in known)
    shown_documents = sum(map(len, (call for query in kept for call in given.lists.get(query, []))))
    return CallAudit(
        judged=len(known),
        answered=answered,
        missing=len(known) - answered,
        run_only=len(run_only),
        run_only_examples=tuple(run_only[:3]),
        averaged=len(kept) - sum(query in given.not_applicable for query in kept),
        not_applicable=len(given.not_applicable),
        calls=sum(given.made.get(query, 0) for query in kept),
        documents=shown_documents,
        distinct=sum(
            len({one for call in given.lists.get(query, []) for one in call}) for query in kept
        ),
        repeated_in_call=given.repeated,
        failed=judged.failed,
    )
