"""One query with its document ids, which an Alignment does not keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.data.alignment.tie_probabilities import tie_columns
from rankmark.data.contract.reading_options import AS_USUAL, ONE_THREAD, Reading
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import naming_documents
from rankmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment.subtopics import Subtopics

_MOST_COMPARED = 5000  # ids searched for similar ones; a thousand take a few milliseconds


class RankedDocuments(NamedTuple):
    """One query's documents in rank order.

    Parameters
    ----------
    doc_ids
        n ids, by rank.
    tie_first, tie_last
        (n,) int64, 1-based first and last rank of the documents that share the score.
    """

    doc_ids: tuple[str, ...]
    tie_first: Ints
    tie_last: Ints


class JudgedDocuments(NamedTuple):
    """The judged documents of one query.

    Parameters
    ----------
    doc_ids
        n ids, in the core's order.
    label
        (n,) float64; the highest of each document's labels, as used by measures that ignore
        subtopics and groups.
    number
        (n,) int64, the documents' numbers in ``Subtopics`` or ``JudgmentGroups``; None without
        subtopics and groups.
    subtopics
        ``{subtopic: label}`` of each document; None without subtopics.
    """

    doc_ids: tuple[str, ...]
    label: Floats
    number: Ints | None
    subtopics: tuple[dict[str, float], ...] | None


def with_groups_of(qrels: Qrels, run: Run) -> Run:
    """Return the run, with the groups of the judgments if it is an array without its own.

    Raises
    ------
    SchemaError
        If the judgments have no groups either, or groups of another number of rows.
    """
    grouped = getattr(run.source, "with_groups_of", None)
    return run if grouped is None else Run.of(grouped(qrels))


def run_for_query(run: Run, query: str, reading: Reading = AS_USUAL) -> Run | None:
    """Read the part of a run for one query again; None if it has none.

    A flat array without groups needs those of its judgments first; see ``with_groups_of``.

    Raises
    ------
    ParseError, DuplicateError, SchemaError, InputError
        If the part cannot be read; mistakes in other lines of a file are ignored.
    """
    source = run.source.for_query(query, reading)
    if source is None:
        return None
    source.vouched = run.source.vouched or "in part"
    return Run.of(source)


def ranked_documents(
    run: Run, query: str, conventions: Conventions, judged: Collection[str]
) -> RankedDocuments:
    """Rank the documents of a run of one query as ``match`` does.

    The core ranks, but keeps only judged documents. So all documents count as judged here, each
    labelled with its own number, by which it is recognised at its rank.

    Parameters
    ----------
    run
        As returned by ``run_for_query``.
    conventions
        If ties are averaged over, tied documents are ordered by id.
    judged
        Ids of the judged documents, for ``judged_only``.

    Raises
    ------
    DuplicateError, SchemaError, InputError
        See ``match``.
    """
    from rankmark.data.tables.table import of_one_query  # noqa: PLC0415  (rarely needed)

    rows = run.source.rows(ONE_THREAD, lenient=False)
    codes = dict.fromkeys(np.asarray(rows.doc_codes).tolist())
    doc_ids = [rows.doc_ids(code) for code in codes]
    if (document_of := naming_documents(run.source, conventions)) is not None:
        doc_ids = [*dict.fromkeys(map(document_of, doc_ids))]
    if conventions.judged_only:
        known = frozenset(judged)
        doc_ids = [doc_id for doc_id in doc_ids if doc_id in known]
    numbers = np.arange(len(doc_ids), dtype=np.float64)
    source = of_one_query(query, doc_ids, numbers, None, "qrels", name=run.name, form={})
    if source is None:
        none = np.zeros(0, dtype=np.int64)
        return RankedDocuments((), none, none)
    source.nameless = run.source.nameless
    alignment, _ = match(Qrels.of(source), run, conventions, needs=Needs())
    ranked = tuple(doc_ids[number] for number in alignment.label.astype(np.int64).tolist())
    first, last = tie_columns(alignment)
    return RankedDocuments(ranked, first.astype(np.int64), last.astype(np.int64))


def judged_documents(qrels: Qrels, query: str) -> JudgedDocuments:
    """Return the judged documents of one query.

    Raises
    ------
    InputError
        If it is not judged.
    """
    if query not in qrels.query_ids:
        raise _not_judged(qrels, query)
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


def _not_judged(qrels: Qrels, query: str) -> InputError:
    from difflib import get_close_matches  # noqa: PLC0415  (rarely needed)

    many = len(qrels.query_ids)
    near = get_close_matches(query, qrels.query_ids[:_MOST_COMPARED], n=3)
    has = ", ".join(map(repr, near or qrels.query_ids[:3]))
    return InputError(
        f"query {query!r} is not judged; {'similar ids are' if near else 'it has'} "
        f"{has}{', among' if near else ' of'} {many:,} {'query' if many == 1 else 'queries'}",
        "choose one of these",
        where=qrels.name,
    )
