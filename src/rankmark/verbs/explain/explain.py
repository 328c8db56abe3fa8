"""Explain a score by its documents, or what makes two runs differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any, Unpack, overload

from rankmark.arguments import FromOne, checked
from rankmark.conventions import query_text
from rankmark.data.contract.reading_options import Reading
from rankmark.data.preparing.pair_options import PairOptions, as_both
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run, RunSource
from rankmark.data.preparing.units import judgments_of_documents
from rankmark.errors import InputError, MeasureError
from rankmark.measures import Measure
from rankmark.results.explanations.explanation import Explanation
from rankmark.results.explanations.list_votes import FusedLists
from rankmark.scoring.explain_query import explained
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated
from rankmark.verbs.evaluate.evaluate_options import EvaluateOptions, shows
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_runs import refuse_trials
from rankmark.verbs.evaluate.shared_inputs import is_nothing, unjudged
from rankmark.verbs.explain.difference import Difference, MeanDifference


@overload
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: str,
    measure: str | Measure = ...,
    *,
    against: None = ...,
    collection: int | None = ...,
    **options: Unpack[EvaluateOptions],
) -> Explanation: ...
@overload
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: str,
    measure: str | Measure = ...,
    *,
    against: Run | RunSource,
    collection: int | None = ...,
    **options: Unpack[EvaluateOptions],
) -> Difference: ...
@overload
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: None = ...,
    measure: str | Measure = ...,
    *,
    against: Run | RunSource,
    **options: Unpack[EvaluateOptions],
) -> MeanDifference: ...
@overload
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: str | None = ...,
    measure: str | Measure = ...,
    *,
    against: Run | RunSource | None = ...,
    collection: int | None = ...,
    **options: Unpack[EvaluateOptions],
) -> Explanation | Difference | MeanDifference: ...
@checked
@shows(EvaluateOptions)
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: str | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    against: Run | RunSource | None = None,
    collection: FromOne | None = None,
    **options: Unpack[EvaluateOptions],
) -> Explanation | Difference | MeanDifference:
    """Explain how a score is computed, or what makes the scores of two runs differ.

    Parameters
    ----------
    Data:
    qrels, run
        As for ``evaluate``.
    against
        Another run: show what makes it differ from ``run``, the baseline, by document and by rank,
        or, without ``query``, by query.

        The difference, ``against`` minus ``run``, is explained.
    query
        The query whose score is explained.

        The id of a judged query; None, with ``against``, for the means over all queries.

    Measures:
    measure
        A name or an object.
    collection
        Number of documents in the collection, to count true negatives; None for only those
        judged not relevant.
    **options
        The other keywords of ``evaluate``.

    Returns
    -------
    Explanation
        For one query: ``rows``, whose contributions add up to the ``value``, ``ideal``,
        ``missed``, ``counts`` and ``formula``; of a fused run also ``votes``, what each list gave.
        Print it, or show it in a notebook.
    Difference
        For one query and two runs: ``rows`` by document, and ``by_rank``; both add up to the
        difference.
    MeanDifference
        For all queries and two runs: ``rows`` by query, which add up to the difference.

    Raises
    ------
    InputError
        If the query is not judged, neither a query nor another run is given, or ``collection`` is
        not a whole number, is smaller than the number of documents retrieved or judged, or is
        given without a query.
    ParseError, DuplicateError, MismatchError, MeasureError, SchemaError
        As ``evaluate``, but only the lines of the query are read in files.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "c": 0.7}}
    >>> found = rm.explain(qrels, run, "q1", "AP")
    >>> found.formula
    'AP = (1/2 + 2/3) / 2 = 1.16667 / 2 = 0.583333'
    >>> other = {"q1": {"a": 0.8, "b": 0.9, "c": 0.1}}
    >>> by_document = rm.explain(qrels, run, "q1", "RR", against=other)
    >>> by_query = rm.explain(qrels, run, measure="RR", against=other)
    >>> by_document.difference, by_query.difference
    (0.0, 0.0)
    """
    if query is None and against is None:
        raise InputError(
            "explain needs a query, or another run to compare with", "give query= or against="
        )
    if query is None and collection is not None:
        raise InputError("collection counts the true negatives of one query", "name the query")
    for one in (run, against):
        refuse_trials(one)
    given: dict[str, Any] = {**options}
    reading, seen = Reading.taken_from(given), given.pop("seen", None)
    asked = asked_of([measure], given)
    if len(asked.measures) > 1:
        names = ", ".join(map(str, asked.measures))
        found = f"found {len(asked.measures)}: {names}"
        raise MeasureError("one measure is explained at a time", found)
    other: Any = None
    if is_nothing(qrels):
        runs = [run] if against is None else [run, against]
        judged, (baseline, *others), reading = unjudged(runs, asked, reading)
        other = others[0] if others else None
    else:
        pair = PairOptions(reading, subtopics=asked.needs.subtopics)
        judged, baseline = as_both(qrels, run, reading, pair)
        judged = judgments_of_documents(judged, asked.conventions.qrels_unit)
        other = None if against is None else pair.run_of(against)
    if seen is not None:
        from rankmark.data.preparing.seen import Seen, without_seen  # noqa: PLC0415

        seen = Seen(seen, reading)
        baseline = without_seen(judged, baseline, seen)
        other = None if other is None else without_seen(judged, other, seen)
    chosen = asked.measures[0]
    again = reading.of_prepared()
    if query is None:
        assert other is not None  # noqa: S101
        evaluations = (evaluated(judged, each, asked, again) for each in (baseline, other))
        return _mean_difference(chosen, *evaluations)
    query_id = query_text(query, "query")
    if collection is not None and chosen.depends_on == "lists":
        raise InputError(f"collection is given, and {chosen} does not use it", "leave it out")

    def of_query(ranked: Run) -> Explanation:
        if chosen.depends_on == "lists":  # by the history and the lists of all
            return evaluated(judged, ranked, asked, again).explain(query_id)
        return explained(judged, ranked, query_id, chosen, asked.conventions, collection, reading)

    first, *second = (
        replace(
            of_query(each),
            votes=given_run.votes(query_id) if isinstance(given_run, FusedLists) else None,
        )
        for each, given_run in ((baseline, run), (other, against))
        if each is not None
    )
    if other is None:
        return first
    return Difference(first, second[0], *_names(baseline.name, other.name))


def _mean_difference(measure: Measure, baseline: Evaluation, other: Evaluation) -> MeanDifference:
    of_baseline, of_other = baseline.per_query(measure), other.per_query(measure)
    queries = dict.fromkeys([*of_baseline, *of_other])
    names = _names(baseline.run_name, other.run_name)
    return MeanDifference(
        measure=measure,
        baseline=baseline[measure],
        other=other[measure],
        values={query: (of_baseline.get(query), of_other.get(query)) for query in queries},
        baseline_name=names[0],
        other_name=names[1],
        settings=baseline.conventions.to_dict(),
    )


def _names(baseline: str, other: str) -> tuple[str, str]:
    """Return names of two runs: of files without folders if they differ, else their roles."""
    names = PurePath(baseline).name, PurePath(other).name
    if names[0] != names[1]:
        return names
    return ("baseline", "other") if baseline == other else (baseline, other)
