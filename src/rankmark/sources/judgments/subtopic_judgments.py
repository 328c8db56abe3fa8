"""Judgments by subtopic: read row by row, and made into what measures of diversity look at."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark import _core
from rankmark.alignment.subtopics import numbered
from rankmark.errors import (
    DuplicateError,
    InputError,
    RankmarkError,
    RankmarkWarning,
    SchemaError,
    listed,
    shown,
    warn,
)
from rankmark.sources.contract.source import Judged
from rankmark.sources.ids.numeric import doubles_of, id_bytes, row_from_0
from rankmark.sources.judgments.numbered_judgments import numbered_judgments
from rankmark.sources.mappings.walking import items
from rankmark.sources.tables.columns import Chosen
from rankmark.sources.tables.table import rows_of_table, side, worded

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.sources.contract.source import AlignedRun, PreparedQrels, Rows, Source
    from rankmark.sources.contract.source_options import Options
    from rankmark.sources.files.files import Progress

WANTED = "{query id: {subtopic: {document id: label}}}"


class RowsBySubtopic(NamedTuple):
    """All judgments of a source, with the subtopic of each.

    Parameters
    ----------
    rows
        The judgments; queries without one may be among ``rows.query_ids``.
    codes, ids
        (n,) whole numbers of the subtopics, and a function that gives the id with a number.
    """

    rows: Rows
    codes: Any
    ids: Callable[[int], str]


class BySubtopic:
    """Judgments that are read with their subtopics, whatever form they have.

    The core sees each judged document of a query once, with its number for a label.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name
        self.positions = source.positions
        self.nameless = source.nameless
        self.is_file = source.is_file

    def read_qrels(self, *, threads: int, progress: Progress | None) -> Judged:
        """Read judgments."""
        read = self.rows_by_subtopic(threads=threads, progress=progress)
        return judged(read, side(self.name, "qrels"))

    def align_run(
        self,
        qrels: PreparedQrels,
        ranking: _core.RankingOptions,
        *,
        by_rank: bool,
        threads: int,
        progress: Progress | None,
    ) -> AlignedRun:
        """Refuse to be a run."""
        raise InputError(f"{self.name} holds judgments by subtopic; a run has no subtopics")

    def rows(self, *, lenient: bool, threads: int, progress: Progress | None) -> Rows:
        """List all rows."""
        return self._source.rows(lenient=lenient, threads=threads, progress=progress)

    def rows_by_subtopic(self, *, threads: int, progress: Progress | None) -> RowsBySubtopic:
        """List all judgments with the subtopic of each."""
        read = getattr(self._source, "rows_by_subtopic", None)
        if read is None:
            raise SchemaError(
                f"{side(self.name, 'qrels')} hold no subtopics, which measures of diversity need; "
                "give a TREC file `qid subtopic docid label`, rows or a frame with a column "
                f"subtopic, or {WANTED}"
            )
        found: RowsBySubtopic = read(threads=threads, progress=progress)
        return found

    def for_query(self, query: str, *, threads: int, progress: Progress | None) -> Source | None:
        """Read again only what it holds for one query, without subtopics."""
        return self._source.for_query(query, threads=threads, progress=progress)

    def keep(self) -> None:
        """Copy what the caller may change."""
        self._source.keep()

    def as_read(self) -> BySubtopic | None:
        """Give the same file to be read later; None where there is none."""
        source = self._source.as_read()
        return None if source is None else BySubtopic(source)

    def description(self) -> dict[str, Any]:
        """Say what it was taken for."""
        return self._source.description() | {"subtopics": True}

    def sha256(self) -> str | None:
        """Hash the file's bytes; None where there is no file."""
        return self._source.sha256()


