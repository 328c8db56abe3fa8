"""Warn if hardly any query or no document of a run is judged, or nothing is relevant."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.preparing.units import UnitCounts
from rankmark.errors import InputError, MismatchError, SchemaError, counted, listed, warn
from rankmark.measures.base.requirements import needed_by

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment
    from rankmark.data.evidence.near_ids import Near
    from rankmark.data.preparing.id_mismatch import NearJudged
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.measures import Measure
    from rankmark.scoring.request import Asked

MANY_WITHOUT = 10
"""Queries without relevant documents that are worth a warning, if they are a tenth of all."""
_FEW = 10_000  # rows that are compared
_FEW_ALIKE = 0.01  # of the judged documents: fewer are told where they change a mean
_ALIKE = "write ids the same way on both sides"
_MANY_SHORT = 0.01  # of the queries of which documents were left out

_called: ContextVar[str | None] = ContextVar("_called", default=None)


@contextmanager
def called(name: str | None) -> Iterator[None]:
    """Name one of several runs in errors and warnings, unless it is a file, which has a name."""
    token = _called.set(name)
    try:
        yield
    except InputError as error:
        is_of_run = error.where is None and error.found.startswith(("run ", "the run "))
        is_form = error.where is not None and error.where.startswith("<")
        if name is not None and (is_of_run or is_form):
            error.where = f"run {name!r}"
        raise
    finally:
        _called.reset(token)


def warn_of_mismatch(
    qrels: Qrels,
    run: Run,
    alignment: Alignment,
    facts: RunFacts,
    effect_of: Callable[[Mapping[str, Mapping[str, float]]], str] | None = None,
) -> None:
    """Warn if few queries match, or none of the retrieved documents is judged.

    ``effect_of`` tells what other judgments, by query and document, would change.
    """
    where = _named(run)
    if not facts.rows and not facts.run_only:
        warn(*_empty_run(facts), where=where)
    if facts.has_units:
        sums = facts.units, facts.unit_documents, facts.whole_units, facts.negative_units
        warn_of_units([UnitCounts(*(int(one.sum()) for one in sums))], where)
    _doubt_one_source(qrels, run, alignment, facts, where)
    # The first condition of each is fast, and usually False.
    if facts.run_only and _few_match(facts):
        from rankmark.data.preparing.id_mismatch import query_mismatch  # noqa: PLC0415

        found = _unmatched_queries(f"{qrels.name} has", qrels.query_ids, facts)
        warn(found, query_mismatch(qrels, run), where=where)
    no_judged = not len(alignment.rank) and not facts.judged.any()
    if not facts.has_units and qrels.groups is None and qrels.subtopics is None:
        for found, near, remedy in _near_ids(qrels, run, alignment, facts, no_judged=no_judged):
            effect = "" if near.labels is None or effect_of is None else effect_of(near.labels)
            if effect or near.near.found > _FEW_ALIKE * qrels.rows:
                warn(f"{found} {near.near}{effect}", remedy, where=where)
    if no_judged and facts.rows and qrels.rows and facts.answered.any():
        warn(*_unmatched_documents(qrels, run, facts), where=where)


def alike(near: Near, option: str) -> str:
    """Say how ids would be alike on both sides; ``option`` maps parts to their documents."""
    return _ALIKE if near.unit is None else f"map parts to documents with {option}={near.unit!r}"


def _near_ids(
    qrels: Qrels, run: Run, alignment: Alignment, facts: RunFacts, *, no_judged: bool
) -> Iterator[tuple[str, NearJudged, str]]:
    """Yield ids of queries or documents that match once both sides write them alike.

    With words for them, and what to do.
    """
    judged = facts.judged
    if (
        facts.run_only
        and len(answered := facts.answered)
        and not answered.all()
        and not _few_match(facts)
    ):
        from rankmark.data.preparing.id_mismatch import near_queries  # noqa: PLC0415

        near = near_queries(qrels, run, answered, facts.run_only_examples)
        if near is not None:
            lacks = counted(near.near.among, "judged query", "judged queries")
            yield f"{near.near.found:,} of {lacks} that it lacks", near, _ALIKE
    if int(judged.sum()) >= qrels.rows:
        return
    from rankmark.data.preparing.id_mismatch import near_documents  # noqa: PLC0415

    near = near_documents(qrels, run, judged, alignment.retrieved, facts.rows)
    if near is not None and not no_judged:  # then the likely reason is said anyway
        ids = near.near
        found = f"{ids.found:,} of {counted(ids.among, 'more judged document')}, besides the"
        option = "unit" if len(ids.theirs) > len(ids.ours) else "qrels_unit"
        yield f"{found} {int(judged.sum()):,} that it holds,", near, alike(ids, option)


def _doubt_one_source(
    qrels: Qrels, run: Run, alignment: Alignment, facts: RunFacts, where: str
) -> None:
    """Refuse labels and scores from one column; warn of other judgments that are their own run.

    Whole numbers in memory may be given twice to see what an ideal ranking gets.
    """
    one_file = run.source.is_file and qrels.source.is_file and _are_one_file(qrels.name, run.name)
    if not one_file and (facts.rows != qrels.rows or facts.rows < 2):
        return
    label, score = _column(qrels, "label"), _column(run, "score")
    one_column = label is not None and label == score
    if not (one_file or one_column or _has_fractions(alignment)):  # as nearly always
        return
    same_documents = all(_column(qrels, of) == _column(run, of) for of in ("doc_id", "list"))
    if one_file and same_documents and (one_column or label is None or score is None):
        found = "the judgments and the run are the same file"
    elif one_column or _has_fractions(alignment):
        found = "the judgments and the run have the same numbers for the same documents"
    else:
        return
    same = _is_ideal(alignment, facts) and _have_same_numbers(qrels, run)
    if same and one_column and not qrels.source.vouched:
        raise SchemaError(
            f"{found}, labels and scores in one column {label!r}, so the ranking would be ideal",
            "give the run of a system, or choose the columns with columns={'label': NAME} and "
            "columns={'score': NAME}, or --column label=NAME and --column score=NAME",
            where=where,
        )
    if same or (one_file and same_documents):
        warn(
            f"{found}, so the labels rank the documents, and the scores are those of an ideal "
            "ranking",
            "give the run of a system",
            where=where,
        )


def _column(side: Qrels | Run, role: str) -> str | None:
    columns: dict[str, str] = side.source.description().get("columns", {})
    return columns.get(role)


def _has_fractions(alignment: Alignment) -> bool:
    return bool((alignment.label != np.rint(alignment.label)).any())


def _is_ideal(alignment: Alignment, facts: RunFacts) -> bool:
    """Return True if all retrieved documents are judged, and labels never rise down a ranking."""
    if int(facts.judged.sum()) != facts.rows or facts.rows < 2:
        return False
    same_query = np.diff(np.repeat(np.arange(len(facts.judged)), np.diff(alignment.starts))) == 0
    return not bool(((np.diff(alignment.label) > 0) & same_query).any())


def _have_same_numbers(qrels: Qrels, run: Run) -> bool:
    try:
        rows = run.source.rows(AS_USUAL, lenient=True)
    except InputError:  # rows that have no ids
        return False
    if rows.number is None:
        return False
    labels = qrels.by_query()
    first = zip(rows.query_codes[:_FEW], rows.doc_codes[:_FEW], rows.number[:_FEW], strict=True)
    return all(
        labels.get(rows.query_ids[query], {}).get(rows.doc_ids(document)) == number
        for query, document, number in first
    )


def warn_of_short_lists(run: Run, asked: Asked, alignment: Alignment, facts: RunFacts) -> None:
    """Warn if lists are shorter than a cutoff only because documents were left out.

    Lists are often cut to k when they are made, and then lack what would have come next.
    """
    left_out = np.zeros(len(alignment.retrieved), dtype=np.int64)
    if facts.seen is not None:
        left_out += facts.seen
    if asked.conventions.drop_self:
        left_out += facts.self_matches
    left, depth = alignment.retrieved, asked.conventions.depth
    most = 0
    for measure in asked.measures:
        k = needed_by(measure).deepest
        if k is not None and (depth is None or k <= depth):
            short = int(np.count_nonzero((left < k) & (left + left_out >= k)))
            if short and k > most and short >= _MANY_SHORT * np.count_nonzero(left_out):
                most, many = k, short
    if most:
        queries = "1 query has" if many == 1 else f"{many:,} queries have"
        warn(
            f"{queries} fewer than {most:,} documents left, as those "
            f"{'in seen' if facts.seen is not None else 'with the id of the query'} are left out, "
            "so lists that were cut before lack those that come next",
            f"retrieve more, so that {most:,} are left",
            where=_named(run),
        )


def _named(run: Run) -> str:
    """Name a run in a warning."""
    name = _called.get()
    return run.name if name is None or not run.name.startswith("<") else f"run {name!r}"


def _are_one_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)  # noqa: PTH121
    except (OSError, ValueError):  # not on this machine, or no path: a URL, an open file
        return False


def warn_of_batches(queries: Sequence[str], facts: RunFacts) -> None:
    """Warn of the same, given the judged queries of all batches and facts about all runs."""
    if not facts.rows and not facts.run_only:
        warn(*_empty_run(facts), where="the run")
    if facts.run_only and _few_match(facts):
        found = _unmatched_queries("the judgments have", queries, facts)
        warn(found, "check that both have the same query ids", where="the run")
    if facts.rows and facts.answered.any() and not facts.judged.any():
        warn(
            "no document that it holds is judged for its query",
            "check that the judgments have the same document ids",
            where="the run",
        )


def mismatch_of_batches(
    queries: Sequence[str], facts: RunFacts, remedy: str | None
) -> MismatchError:
    """Return the error of batches none of whose runs has a judged query."""
    return MismatchError(
        f"none of its {facts.run_only:,} queries is judged: it has "
        f"{listed(facts.run_only_examples, facts.run_only)}, the judgments have "
        f"{listed(queries[:3], len(queries))}",
        remedy,
        where="the run",
    )


def warn_of_no_relevant(
    measures: Sequence[Measure],
    conventions: Conventions,
    highest: float,
    relevant: Bools,
    where: str,
) -> None:
    """Warn if many queries have no relevant documents and lower the means.

    Rows of a matrix are empty for users without test items, and other tools leave these out. A
    profile says what its tool does.

    Parameters
    ----------
    highest
        The highest label; if it is below 1, ``warn_of_rel`` says more.
    relevant
        (n,) bool, whether each query that is averaged has a relevant document.
    where
        Whose queries they are.
    """
    without = len(relevant) - int(np.count_nonzero(relevant))
    few = without < max(MANY_WITHOUT, len(relevant) / 10)
    if few or conventions.profile is not None or 0 < highest < 1:
        return
    counted_0 = [
        measure
        for measure in measures
        if measure.nothing_relevant == 0
        and measure.more_is_better
        and conventions.of(measure).no_relevant == "zero"
    ]
    if counted_0:
        warn(
            f"{without:,} of {len(relevant):,} queries have no relevant documents, and count 0 in "
            f"{counted_0[0]}{' and others' if counted_0[1:] else ''}",
            'leave them out with no_relevant="skip", as libraries for recommender systems do',
            where=where,
        )


def warn_of_units(counts: Iterable[UnitCounts], where: str) -> None:
    """Warn if no run has units, or sums of scores punish documents with many units."""
    found = [*counts]
    units, negative = sum(one.units for one in found), sum(one.negative for one in found)
    if units and units == sum(one.whole for one in found):
        warn(
            f"unit is given, but none of the {units:,} retrieved ids contains it, so every id is "
            "that of a document",
            "give the text that separates a document's id from the rest of its units' ids",
            where=where,
        )
    if negative:
        warn(
            f"{negative:,} of {units:,} units have scores below 0, so a document with more units "
            "has a lower sum",
            'use combine="best" or "mean"',
            where=where,
        )


def warn_of_rel(measures: Sequence[Measure], highest: float) -> None:
    """Warn if there are positive labels, the highest of which is below the default rel."""
    if not 0 < highest < 1:
        return
    for measure in measures:
        if getattr(measure, "rel", None) == 1:
            warn(
                f"no label reaches rel=1, the highest is {highest:g}, so nothing is relevant",
                f"choose rel, as in {measure.name}(rel={highest:g})",
                where=str(measure),
            )
            return


def _empty_run(facts: RunFacts) -> tuple[str, str]:
    judged = len(facts.answered)
    counted = "the judged query counts" if judged == 1 else f"all {judged:,} judged queries count"
    return (
        f"it holds no documents, so {counted} as if nothing had been retrieved",
        "was it never filled, or is it an iterator that was read before?",
    )


def _few_match(facts: RunFacts) -> bool:
    """Return whether less than a tenth of the queries of either side are in both."""
    answered = int(np.count_nonzero(facts.answered))
    return 10 * answered < min(len(facts.answered), answered + facts.run_only)


def _unmatched_queries(judgments_have: str, queries: Sequence[str], facts: RunFacts) -> str:
    answered = int(np.count_nonzero(facts.answered))
    return (
        f"only {answered:,} of its {answered + facts.run_only:,} queries are among the "
        f"{len(queries):,} judged: it has {listed(facts.run_only_examples, facts.run_only)} "
        f"besides, {judgments_have} {listed(queries[:3], len(queries))}"
    )


def _unmatched_documents(qrels: Qrels, run: Run, facts: RunFacts) -> tuple[str, str]:
    from rankmark.data.preparing.id_mismatch import document_mismatch  # noqa: PLC0415

    run_documents, reason = document_mismatch(qrels, run)
    has = f" it has {listed(run_documents, facts.rows)}," if run_documents else ""
    return (
        f"no document that it holds is judged for its query:{has} {qrels.name} judges "
        f"{listed(qrels.doc_ids[:3], qrels.rows)}",
        reason,
    )
