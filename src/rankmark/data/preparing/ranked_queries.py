"""Queries with the ids of their documents, which an Alignment does not keep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark._core import table_from_columns
from rankmark.array_types import are_among, distinct
from rankmark.data.alignment import Needs
from rankmark.data.alignment.tie_probabilities import tie_columns
from rankmark.data.contract.reading_options import AS_USUAL, ONE_THREAD, Reading
from rankmark.data.files.file_source import FileSource
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.parents import renamed
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.seen import over
from rankmark.data.preparing.units import naming_documents
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import TableSource
from rankmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment.views import Subtopics
    from rankmark.data.contract.source import Rows, Source

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
    """Return the run, with the groups of the judgments if it is an array without its own."""
    source = run.source.with_groups_of(qrels)
    return run if source is run.source else Run.of(source)


def run_for_query(run: Run, query: str, reading: Reading = AS_USUAL) -> Run | None:
    """Read the part of a run for one query again; None if it has none.

    A flat array without groups needs those of its judgments first; see ``with_groups_of``.
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
    """Return the judged documents of one query."""
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


class FirstDocuments(NamedTuple):
    """Documents of several queries, query by query, in rank order.

    Parameters
    ----------
    starts
        (n + 1,) int64; rows ``starts[i]`` to ``starts[i + 1]`` belong to the i-th query.
    place
        (m,) int64, 1-based place among the documents listed. It is the rank of the first documents;
        judged documents follow, in rank order, without the unjudged ones between them.
    doc_ids
        m ids.
    is_judged
        (m,) bool.
    """

    starts: Ints
    place: Ints
    doc_ids: list[str]
    is_judged: Bools


def first_documents(
    qrels: Qrels, run: Run, conventions: Conventions, queries: Sequence[int], most: int
) -> FirstDocuments:
    """List the first documents of some queries as ``match`` ranks them, then the judged ones.

    Parameters
    ----------
    conventions
        ``ties`` is a rule that orders tied documents. ``depth`` is not applied.
    queries
        Rows of ``qrels``.
    most
        Number of first documents of each query.
    """
    rows = _rows(with_groups_of(qrels, run).source, [qrels.query_ids[row] for row in queries])
    chosen = chosen_rows(rows, qrels, queries)
    key = ranking_key(rows, chosen.row, by_rank=conventions.ties == "rank")
    document_of = naming_documents(run.source, conventions)
    if document_of is None:
        judged = judged_rows(rows, chosen, qrels, queries)
    else:
        judged = _judged_units(rows, chosen, qrels, queries, document_of)
    if conventions.judged_only:
        chosen, key, judged = chosen.only(judged), key[judged], judged[judged]
    if conventions.duplicates == "error" and document_of is None:
        extra = 1 if conventions.drop_self else 0
        single = conventions.precision == "float32"
        kept = judged | _among_first(
            chosen.query, key.astype(np.float32) if single else key, most + extra
        )
        chosen, key, judged = chosen.only(kept), key[kept], judged[kept]
    if not len(chosen.row):
        none = np.zeros(0, dtype=np.int64)
        return FirstDocuments(
            np.zeros(len(queries) + 1, dtype=np.int64), none, [], none.astype(np.bool_)
        )
    return _ranked(rows, chosen, judged, qrels, run, conventions, queries)


def _rows(source: Source, queries: Sequence[str]) -> Rows:
    """List the rows of some queries, among others where the rest would be read anyway."""
    if isinstance(source, FileSource):
        return source.rows(AS_USUAL, lenient=False, queries=queries)
    return source.rows(AS_USUAL, lenient=False)


class _Rows(NamedTuple):
    """Rows of the chosen queries: their numbers in the run, and the place of each one's query."""

    row: Ints
    query: Ints
    document: Ints

    def only(self, kept: Bools | Ints) -> _Rows:
        return _Rows(*(column[kept] for column in self))


def chosen_rows(rows: Rows, qrels: Qrels, queries: Sequence[int]) -> _Rows:
    """Return the rows of some queries, by the places of these."""
    place = {qrels.query_ids[row]: place for place, row in enumerate(queries)}
    of_code = np.array([place.get(query, -1) for query in rows.query_ids], dtype=np.int64)
    query = of_code[np.asarray(rows.query_codes)]
    row = np.flatnonzero(query >= 0)
    return _Rows(row, query[row], np.asarray(rows.doc_codes)[row].astype(np.int64))


