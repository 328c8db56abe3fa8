"""Judgments and runs whose cells hold the ids of several documents."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmark._core import RankingOptions
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    AlignedRun,
    Judged,
    PreparedQrels,
    Rows,
    Source,
    Wrapped,
    side,
)
from rankmark.data.contract.source_options import Kind
from rankmark.data.evidence.listed_ids import pieces
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.errors import DuplicateError, SchemaError


class SplitCells(Wrapped):
    """A source of any form, each of whose document ids is split into several.

    Documents of one cell have the cell's label; in a run, they are ranked in the order given, and
    after those of the cells above. It is in memory as a whole.

    Parameters
    ----------
    source
        The source.
    split
        What separates ids in a cell, or "list".
    """

    def __init__(self, source: Source, kind: Kind, split: str) -> None:
        super().__init__(source)
        self._kind = kind
        self._split = split

    def _cut(self, rows: Rows) -> NestedMapping:
        codes, documents = np.asarray(rows.query_codes), np.asarray(rows.doc_codes)
        order = np.argsort(codes, kind="stable")
        if rows.number is None and rows.rank is not None:
            order = np.lexsort((np.asarray(rows.rank), codes))
        held: dict[str, dict[str, Any]] = {query: {} for query in rows.query_ids}
        # Without a column of labels, every document is relevant.
        scored = rows.number is not None and not bool(np.isnan(rows.number).all())
        numbers = np.asarray(rows.number)[order].tolist() if scored else [None] * len(order)
        for code, document, number in zip(
            codes[order].tolist(), documents[order].tolist(), numbers, strict=True
        ):
            query = rows.query_ids[code]
            cell = rows.doc_ids(document)
            cut = pieces(cell, self._split)
            if scored and self._kind == "run" and len(cut) > 1:
                raise SchemaError(
                    f"query {query!r} has one score for several documents, {cell!r}",
                    "leave the scores out, as the documents are ranked in the order given",
                    where=self.name,
                )
            for one in cut:
                if one in held[query]:
                    raise DuplicateError(
                        f"document {one!r} appears twice for query {query!r}",
                        "keep one of the two",
                        where=side(self.name, self._kind),
                    )
                held[query][one] = number
        mapping: dict[str, Any] = dict(held)
        if not scored:
            mapping = {query: [*cut] for query, cut in held.items()}
        return NestedMapping(mapping, self._kind)

    def _mapping(self, reading: Reading) -> NestedMapping:
        return self._cut(self.source.rows(reading, lenient=False))

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        return self._mapping(reading).read_qrels(reading)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        cut = self._mapping(reading)
        return cut.align_run(qrels, ranking, reading, by_rank=by_rank)._replace(order=None)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all documents."""
        return self._cut(self.source.rows(reading, lenient=lenient)).rows(reading, lenient=lenient)

    def for_query(self, query: str, reading: Reading) -> Source | None:
        """Return the documents of one query."""
        return self._mapping(reading).for_query(query, reading)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return self.source.description() | {"split": self._split}
