"""One query by the ids of its documents, which an Alignment does not keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import Needs
from rankmark.alignment.tie_probabilities import tie_columns
from rankmark.errors import InputError
from rankmark.sources.prepared.matching import match
from rankmark.sources.prepared.qrels import Qrels, as_threads
from rankmark.sources.prepared.run import Run
from rankmark.sources.tables.table import of_one_query

if TYPE_CHECKING:
    from collections.abc import Collection

    from rankmark.alignment.subtopics import Subtopics
    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.sources.contract.source import Progress

_MOST_COMPARED = 5000  # ids, of which the nearest are named; a thousand take some milliseconds


class Ranked(NamedTuple):
    """One query's documents in rank order: document i of ``doc_ids`` has rank i + 1.

    Parameters
    ----------
    doc_ids
        n ids.
    tie_first, tie_last
        (n,) int64, 1-based first and last rank of the documents that share the score.
    """

    doc_ids: tuple[str, ...]
    tie_first: Ints
    tie_last: Ints


class JudgedDocuments(NamedTuple):
    """What was judged for one query, by id.

    Parameters
    ----------
    doc_ids
        n ids, in the core's order.
    label
        (n,) float64; where documents have several, each one's greatest, as measures see it that
        look at neither subtopics nor groups.
    number
        (n,) int64, what stands for the documents in ``Subtopics`` and ``JudgmentGroups``; None
        where judgments have neither.
    subtopics
        ``{subtopic: label}`` of each document; None where judgments have none.
    """

    doc_ids: tuple[str, ...]
    label: Floats
    number: Ints | None
    subtopics: tuple[dict[str, float], ...] | None


def beside(run: Run, qrels: Qrels) -> Run:
    """Give a run with the groups of the judgments, where it is an array that has none of its own.

    Raises
    ------
    SchemaError
        If the judgments have none either, or for another number of rows.
    """
    grouped = getattr(run.source, "beside", None)
    return run if grouped is None else Run.of(grouped(qrels))


def query_alone(
    run: Run, query: str, *, threads: int | None = None, progress: Progress | None = None
) -> Run | None:
    """Read again only what a run holds for one query; None where it holds nothing for it.

    ``match`` treats it as it treats the whole run for this query. A flat array without groups is
    to be given those of its judgments before; see ``beside``.

    Parameters
    ----------
    threads
        How many threads read a file; None for one a core.
    progress
        Breakdown how many bytes of the file are done, now and then.

    Raises
    ------
    ParseError, DuplicateError, SchemaError, InputError
        As the run's form has it; of the lines of a file, only for those of this query.
    """
    source = run.source.for_query(query, threads=as_threads(threads), progress=progress)
    return None if source is None else Run.of(source)


def ranked_documents(
    run: Run, query: str, conventions: Conventions, judged: Collection[str]
) -> Ranked:
    """Rank the documents of a run of one query as ``match`` does.

    The core ranks, which keeps judged documents alone. So all documents are judged here, each with
    its own number for a label, which tells them apart at their ranks.

    Parameters
    ----------
    run
        As ``query_alone`` gives it.
    conventions
        Documents that only an expected value over ties sees at several ranks are ranked by id.
    judged
        Ids of the judged documents, for ``judged_only``.

    Raises
    ------
    DuplicateError, SchemaError, InputError
        As ``match`` has it.
    """
    rows = run.source.rows(lenient=False, threads=1, progress=None)
    doc_ids = [rows.doc_ids(code) for code in dict.fromkeys(np.asarray(rows.doc_codes).tolist())]
    if conventions.judged_only:
        known = frozenset(judged)
        doc_ids = [doc_id for doc_id in doc_ids if doc_id in known]
    numbers = np.arange(len(doc_ids), dtype=np.float64)
    source = of_one_query(query, doc_ids, numbers, None, "qrels", name=run.name, form={})
    if source is None:
        nobody = np.zeros(0, dtype=np.int64)
        return Ranked((), nobody, nobody)
    source.nameless = run.source.nameless
    alignment, _ = match(Qrels.of(source), run, conventions, needs=Needs())
    ranked = tuple(doc_ids[number] for number in alignment.label.astype(np.int64).tolist())
    first, last = tie_columns(alignment)
    return Ranked(ranked, first.astype(np.int64), last.astype(np.int64))


def judged_documents(qrels: Qrels, query: str) -> JudgedDocuments:
    """Give what was judged for one query.

    Raises
    ------
    InputError
        If it is not judged.
    """
    if query not in qrels.query_ids:
        raise InputError(_not_judged(qrels, query))
    at = qrels.query_ids.index(query)
    first, end = qrels.judgments.starts()[at : at + 2].tolist()
    doc_ids = qrels.doc_ids[first:end]
    label = qrels.judgments.labels()[first:end]
    many = qrels.subtopics if qrels.subtopics is not None else qrels.groups
    if many is None:
        return JudgedDocuments(doc_ids, label, None, None)
    number = label.astype(np.int64)
    subtopics = None
    if qrels.subtopics is not None:
        subtopics = tuple(_labels(qrels.subtopics, document) for document in number.tolist())
    return JudgedDocuments(doc_ids, many.highest[number], number, subtopics)


def _labels(subtopics: Subtopics, document: int) -> dict[str, float]:
    rows = slice(subtopics.starts[document], subtopics.starts[document + 1])
    names = [subtopics.names[number] for number in subtopics.subtopic[rows].tolist()]
    return dict(zip(names, subtopics.label[rows].tolist(), strict=True))


def _not_judged(qrels: Qrels, query: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  (few ids are mistaken)

    many = len(qrels.query_ids)
    near = get_close_matches(query, qrels.query_ids[:_MOST_COMPARED], n=3)
    has = ", ".join(map(repr, near or qrels.query_ids[:3]))
    return (
        f"{qrels.name}: query {query!r} is not judged; {'near it are' if near else 'it has'} {has}"
        f"{', among' if near else ' of'} {many:,} {'query' if many == 1 else 'queries'}; "
        "take one of these"
    )