def ranking_key(rows: Rows, row: Ints, *, by_rank: bool) -> Floats:
    """Return what orders the rows, highest first: scores, else ranks, else the order given."""
    if rows.number is not None and not by_rank:
        return np.asarray(rows.number, dtype=np.float64)[row]
    if rows.rank is not None:
        return -np.asarray(rows.rank, dtype=np.float64)[row]
    return -row.astype(np.float64)


def judged_rows(rows: Rows, chosen: _Rows, qrels: Qrels, queries: Sequence[int]) -> Bools:
    """Return which rows are judged for their query."""
    starts = qrels.judgments.starts()
    counts = np.diff(starts)[np.asarray(queries, dtype=np.int64)]
    doc_ids = qrels.doc_ids
    names = [doc_id for row in queries for doc_id in doc_ids[starts[row] : starts[row + 1]]]
    codes = np.asarray(rows.doc_numbers(names), dtype=np.int64)
    place = np.repeat(np.arange(len(queries)), counts)
    pairs = (place << 32 | codes)[codes >= 0]
    return are_among(chosen.query << 32 | chosen.document, distinct(pairs))


def _judged_units(
    rows: Rows,
    chosen: _Rows,
    qrels: Qrels,
    queries: Sequence[int],
    document_of: Callable[[str], str],
) -> Bools:
    """Return which rows are units of documents that are judged for their query."""
    starts, doc_ids = qrels.judgments.starts().tolist(), qrels.doc_ids
    judged = [{*doc_ids[starts[row] : starts[row + 1]]} for row in queries]
    codes, place = np.unique(chosen.document, return_inverse=True)
    documents = [document_of(rows.doc_ids(code)) for code in codes.tolist()]
    pairs = zip(chosen.query.tolist(), place.tolist(), strict=True)
    return np.array([documents[at] in judged[query] for query, at in pairs], dtype=np.bool_)


def _among_first(query: Ints, key: Floats, most: int) -> Bools:
    """Return which rows are among the first of their query, with all that tie with the last."""
    if not len(query):
        return np.zeros(0, dtype=np.bool_)
    new = query[1:] != query[:-1]
    number = np.append(0, np.cumsum(new))
    if len(distinct(query)) == number[-1] + 1 and (new | (key[1:] <= key[:-1])).all():
        return _reaching_last(number, key, most)  # as most runs are written
    order = np.lexsort((-key, query))
    ordered = query[order]
    number = np.append(0, np.cumsum(ordered[1:] != ordered[:-1]))
    among = np.empty(len(query), dtype=np.bool_)
    among[order] = _reaching_last(number, key[order], most)
    return among


def _reaching_last(number: Ints, key: Floats, most: int) -> Bools:
    """Return which rows, in descending order in each query, reach the last of the first ones."""
    ends = np.cumsum(np.bincount(number))
    begins = np.append(0, ends[:-1])
    return key >= key[np.minimum(begins + most, ends) - 1][number]


def _ranked(
    rows: Rows,
    chosen: _Rows,
    judged: Bools,
    qrels: Qrels,
    run: Run,
    conventions: Conventions,
    queries: Sequence[int],
) -> FirstDocuments:
    """Rank with the core, which keeps only judged documents.

    So all documents count as judged here, each labelled with a number by which it is recognised.
    """
    codes, place = np.unique(chosen.document, return_inverse=True)
    doc_ids = [rows.doc_ids(code) for code in codes.tolist()]
    query_ids = _ids_of(rows.query_codes, chosen.row, rows.query_ids.__getitem__)
    columns = [query_ids, _as_bytes(doc_ids, place)]
    chosen_run = Run.of(rows_as_table(rows, chosen.row, run, columns))
    if (document_of := naming_documents(run.source, conventions)) is not None:
        chosen_run = over(run, chosen_run.source)
        doc_ids = [*map(document_of, doc_ids)]
        number_of = {doc_id: number for number, doc_id in enumerate(dict.fromkeys(doc_ids))}
        of_code = np.array([number_of[doc_id] for doc_id in doc_ids], dtype=np.int64)
        place, doc_ids = of_code[place], [*number_of]
        chosen = chosen._replace(document=place)
        columns[1] = _as_bytes(doc_ids, place)
    # A document that appears twice is judged once.
    _, first = np.unique(chosen.query << 32 | chosen.document, return_index=True)
    first = np.sort(first)
    numbered = columns
    if len(first) < len(chosen.row):
        numbered = [tuple(map(column.__getitem__, first.tolist())) for column in columns]
    labels = first.astype(np.float64)
    all_judged = TableSource(
        table_from_columns(["q", "d", "label"], [*numbered, labels]),
        Chosen(0, 1, 2, None),
        "qrels",
        name="qrels",
        form={},
    )
    plain = replace(conventions, queries="judged", depth=None, judged_only=False)
    a, _ = match(Qrels.of(all_judged), chosen_run, plain, needs=Needs())
    number = a.label.astype(np.int64)
    by_id = {query: at for at, query in enumerate(a.queries)}
    begins = a.starts.tolist()
    starts = [0]
    order = [np.zeros(0, dtype=np.int64)]
    for row in queries:
        at = by_id.get(qrels.query_ids[row])
        begin, end = (0, 0) if at is None else (begins[at], begins[at + 1])
        order.append(np.arange(begin, end))
        starts.append(starts[-1] + end - begin)
    listed = np.concatenate(order)
    number = number[listed]
    names = place[number].tolist()
    return FirstDocuments(
        np.array(starts, dtype=np.int64),
        a.rank[listed].astype(np.int64),
        [doc_ids[name] for name in names],
        judged[number],
    )