def judged(read: RowsBySubtopic, where: str) -> Judged:
    """Give each document of a query a number, and gather what each was judged for.

    Raises
    ------
    DuplicateError
        If a document stands twice for one subtopic of one query.
    SchemaError
        If a label is no finite number.

    Warns
    -----
    RankmarkWarning
        If no query has more than one subtopic.
    """
    rows = read.rows
    label = np.ones(len(rows.doc_codes)) if rows.number is None else np.asarray(rows.number)
    _refuse_infinite(rows, label, where)
    query = np.asarray(rows.query_codes, dtype=np.int64)
    codes = np.asarray(rows.doc_codes, dtype=np.int64)
    doc_ids = [rows.doc_ids(code) for code in range(int(codes.max(initial=-1)) + 1)]
    preferred = np.array(
        sorted(range(len(doc_ids)), key=lambda code: id_bytes(doc_ids[code]), reverse=True),
        dtype=np.int64,
    )
    place = np.empty_like(preferred)
    place[preferred] = np.arange(len(preferred))
    _refuse_twice(read, query, codes, where)
    owner, places, subtopics = numbered(query, place[codes], read.codes, label)
    names = tuple(map(read.ids, range(int(subtopics.subtopic.max(initial=-1)) + 1)))
    _warn_of_one_subtopic(read, query, where)
    by_query: list[dict[str, float]] = [{} for _ in rows.query_ids]
    for number, (row, code) in enumerate(
        zip(owner.tolist(), preferred[places].tolist(), strict=True)
    ):
        by_query[row][doc_ids[code]] = float(number)
    judgments, query_ids, in_order = numbered_judgments(rows.query_ids, by_query)
    return Judged(
        judgments,
        query_ids,
        len(label),
        extra_columns=rows.extra_columns,
        doc_ids=in_order,
        subtopics=replace(subtopics, names=names),
    )


def rows_of_nested(mapping: Mapping[Any, Any], where: str) -> RowsBySubtopic:
    """List the judgments of ``{query id: {subtopic: {document id: label}}}``, or of relevant ids.

    Raises
    ------
    SchemaError
        If it is not of this shape.
    """
    counts: list[int] = []
    queries: list[Any] = []
    subtopics: list[Any] = []
    documents: list[Any] = []
    labels: list[Any] = []
    for query, held in items(mapping, where):
        before = len(documents)
        for subtopic, inner in items(_by_subtopic(held, query), f"{where}: query {shown(query)}"):
            ids = _documents(inner, query, subtopic)
            queries += [query] * len(ids)
            subtopics += [subtopic] * len(ids)
            documents += ids
            labels += inner.values() if isinstance(inner, Mapping) else [1.0] * len(ids)
        counts.append(len(documents) - before)
    if not documents:
        raise InputError(f"{where} hold no judgments; need {WANTED}")

    def place(row: int) -> str:
        return (
            f"query {shown(queries[row])}, subtopic {shown(subtopics[row])}, "
            f"document {shown(documents[row])}"
        )

    number = doubles_of(labels, where, "label", place)
    names = ["query_id", "subtopic", "doc_id", "label"]
    with worded(where, names, place):
        each = _core.table_from_columns(["query_id"], [list(mapping)])
        codes, ids = _core.numbered(each, 0)
        table = _core.table_from_columns(names, [queries, subtopics, documents, number])
        read = rows_of_subtopic_table(table, Chosen(0, 2, 3, None, 1), where)
    if len(ids) < len(mapping):
        raise DuplicateError(f"{where}: a query stands twice; keep one (1 and '1' are one id)")
    every = tuple(ids[code] for code in range(len(ids)))
    rows = read.rows._replace(query_codes=np.repeat(codes, counts), query_ids=every)
    return read._replace(rows=rows)


def rows_of_subtopic_table(table: _core.Table, chosen: Chosen, where: str) -> RowsBySubtopic:
    """List the rows of a table with a column of subtopics."""
    if not len(table):
        raise InputError(f"{where} hold no judgments; need a row at least")
    assert chosen.subtopic is not None  # noqa: S101
    codes, ids = _core.numbered(table, chosen.subtopic)
    return RowsBySubtopic(rows_of_table(table, chosen, "qrels"), codes, ids.__getitem__)


