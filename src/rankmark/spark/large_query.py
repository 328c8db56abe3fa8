"""The run of one query with more rows than memory holds, ranked by counting.

The rows are read in parts, which are made by the ids of documents, so that all rows of a document
are in one part. A first pass refuses or leaves out repeated documents, and finds the scores of the
judged ones; a second counts how many documents have a higher score than each of these, or an equal
one and come first. Only one part is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import LAST_RANK
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    COUNTS,
    UNITS,
    AlignedRun,
    Columns,
    Judged,
    PreparedQrels,
    Rows,
    Source,
    Vouched,
)
from rankmark.data.contract.source_options import OR_CHOOSE
from rankmark.data.frames.arrow_tables import exported
from rankmark.data.tables.table import rows_of_table, worded
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.spark.frame_columns import FrameColumns
from rankmark.spark.large_units import LargeUnits, texts

_EXAMPLES = 1000  # rows that are listed to find out why ids do not match
_TOP = 10  # documents whose judgments the audit counts


class Part(NamedTuple):
    """Rows of a part that count: their ids as text, scores, and places in the order of rows.

    ``ids`` is an Arrow array; ``scores`` and ``places`` are (n,) float64, the latter None if rows
    have no order.
    """

    ids: Any
    scores: Floats
    places: Floats | None
    self_matches: int
    duplicates: int
    seen: int
    of_units: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Units, those whose ids are documents', those with negative scores added up, documents."""


class Judgments(NamedTuple):
    """Judged documents that were retrieved, with the scores and places of their rows: (n,) each."""

    documents: Ints
    scores: Floats
    places: Floats