def _ids_of(codes: Any, row: Ints, text: Callable[[int], str]) -> tuple[bytes, ...]:
    """Return the ids of some rows, as bytes."""
    found, place = np.unique(np.asarray(codes)[row], return_inverse=True)
    return _as_bytes([text(code) for code in found.tolist()], place)


def _as_bytes(ids: Sequence[str], place: Ints) -> tuple[bytes, ...]:
    """Return the ids at some places, as bytes."""
    return tuple(map([*map(id_bytes, ids)].__getitem__, place.tolist()))


def rows_as_table(rows: Rows, row: Ints, run: Run, ids: Sequence[Any] | None = None) -> TableSource:
    """Return some rows of a run, with its scores and ranks."""
    if ids is None:
        ids = [
            _ids_of(rows.query_codes, row, rows.query_ids.__getitem__),
            _ids_of(rows.doc_codes, row, rows.doc_ids),
        ]
    names, columns = ["q", "d"], [*ids]
    roles = Chosen(0, 1, None, None)
    if rows.number is not None or rows.rank is None:
        names.append("score")
        columns.append(ranking_key(rows, row, by_rank=False))
        roles = roles._replace(number=2)
    if rows.rank is not None:
        roles = roles._replace(rank=len(names))
        names.append("rank")
        columns.append(np.asarray(rows.rank, dtype=np.float64)[row])
    table, form = table_from_columns(names, columns), run.source.description()
    return TableSource(table, roles, "run", name=run.name, form=form)


def judged_anywhere(
    qrels: Qrels, run: Run, conventions: Conventions, most: int | None = None
) -> Qrels:
    """Judge each retrieved document for its query, with label 0, that is judged for another one.

    In arrays, documents are positions, and judged wherever they are retrieved. Units count for
    their documents, all of which are looked at.

    Parameters
    ----------
    most
        Of how many of the first documents of a query, at least; None for all.
    """
    if qrels.positional is not None and not qrels.positional.sparse:
        return qrels
    source = with_groups_of(qrels, run).source
    document_of = naming_documents(run.source, conventions)
    if most is not None and document_of is None:
        source = source.first_documents(most)
    rows = source.rows(AS_USUAL, lenient=False)
    if document_of is not None:
        rows = renamed(rows, document_of)
    pool = np.asarray(rows.doc_numbers(list(dict.fromkeys(qrels.doc_ids))), dtype=np.int64)
    of_rows = np.asarray(rows.doc_codes).astype(np.int64)
    known = np.zeros(int(max(of_rows.max(initial=-1), pool.max(initial=-1))) + 1, dtype=np.bool_)
    known[pool[pool >= 0]] = True
    found = np.flatnonzero(known[of_rows])
    queries, documents = np.asarray(rows.query_codes)[found].tolist(), of_rows[found].tolist()
    name = {code: rows.doc_ids(code) for code in set(documents)}
    judged = qrels.by_query()
    for query, document in zip(queries, documents, strict=True):
        if (of_query := judged.get(rows.query_ids[query])) is not None:
            of_query.setdefault(name[document], 0.0)
    anywhere = Qrels(judged)
    anywhere.lifted = qrels.lifted
    return anywhere