def like_subtopics(source: Any, options: Options) -> str:
    """Say, as the end of a message, that judgments look like judgments by subtopic, if they do.

    They are read anew, which only judgments cost that were refused.
    """
    from rankmark.sources.recognise.forms import recognised  # noqa: PLC0415  (it recognises these too)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankmarkWarning)
            by_subtopic = recognised(source, "qrels", options._replace(subtopics=True))
            by_subtopic.read_qrels(threads=1, progress=None)
    except RankmarkError:
        return ""
    return (
        "; or are these judgments by subtopic, as they look? ask for a measure that sees them, "
        "such as alpha_nDCG@10 or ERR_IA@10, and others beside it see each document's greatest "
        "label; in Python also rm.Qrels(..., subtopics=True)"
    ) + (
        "; where the second column says who judged, choose --qrels-format qrels_jg"
        if by_subtopic.description()["form"] == "trec"
        else ""
    )


def _by_subtopic(held: Any, query: Any) -> Mapping[Any, Any]:
    if not isinstance(held, Mapping):
        raise SchemaError(f"qrels: query {shown(query)}: found {shown(held)}; need {WANTED}")
    return held


def _documents(inner: Any, query: Any, subtopic: Any) -> list[Any]:
    if isinstance(inner, (Mapping, AbstractSet, list, tuple)):
        return list(inner)
    raise SchemaError(
        f"qrels: query {shown(query)}: found {shown(inner)} for {shown(subtopic)}, need the "
        f"documents of a subtopic, as measures of diversity see these: {WANTED}"
    )


def _refuse_infinite(rows: Rows, label: Floats, where: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(label))
    if len(wrong):
        row = int(wrong[0])
        query = rows.query_ids[rows.query_codes[row]]
        document = rows.doc_ids(int(rows.doc_codes[row]))
        raise SchemaError(
            f"{_place(rows, row, where)}: query {query!r}, document {document!r}: the label is "
            f"{label[row]}; labels are finite numbers"
        )


def _refuse_twice(read: RowsBySubtopic, query: Ints, document: Ints, where: str) -> None:
    rows, codes = read.rows, np.asarray(read.codes, dtype=np.int64)
    order = np.lexsort((codes, document, query))
    same = np.flatnonzero(
        (query[order[1:]] == query[order[:-1]])
        & (document[order[1:]] == document[order[:-1]])
        & (codes[order[1:]] == codes[order[:-1]])
    )
    if not len(same):
        return
    second = int(order[same + 1].min())
    twins = (query == query[second]) & (document == document[second]) & (codes == codes[second])
    first = int(np.flatnonzero(twins)[0])
    before, remedy = "", "keep one (1 and '1' are one id)"
    if rows.line is not None:
        before, remedy = f", first on line {rows.line[first]}", "keep one of the two lines"
    elif rows.row is not None:
        before, remedy = f", first in {row_from_0(int(rows.row[first]))}", "keep one of the two"
    raise DuplicateError(
        f"{_place(rows, second, where)}: document {rows.doc_ids(int(document[second]))!r} stands "
        f"twice for subtopic {read.ids(int(codes[second]))!r} of query "
        f"{rows.query_ids[query[second]]!r}{before}; {remedy}",
        path=None if rows.line is None else where,
        line=None if rows.line is None else int(rows.line[second]),
    )


def _warn_of_one_subtopic(read: RowsBySubtopic, query: Ints, where: str) -> None:
    codes = np.asarray(read.codes, dtype=np.int64)
    pairs = len(np.unique(query * (int(codes.max(initial=0)) + 1) + codes))
    if pairs > len(np.unique(query)):
        return
    names = [read.ids(code) for code in np.unique(codes[:1000]).tolist()]
    warn(
        f"{where}: no query is judged for more than one subtopic; what was taken for subtopics is "
        f"{listed(names)}, so measures of diversity see one intent a query; are these plain "
        "judgments?",
    )


def _place(rows: Rows, row: int, where: str) -> str:
    if rows.line is not None:
        return f"{where}:{rows.line[row]}"
    return where if rows.row is None else f"{where}: {row_from_0(int(rows.row[row]))}"
