"""Why a number is what it is: one query's documents, or what makes two runs differ."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Unpack, overload

from rankmark.conventions import Conventions, query_text
from rankmark.errors import InputError, MeasureError
from rankmark.explanations.difference import Difference
from rankmark.explanations.means import MeanDifference
from rankmark.scoring.explain_query import explained
from rankmark.sources import PairOptions, Qrels, Run, as_both
from rankmark.verbs.choices import Choices, SourceChoices, refuse_unknown
from rankmark.verbs.evaluate import as_measures, chosen_queries, evaluate

if TYPE_CHECKING:
    from rankmark.explanations.explanation import Explanation
    from rankmark.measures import Measure
    from rankmark.results.evaluation import Evaluation
    from rankmark.sources.prepared.qrels import QrelsSource
    from rankmark.sources.prepared.run import RunSource


@overload
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: str,
    measure: str | Measure = ...,
    *,
    against: None = ...,
    collection: int | None = ...,
    **conventions: Unpack[Choices],
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
    **conventions: Unpack[Choices],
) -> Difference: ...
@overload
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: None = ...,
    measure: str | Measure = ...,
    *,
    against: Run | RunSource,
    **conventions: Unpack[Choices],
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
    **conventions: Unpack[Choices],
) -> Explanation | Difference | MeanDifference: ...
def explain(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    query: str | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    against: Run | RunSource | None = None,
    collection: int | None = None,
    **conventions: Unpack[Choices],
) -> Explanation | Difference | MeanDifference:
    """Say where a number comes from, or what makes the numbers of two runs differ.

    Parameters
    ----------
    qrels, run
        As ``evaluate`` takes them.
    query
        The id of a judged query. None, with ``against``, for the figures over all queries.
    measure
        A name or an object.
    against
        Another run: then ``run`` is the baseline, and it is said what makes the difference,
        ``against`` less ``run``. It is positive where ``against`` is greater.
    collection
        How many documents there are, for the count of true negatives; None where nobody knows.
    **conventions
        What ``evaluate`` takes besides: ``ties``, ``depth``, ``judged_only``, ``columns``, ...

    Returns
    -------
    Explanation
        Of one query: ``rows``, whose contributions add up to the ``value``, ``ideal``, ``missed``,
        ``counts`` and ``formula``. It prints itself, also in notebooks.
    Difference
        Of one query of two runs: ``rows`` by document and ``by_rank``, either adding up to the
        difference.
    MeanDifference
        Of two runs: ``rows`` by query, adding up to the difference.

    Raises
    ------
    InputError
        If the query is not judged, there is neither a query nor another run, or the collection is
        no whole number, smaller than what was retrieved or is judged, or given without a query.
    ParseError, DuplicateError, MismatchError, MeasureError, SchemaError
        As ``evaluate`` has it; of files, only the lines of the query are read.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "c": 0.7}}
    >>> print(rm.explain(qrels, run, "q1", "AP").formula)
    AP = (1/2 + 2/3) / 2 = 1.16667 / 2 = 0.583333
    """
    refuse_unknown("explain", conventions)
    if query is None and against is None:
        raise InputError(
            "explain needs a query, or another run to find what makes the difference; name one"
        )
    if query is None and collection is not None:
        raise InputError("collection counts the true negatives of one query; name the query")
    asked, needs = as_measures([measure])
    if len(asked) > 1:
        raise MeasureError(
            f"one measure is explained at a time; found {len(asked)}: {', '.join(map(str, asked))}"
        )
    one = asked[0]
    given: dict[str, Any] = {**conventions}
    if "queries" in given:
        given["queries"] = chosen_queries(given["queries"])
    said = PairOptions(
        **{name: given.pop(name) for name in SourceChoices.__annotations__ if name in given},
        subtopics=needs.subtopics,
    )
    threads = given.get("threads")
    judged, baseline = as_both(qrels, run, threads=threads, said=said)
    other = None if against is None else _other(against, said)
    if given.get("seen") is not None:
        from rankmark.sources.prepared.seen import Seen, without_seen  # noqa: PLC0415  (few give it)

        seen = Seen(given["seen"], threads=threads)
        baseline = without_seen(judged, baseline, seen)
        other = None if other is None else without_seen(judged, other, seen)
    given.pop("seen", None)
    if query is None:
        assert other is not None  # noqa: S101
        return _of_means(one, *(evaluate(judged, each, one, **given) for each in (baseline, other)))
    progress = given.pop("progress", None)
    given.pop("threads", None)
    chosen = Conventions(**given)
    named = query_text(query, "query")
    story, *beside = (
        explained(judged, each, named, one, chosen, collection, threads, progress)
        for each in (baseline, other)
        if each is not None
    )
    if other is None:
        return story
    return Difference(story, beside[0], *_names(baseline.name, other.name))


def _other(run: Run | RunSource, said: PairOptions) -> Run:
    """Prepare another run as the first one was."""
    said.refuse_format_of_prepared(run, "run")
    return run if isinstance(run, Run) else Run.of(said.source_of(run, "run"))


def _of_means(one: Measure, baseline: Evaluation, other: Evaluation) -> MeanDifference:
    of_baseline, of_other = baseline.per_query(one), other.per_query(one)
    every = dict.fromkeys([*of_baseline, *of_other])
    names = _names(baseline.run_name, other.run_name)
    return MeanDifference(
        measure=one,
        baseline=baseline[one],
        other=other[one],
        values={query: (of_baseline.get(query), of_other.get(query)) for query in every},
        baseline_name=names[0],
        other_name=names[1],
        settings=baseline.conventions.to_dict(),
    )


def _names(baseline: str, other: str) -> tuple[str, str]:
    """Call files by their last part, where that tells them apart, and what has no name by role."""
    last = PurePath(baseline).name, PurePath(other).name
    if last[0] != last[1]:
        return last
    return ("baseline", "other") if baseline == other else (baseline, other)