class LargeQuery(Source):
    """The rows of one query as a run.

    Parameters
    ----------
    query
        The id of the query.
    parts
        Returns the Arrow tables of the parts, each time from the first.
    columns
        Their columns.
    seen
        Ids of documents that the query has seen before.
    units
        How units become documents; None if the rows are of documents.
    """

    positions = False
    by_column = False
    nameless = False
    is_file = False
    vouched: Vouched = True  # rows of Spark have no order

    def __init__(
        self,
        query: str,
        parts: Callable[[], Iterator[Any]],
        columns: FrameColumns,
        seen: Collection[str],
        units: LargeUnits | None = None,
    ) -> None:
        self._query = query
        self._parts = parts
        self._columns = columns
        self.name = columns.name
        self._seen = seen
        self._units = units

    def align_run(
        self, qrels: PreparedQrels, ranking: Any, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align the run with the judgments of this query, or of others only."""
        is_judged = self._query in qrels.query_ids
        starts = qrels.judgments.starts()
        row = qrels.query_ids.index(self._query) if is_judged else 0
        begin, end = (int(starts[row]), int(starts[row + 1])) if is_judged else (0, 0)
        counts = np.zeros((COUNTS, len(qrels.query_ids)), dtype=np.int64)
        documents = qrels.doc_ids[begin:end]
        given, retrieved, left_out, of_units, found = self._found(documents, ranking)
        if not is_judged:
            none = np.zeros(0, dtype=np.int32)
            columns = Columns(
                np.zeros(len(starts), np.int64), none, np.zeros(0), None, None, counts
            )
            return AlignedRun(columns, 1, [self._query], given, 0, 0)
        if retrieved > LAST_RANK:
            raise InputError(
                "more than two thousand million documents for one query", "leave out the last"
            )
        greater, equal, before = self._counted(documents, ranking, found)
        order = np.lexsort((before, greater))
        rank = (greater + before + 1)[order]
        first, last = (greater + 1)[order], (greater + equal)[order]
        labels = np.asarray(qrels.judgments.labels()[begin:end])[found.documents][order]
        # Without a column of scores, they stand for ranks.
        low = found.scores[order] <= 0 if self._columns.chosen.number is not None else rank < 1
        if self._units is not None and not self._units.keep_scores:
            low = rank < 1
        not_positive = np.count_nonzero(low & (labels > 0))
        kept = rank <= ranking.depth
        rank, first, last, labels = rank[kept], first[kept], last[kept], labels[kept]
        if ranking.judged_only:
            # Condensed: a rank is the number of judged documents so far.
            rank = np.arange(1, len(rank) + 1)
            _, starts_of_ties, sizes = np.unique(first, return_index=True, return_counts=True)
            first = np.repeat(starts_of_ties + 1, sizes)
            last = np.repeat(starts_of_ties + sizes, sizes)
        counts[:, row] = [
            1,
            len(rank),
            np.count_nonzero(first != last),
            np.count_nonzero(rank <= _TOP),
            *left_out,
            len(rank) if ranking.judged_only else min(retrieved, ranking.depth),
            not_positive,
            -1,
            *of_units,
        ]
        needed = (labels >= ranking.lowest) & (first <= ranking.deepest)
        rank, first, last = (one[needed].astype(np.int32) for one in (rank, first, last))
        hits = np.zeros(len(starts), dtype=np.int64)
        hits[row + 1 :] = len(rank)
        are_tied = bool((first != last).any())
        columns = Columns(
            hits,
            rank,
            labels[needed],
            first if are_tied else None,
            last if are_tied else None,
            counts,
        )
        return AlignedRun(columns, 0, [], given, 0, 0)

    def _found(
        self, judged: tuple[str, ...], ranking: Any
    ) -> tuple[int, int, tuple[int, int, int], list[int], Judgments]:
        """Find the judged documents.

        Returns
        -------
        tuple
            The number of rows; of documents retrieved; of those with the query's id, repeated
            rows, and documents seen before; of units as ``Part`` has them; and the judged
            documents.
        """
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        ids = pa.array(judged, pa.string())
        given = retrieved = 0
        left_out = np.zeros(3, dtype=np.int64)
        of_units = np.zeros(COUNTS - UNITS, dtype=np.int64)
        found: list[tuple[Ints, Floats, Floats]] = []
        for table in self._parts():
            given += len(table)
            part = self._part(table, ranking)
            retrieved += len(part.ids)
            left_out += [part.self_matches, part.duplicates, part.seen]
            of_units += part.of_units
            places = pc.index_in(part.ids, ids)
            rows = np.flatnonzero(places.is_valid().to_numpy(zero_copy_only=False))
            documents = places.take(pa.array(rows)).to_numpy(zero_copy_only=False)
            order = np.zeros(len(rows)) if part.places is None else part.places[rows]
            found.append((documents.astype(np.int64), part.scores[rows], order))
        joined = [np.concatenate(column) for column in zip(*found, strict=True)]
        one, two, three = left_out.tolist()
        return given, retrieved, (one, two, three), of_units.tolist(), Judgments(*joined)

    def _counted(
        self, judged: tuple[str, ...], ranking: Any, found: Judgments
    ) -> tuple[Ints, Ints, Ints]:
        """Count documents with greater scores, with equal ones, and those of these that come first.

        (n,) int64 each, for the judged documents found.
        """
        scores, group = np.unique(found.scores, return_inverse=True)
        greater, equal = np.zeros((2, len(scores)), dtype=np.int64)
        before = np.zeros(len(found.documents), dtype=np.int64)
        for table in self._parts():
            part = self._part(table, ranking)
            # How many of the distinct scores are at most, and below, each score.
            at_most = np.searchsorted(scores, part.scores, side="right")
            below = np.searchsorted(scores, part.scores, side="left")
            number = np.bincount(below, minlength=len(scores) + 1)
            greater += np.cumsum(number[::-1])[::-1][1:]
            tied = np.flatnonzero(at_most > below)
            equal += np.bincount(below[tied], minlength=len(scores))
            self._count_before(part, below, tied, judged, ranking, found, group, before)
        return greater[group], equal[group], before

    def _count_before(
        self,
        part: Part,
        below: Ints,
        tied: Ints,
        judged: tuple[str, ...],
        ranking: Any,
        found: Judgments,
        group: Ints,
        before: Ints,
    ) -> None:
        """Add the tied documents of a part that come before each judged one."""
        import pyarrow as pa  # noqa: PLC0415

        tied = tied[np.argsort(below[tied], kind="stable")]
        borders = np.searchsorted(below[tied], np.arange(int(group.max(initial=-1)) + 2))
        for number in np.unique(group).tolist():
            rows = tied[borders[number] : borders[number + 1]]
            own = np.flatnonzero(group == number)
            if not len(rows):
                continue
            if ranking.ties == "input":
                assert part.places is not None  # noqa: S101
                before[own] += np.searchsorted(np.sort(part.places[rows]), found.places[own])
                continue
            ids = part.ids.take(pa.array(rows))
            for place in own.tolist():
                text = judged[found.documents[place]]
                before[place] += _coming_first(ids, text, up=ranking.ties == "docid-asc")

    def _part(self, table: Any, ranking: Any) -> Part:
        """Return the rows of a part that count, or the documents of its units."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        chosen = self._columns.chosen
        ids = texts(table.column(chosen.doc_id))
        places = None
        if chosen.number is not None:
            scores = _floats(table.column(chosen.number))
            if ranking.single:
                scores = scores.astype(np.float32).astype(np.float64)
            if chosen.rank is not None:
                places = _floats(table.column(chosen.rank))
        else:
            scores = -_floats(table.column(chosen.rank))
        codes = ids.dictionary_encode()
        left = np.ones(len(ids), dtype=np.bool_)
        if len(codes.dictionary) < len(ids):
            left = self._first_rows(ids, codes.indices.to_numpy(), scores, places, ranking)
        duplicates = len(ids) - int(left.sum())
        if duplicates:
            kept = np.flatnonzero(left)
            table, ids, scores = table.take(kept), ids.take(pa.array(kept)), scores[kept]
            places = None if places is None else places[kept]
        of_units = 0, 0, 0, 0
        if self._units is not None:
            made = self._units.combined(self._query, table, ids, scores, places)
            ids, scores, places = made.ids, made.scores, made.places
            of_units = made.units, made.whole, made.negative, len(ids)
        own = pc.equal(ids, self._query).to_numpy(zero_copy_only=False)
        seen = np.zeros(len(ids), dtype=np.bool_)
        if self._seen:
            listed = pa.array([*self._seen], pa.string())
            seen = pc.is_in(ids, listed).to_numpy(zero_copy_only=False)
        left = ~(seen | own) if ranking.drop_self else ~seen
        if not left.all():
            kept = np.flatnonzero(left)
            ids, scores = ids.take(pa.array(kept)), scores[kept]
            places = None if places is None else places[kept]
        return Part(ids, scores, places, int(own.any()), duplicates, int(seen.sum()), of_units)

    def _first_rows(
        self, ids: Any, codes: Ints, scores: Floats, places: Floats | None, ranking: Any
    ) -> Bools:
        """Choose one row of each document, or refuse the second one."""
        order = np.zeros(len(scores)) if places is None else places
        if ranking.duplicates == "error":
            repeated = int(np.flatnonzero(np.bincount(codes) > 1)[0])
            document = ids[int(np.flatnonzero(codes == repeated)[0])].as_py()
            raise DuplicateError(
                f"document {document!r} appears twice for query {self._query!r}",
                f"keep one of the two{OR_CHOOSE['run']}",
                where=self._columns.where,
            )
        keys = (order, -scores, codes) if ranking.duplicates == "best" else (order, codes)
        rows = np.lexsort(keys)
        first = np.append(True, codes[rows][1:] != codes[rows][:-1])
        left = np.zeros(len(codes), dtype=np.bool_)
        left[rows[first]] = True
        return left

    def read_qrels(self, reading: Reading) -> Judged:
        """Raise SchemaError, as this is a run."""
        raise SchemaError("these are the rows of a run", "give judgments")

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List some of the rows, as examples."""
        table = next(self._parts()).slice(0, _EXAMPLES)
        where = self._columns.where
        with worded(where, table.column_names):
            return rows_of_table(exported(table, where), self._columns.chosen, "run")

    def for_query(self, query: str, reading: Reading) -> Source | None:
        """Return the rows of this query."""
        return self if query == self._query else None

    def keep(self) -> None:
        """Do nothing, as nobody else has these rows."""

    def as_read(self) -> None:
        """Return None, as this is not a file."""

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return self._columns.description()

    def sha256(self) -> None:
        """Return None, as this is not a file."""


def _floats(column: Any) -> Floats:
    import pyarrow as pa  # noqa: PLC0415

    return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)


def _coming_first(ids: Any, document: str, *, up: bool) -> int:
    """Count the ids that come before one: larger ones, or if ``up`` smaller ones, by bytes."""
    import pyarrow.compute as pc  # noqa: PLC0415

    compare = pc.less if up else pc.greater
    return int(pc.sum(compare(ids, document)).as_py() or 0)
