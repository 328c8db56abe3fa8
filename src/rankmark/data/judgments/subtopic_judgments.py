"""Judgments by subtopic, for measures of diversity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from rankmark._core import Judgments, RankingOptions, qrels_from_rows
from rankmark.array_types import Floats, Ints, distinct
from rankmark.data.alignment.views import Subtopics, numbered
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    AlignedRun,
    Judged,
    PreparedQrels,
    Rows,
    RowsBySubtopic,
    Source,
    Wrapped,
    side,
)
from rankmark.data.ids.numeric import in_byte_order, row_from_0
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, warn


def numbered_judgments(
    query_ids: Sequence[str], query: Ints, doc_ids: Sequence[str], document: Ints
) -> tuple[Judgments, tuple[str, ...]]:
    """Return the core's judgments of documents that are numbered from 0, and their ids.

    Parameters
    ----------
    query_ids, doc_ids
        Distinct ids.
    query, document
        (n,) whole numbers from 0, the places of each numbered document's ids; queries rise.
    """
    judgments = qrels_from_rows(
        query.astype(np.uint32),
        [*query_ids],
        document.astype(np.uint32),
        [*doc_ids],
        np.arange(len(query), dtype=np.float64),
    )
    return judgments, tuple(doc_ids[code] for code in document.tolist())


WANTED = "{query id: {subtopic: {document id: label}}} or {query id: [[document id, ...], ...]}"


class BySubtopic(Wrapped):
    """Judgments of any form, read with their subtopics.

    The core has each judged document of a query once, with its number as the label.
    """

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        return judged(self.rows_by_subtopic(reading), side(self.name, "qrels"))

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Raise InputError, as these are judgments."""
        raise InputError(f"{self.name} holds judgments by subtopic", "a run has no subtopics")

    def rows_by_subtopic(self, reading: Reading) -> RowsBySubtopic:
        """List all judgments with the subtopic of each."""
        read = getattr(self.source, "rows_by_subtopic", None)
        if read is None:
            raise SchemaError(
                "these judgments have no subtopics, which measures of diversity need",
                "give a TREC file `qid subtopic docid label`, rows or a frame with a column "
                f"subtopic, or {WANTED}",
                where=side(self.name, "qrels"),
            )
        return read(reading)

    def for_query(self, query: str, reading: Reading) -> Source | None:
        """Read the rows of one query again, without subtopics."""
        return self.source.for_query(query, reading)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return self.source.description() | {"subtopics": True}


def judged(read: RowsBySubtopic, where: str) -> Judged:
    """Assign document numbers by query, and collect labels by subtopic."""
    rows = read.rows
    label = np.ones(len(rows.doc_codes)) if rows.number is None else np.asarray(rows.number)
    _refuse_infinite(rows, label, where)
    query = np.asarray(rows.query_codes, dtype=np.int64)
    codes = np.asarray(rows.doc_codes, dtype=np.int64)
    doc_ids = [rows.doc_ids(code) for code in range(int(codes.max(initial=-1)) + 1)]
    preferred = in_byte_order(doc_ids)[::-1]
    place = np.empty_like(preferred)
    place[preferred] = np.arange(len(preferred))
    owner, places, subtopics = numbered(query, place[codes], read.codes, label)
    if _is_repeated(subtopics):
        _refuse_twice(read, query, codes, where)
    names = tuple(map(read.ids, range(int(subtopics.subtopic.max(initial=-1)) + 1)))
    _warn_of_one_subtopic(read, query, where)
    judgments, in_order = numbered_judgments(rows.query_ids, owner, doc_ids, preferred[places])
    return Judged(
        judgments,
        rows.query_ids,
        len(label),
        extra_columns=rows.extra_columns,
        doc_ids=in_order,
        subtopics=replace(subtopics, names=names),
    )


def _refuse_infinite(rows: Rows, label: Floats, where: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(label))
    if len(wrong):
        row = int(wrong[0])
        query = rows.query_ids[rows.query_codes[row]]
        document = rows.doc_ids(int(rows.doc_codes[row]))
        raise SchemaError(
            f"query {query!r}, document {document!r}: the label is {label[row]}",
            "give a finite label",
            **_place(rows, row, where),
        )


def _is_repeated(subtopics: Subtopics) -> bool:
    """Return True if a document is judged twice for a subtopic."""
    same = np.diff(subtopics.subtopic, prepend=-1) == 0
    same[subtopics.starts[:-1]] = False
    return bool(same.any())


def _refuse_twice(read: RowsBySubtopic, query: Ints, document: Ints, where: str) -> NoReturn:
    """Name the first judgment that repeats another."""
    rows, codes = read.rows, np.asarray(read.codes, dtype=np.int64)
    order = np.lexsort((codes, document, query))
    same = np.flatnonzero(
        (query[order[1:]] == query[order[:-1]])
        & (document[order[1:]] == document[order[:-1]])
        & (codes[order[1:]] == codes[order[:-1]])
    )
    second = int(order[same + 1].min())
    equal = (query == query[second]) & (document == document[second]) & (codes == codes[second])
    first = int(np.flatnonzero(equal)[0])
    before, remedy = "", "keep one (1 and '1' are one id)"
    if rows.line is not None:
        before, remedy = f", first on line {rows.line[first]}", "keep one of the two lines"
    elif rows.row is not None:
        before, remedy = f", first in {row_from_0(int(rows.row[first]))}", "keep one of the two"
    raise DuplicateError(
        f"document {rows.doc_ids(int(document[second]))!r} appears twice for subtopic "
        f"{read.ids(int(codes[second]))!r} of query {rows.query_ids[query[second]]!r}{before}",
        remedy,
        **_place(rows, second, where),
    )


def _warn_of_one_subtopic(read: RowsBySubtopic, query: Ints, where: str) -> None:
    codes = np.asarray(read.codes, dtype=np.int64)
    pairs = len(distinct(query * (int(codes.max(initial=0)) + 1) + codes))
    if pairs > len(distinct(query)):
        return
    names = [read.ids(code) for code in distinct(codes[:1000]).tolist()]
    warn(
        "no query is judged for more than one subtopic",
        "the subtopics are "
        f"{listed(names)}, so measures of diversity see one intent per query; are these plain "
        "judgments?",
        where=where,
    )


def _place(rows: Rows, row: int, where: str) -> dict[str, Any]:
    if rows.line is not None:
        return {"where": where, "line": int(rows.line[row])}
    return {"where": where if rows.row is None else f"{where}: {row_from_0(int(rows.row[row]))}"}
