"""Judgments by subtopic, for measures of diversity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import (
    Judgments,
    MappingFault,
    RankingOptions,
    qrels_from_dict,
    qrels_from_table,
    table_from_columns,
)
from rankmark.array_types import distinct
from rankmark.data.alignment.views import numbered
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Judged, Wrapped, side
from rankmark.data.ids.numeric import id_bytes, row_from_0
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, warn

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source import (
        AlignedRun,
        PreparedQrels,
        Rows,
        RowsBySubtopic,
        Source,
    )


def numbered_judgments(
    query_ids: Sequence[str], by_query: Sequence[Mapping[str, float]]
) -> tuple[Judgments, tuple[str, ...], tuple[str, ...]]:
    """Return the core's judgments, and the ids of queries and documents in its order.

    Parameters
    ----------
    query_ids
        (Q,) ids.
    by_query
        (Q,) ``{document id: number}``; may be empty if ids are Unicode text.
    """
    try:
        return qrels_from_dict(dict(zip(query_ids, by_query, strict=True)))
    except MappingFault:  # ids of a file that are not UTF-8, which mappings cannot contain
        documents = [doc_id for held in by_query for doc_id in held]
        numbers = np.array([number for held in by_query for number in held.values()])
        queries = [query for query, held in zip(query_ids, by_query, strict=True) for _ in held]
        columns = [tuple(map(id_bytes, queries)), tuple(map(id_bytes, documents)), numbers]
        table = table_from_columns(["query_id", "doc_id", "number"], columns)
        judgments = qrels_from_table(table, 0, 1, 2)
        return judgments, judgments.query_ids(), judgments.document_ids()


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
        found: RowsBySubtopic = read(reading)
        return found

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
