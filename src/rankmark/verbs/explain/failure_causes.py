"""Find out why relevant documents are not among the first of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from rankmark.arguments import Share, checked
from rankmark.data.alignment import LAST_RANK, Needs, query_of_rows
from rankmark.data.alignment.tie_probabilities import tie_columns
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.parents import prepared_once
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.seen import Seen, without_seen
from rankmark.data.preparing.units import judgments_of_documents, naming_documents
from rankmark.errors import DuplicateError, MeasureError
from rankmark.results.run_names import short_names
from rankmark.scoring.ranked import averaged, refuse_unjudged
from rankmark.scoring.rejudged import notes_on_data, refuse_unused, rejudged, spending_of
from rankmark.verbs.evaluate.evaluate import asked_of
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.given_runs import named_runs, refuse_trials
from rankmark.verbs.evaluate.query_attributes import attributes_of, column_or_file, slices_of
from rankmark.verbs.explain.failures import (
    BELOW,
    LOST,
    Failure,
    FailureCauses,
    RunFailures,
    where_of,
)

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.corpus_ids import JudgedInCorpus
    from rankmark.data.preparing.qrels import Qrels, QrelsSource
    from rankmark.measures import Measure
    from rankmark.verbs.evaluate.query_attributes import Attributes


@checked
@shows(RunsOptions)
def failure_causes(
    qrels: Qrels | QrelsSource,
    stages: Any,
    measure: str | Measure = "nDCG@10",
    *,
    against: Any = None,
    by: Attributes | None = None,
    confidence: Share = 0.95,
    **options: Unpack[RunsOptions],
) -> FailureCauses:
    """Find out why relevant documents are not among the first k of a run.

    Each has one cause: it is gone from the corpus; the query is missing; no stage retrieved it; it
    was lost between two stages; it was lost as units such as chunks were combined; it is tied with
    one of the first k; or it is below the cutoff.

    Parameters
    ----------
    Data:
    qrels
        As for ``evaluate``.
    stages
        The run, as for ``evaluate``; or the stages of a pipeline in order, such as retrieved, fused
        and reranked: ``{name: run}``, or a list of paths. The last one is what users see.
    against
        Another run, or other stages: what has another cause there is counted.
    by
        Slices of the queries, in which causes are counted, too: a file or a column of the
        judgments, as for ``compare``.

    Measures:
    measure
        A name or an object: its cutoff, and which documents are relevant to it.

    Statistics:
    confidence
        Of the intervals of shares.
    **options
        The other keywords of ``evaluate``.

    Returns
    -------
    FailureCauses
        ``causes`` with counts, shares and queries; ``rows``, the documents; and ``pipelines``, both
        for each run.

    Raises
    ------
    MeasureError
        If the measure does not exist, or is not of judged documents.
    InputError
        If a file or the corpus cannot be read, or two runs have the same name.
    ParseError, DuplicateError, MismatchError, SchemaError
        As ``evaluate``.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1, "b": 1, "c": 1}}
    >>> stages = {"retrieved": {"q1": ["x", "a", "b"]}, "reranked": {"q1": ["a", "x"]}}
    >>> found = rm.failure_causes(qrels, stages, "R@2")
    >>> [(one.cause, one.documents) for one in found.causes]
    [('not retrieved', 1), ('lost between retrieved and reranked', 1)]
    """
    given: dict[str, Any] = {**options}
    reading, seen = Reading.taken_from(given), given.pop("seen", None)
    asked = asked_of([measure], given)
    if len(asked.measures) > 1:
        names = ", ".join(map(str, asked.measures))
        raise MeasureError("a cutoff is that of one measure", f"found {names}")
    reading.refuse_items()
    refuse_unused(reading, asked.measures)
    reading = reading._replace(parents=prepared_once(reading.parents))
    pair = PairOptions(reading, subtopics=asked.needs.subtopics)
    judged = pair.qrels_of(qrels, reading.of_file(0))
    in_corpus: JudgedInCorpus | None = None
    if reading.corpus is not None or reading.unwinnable is not None:
        from rankmark.scoring.unwinnable import judged_in_corpus, leaving_out  # noqa: PLC0415

        in_corpus = judged_in_corpus(judged, asked, reading)
        asked = leaving_out(asked, in_corpus, reading)
    judged = judgments_of_documents(judged, asked.conventions.qrels_unit)
    if seen is not None:
        seen = Seen(seen, reading)
    pipelines = []
    sides = {"run": stages} if against is None else {"run": stages, "other": against}
    for called, side in sides.items():
        by_name = _by_stage(side, called)
        runs = {name: pair.run_of(run) for name, run in by_name.items()}
        if seen is not None:
            runs = {name: without_seen(judged, run, seen) for name, run in runs.items()}
        pipelines.append(runs)
    sources = [run.source for runs in pipelines for run in runs.values()]
    pair.refuse_unused((judged.source.description(), *(one.description() for one in sources)))
    last = [[*runs][-1] for runs in pipelines]
    if len({*last}) < len(last):
        raise DuplicateError(f"two runs have the name {last[0]}", "give them as {name: run}")
    again = reading.once_more()._replace(progress=reading.progress)
    readings = [again.of_file(number) for number, _ in enumerate(sources, 1)]
    found, notes = causes_of(
        judged, pipelines, asked.measures[0], asked.conventions, in_corpus, readings
    )
    if lost := asked.conventions.unwinnable:
        from rankmark.data.preparing.corpus_ids import are_left_out  # noqa: PLC0415

        notes.append(are_left_out(lost))
    attributes = {} if by is None else attributes_of(column_or_file(by, qrels), judged.query_ids)
    slices = {
        name: [one for row in rows if (one := judged.query_ids[row]) in found[0].relevant_by_query]
        for name, rows in slices_of(attributes).items()
    }
    return FailureCauses(
        measure=str(asked.measures[0]),
        where=where_of(asked.measures[0]),
        pipelines=tuple(found),
        slices={name: queries for name, queries in slices.items() if queries},
        confidence=confidence,
        notes=notes,
        settings=asked.conventions.to_dict(),
    )


_OF_ONE_RUN = ("ndim", "read", "_is_result")
"""What arrays, open files and results have, and no mapping or list of runs."""


def _by_stage(given: Any, name: str) -> Mapping[str, Any]:
    """Return the stages by name; one run is called after its file, or by a name."""
    first = next(iter(given.values()), None) if isinstance(given, Mapping) else None
    if isinstance(given, (list, tuple)) and given:
        first = given[0]
    if isinstance(given, Run):
        return {short_names([given.name])[0] if given.source.is_file else name: given}
    refuse_trials(first if isinstance(given, (Mapping, list, tuple)) else given)
    is_of_queries = isinstance(first, Mapping) and not any(
        isinstance(one, (Mapping, list, tuple)) for one in first.values()
    )
    is_run = isinstance(first, (list, tuple, set, frozenset)) or (
        is_of_queries and not hasattr(first, "_is_result")
    )
    if is_run or is_frame(given) or any(hasattr(given, one) for one in _OF_ONE_RUN):
        return {name: given}
    stages = named_runs(given, None, systems=False)[0]
    for stage in stages.values():
        refuse_trials(stage)
    return stages


class _Placed(NamedTuple):
    """Where a run has the judged documents.

    Parameters
    ----------
    rank, tie_first
        (J,) int64, the rank of each, and the first rank with its score; 0 if not retrieved.
    answered
        (Q,) bool, which queries the run has.
    """

    rank: Ints
    tie_first: Ints
    answered: Bools


def _placed(numbered: Qrels, run: Run, conventions: Conventions, reading: Reading) -> _Placed:
    """Rank a run; labels are numbers of documents, by which they are recognised."""
    a, facts = match(numbered, run, conventions, needs=Needs(), reading=reading)
    rank, first = np.zeros((2, len(numbered.labels)), dtype=np.int64)
    at = a.label.astype(np.int64)
    rank[at], first[at] = a.rank, tie_columns(a)[0]
    return _Placed(rank, first, facts.answered)


def causes_of(
    qrels: Qrels,
    pipelines: Sequence[Mapping[str, Run]],
    measure: Measure,
    conventions: Conventions,
    in_corpus: JudgedInCorpus | None = None,
    readings: Iterable[Reading] = repeat(AS_USUAL),
) -> tuple[list[RunFailures], list[str]]:
    """Return what each pipeline did not find, and notes.

    Parameters
    ----------
    pipelines
        The stages of each by name, prepared.
    in_corpus
        What a corpus lacks of the judged documents.
    readings
        How each run is read.
    """
    refuse_unjudged(conventions, qrels.query_ids)
    if measure.depends_on in {"lists", "run"}:
        raise MeasureError(
            f"{measure} looks at items, whatever their labels", "name one of labels, such as R@10"
        )
    notes = notes_on_data(measure)
    if conventions.unordered is not None:
        notes.append(f"ties: by id here, although {conventions.ties} was chosen")
    conventions = replace(
        conventions.ordered(), judged_only=conventions.judged_only or measure.judged_only
    )
    numbered = qrels.with_labels(np.arange(len(qrels.labels), dtype=np.float64))
    place = partial(_placed, numbered, conventions=conventions)
    reading = iter(readings)
    placed = [
        {name: place(run, reading=next(reading)) for name, run in stages.items()}
        for stages in pipelines
    ]
    relevant = _relevant(qrels, [*pipelines[0].values()][-1], measure, conventions)
    gone = {} if in_corpus is None else in_corpus.gone
    found = []
    for stages, of_stages in zip(pipelines, placed, strict=True):
        last = [*stages.values()][-1]
        by_units = _by_first_unit(numbered, last, conventions)
        of_last = [*of_stages.values()][-1]
        within = of_last, np.zeros(len(of_last.rank), dtype=np.bool_)
        if (limit := measure.budget) is not None:
            spending = spending_of(qrels, last, measure, conventions, limit.cost)
            parts = spending.within(limit), spending.tied_across(limit)
            taken, tied = (place(part, reading=AS_USUAL) for part in parts)
            within = taken, tied.rank > 0
        found.append(
            _failures(qrels, of_stages, relevant, gone, by_units, within, measure, conventions)
        )
    return found, notes


def _relevant(qrels: Qrels, run: Run, measure: Measure, conventions: Conventions) -> Bools:
    """Return which judged documents are relevant: (J,) bool."""
    if measure.depends_on != "subtopics":
        a: Any = None  # on which no other measure depends
        return measure.is_relevant(a, rejudged(qrels, measure).labels)
    a, _ = match(qrels, run, conventions, needs=Needs(subtopics=True))
    return measure.is_relevant(a, np.arange(len(qrels.labels), dtype=np.float64))


def _by_first_unit(numbered: Qrels, run: Run, conventions: Conventions) -> Ints | None:
    """Return the ranks of documents by the first unit of each, if they are ranked otherwise."""
    is_usual = conventions.combine in {"best", "first"} and conventions.unit_depth is None
    if is_usual or naming_documents(run.source, conventions) is None:
        return None
    first = replace(conventions, combine="first", unit_depth=None)
    return _placed(numbered, run, first, AS_USUAL).rank


def _failures(
    qrels: Qrels,
    placed: Mapping[str, _Placed],
    relevant: Bools,
    gone: Mapping[str, Sequence[str]],
    by_units: Ints | None,
    within: tuple[_Placed, Bools],
    measure: Measure,
    conventions: Conventions,
) -> RunFailures:
    """Find the cause of each relevant document that the last stage has not among the first k."""
    stages, each = [*placed], [*placed.values()]
    last, query = each[-1], query_of_rows(qrels.starts)
    counted = averaged(conventions, qrels.query_ids, last.answered)
    if counted is not None:
        relevant = relevant & np.isin(query, counted)
    k = getattr(measure, "k", None) or LAST_RANK
    taken, tied_across = within
    inside = (taken.rank > 0) & (taken.rank <= k)
    missed = np.flatnonzero(relevant & ~inside)
    answered = np.any([one.answered for one in each], axis=0)
    tied = np.where(taken.rank > 0, taken.tie_first <= k, tied_across)[missed]
    ranks_of = zip(*(one.rank[missed].tolist() for one in each), strict=True)
    labels, doc_ids, query_ids = qrels.labels[missed].tolist(), qrels.doc_ids, qrels.query_ids
    failures = []
    for row, number, label, is_tied, ranks in zip(
        missed.tolist(), query[missed].tolist(), labels, tied.tolist(), ranks_of, strict=True
    ):
        found = [place for place, rank in enumerate(ranks) if rank]
        at = found[-1] if found else None
        before = [place for place in found if place < len(each) - 1 and ranks[place] <= k]
        if at is not None and at < len(each) - 1:
            cause = LOST
        elif by_units is not None and 0 < by_units[row] <= k:
            cause = "lost as units were combined"
        elif at is not None:
            cause = "tied across the cutoff" if is_tied else BELOW
        elif doc_ids[row] in gone.get(query_ids[number], ()):
            cause = "gone from the corpus"
        else:
            cause = "not retrieved" if answered[number] else "query missing"
        failures.append(
            Failure(
                query_ids[number],
                doc_ids[row],
                label,
                cause,
                None if at is None else stages[at],
                None if at is None else ranks[at],
                stages[before[-1]] if before and k < LAST_RANK else None,
            )
        )
    numbers, counts = np.unique(query[relevant], return_counts=True)
    of_query = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    return RunFailures(
        run=stages[-1],
        stages=tuple(stages),
        relevant_by_query={qrels.query_ids[number]: count for number, count in of_query.items()},
        failures=tuple(failures),
    )
