"""Text files, read by the core, and messages for their faults."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from rankmark._core import (
    ByteStream,
    DuplicateFault,
    FileFault,
    LimitFault,
    ListOptions,
    ParseFault,
    RankingOptions,
    Rankings,
    SpillFault,
    TextLayout,
    align_file,
    line_in_file,
    lines_in_file,
    qrels_from_file,
    query_extents,
    rankings_from_file,
    rows_from_file,
)
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    AlignedRun,
    Columns,
    Judged,
    Rows,
    RowsByGroup,
    RowsBySubtopic,
)
from rankmark.data.contract.source_options import OR_CHOOSE
from rankmark.data.ids.numeric import id_bytes
from rankmark.data.tables.columns import Chosen
from rankmark.errors import DuplicateError, InputError, ParseError, note
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Ints
    from rankmark.data.contract.source import Order, PreparedQrels
    from rankmark.data.contract.source_options import Kind
    from rankmark.data.files.input_file import InputFile

BLOCK_BYTES = 1 << 19
"""The part of a file that a thread reads at a time; it fits the second-level cache."""


class Layout(NamedTuple):
    """The columns of a text file.

    Parameters
    ----------
    names
        The column names, in order.
    chosen
        The positions of those that are used.
    separator
        One byte, or empty for any sequence of spaces and tabs.
    begin
        The number of bytes before the first row: those of a header.
    more_columns
        Whether lines may have more columns, which are counted and ignored.
    """

    names: tuple[str, ...]
    chosen: Chosen
    separator: str = ""
    begin: int = 0
    more_columns: bool = False

    @property
    def written(self) -> str:
        """The columns, for messages."""
        if not self.separator:
            return " ".join(self.names)
        shown = ", ".join(self.names[:12])
        return shown if len(self.names) <= 12 else f"{shown} and {len(self.names) - 12} more"

    @property
    def unread(self) -> list[str]:
        """The names of columns that are not used."""
        return [name for at, name in enumerate(self.names) if at not in self.chosen]

    def named(self, kind: Kind) -> dict[str, str]:
        """Return ``{role: name}`` if a header names the columns."""
        return self.chosen.named(self.names, kind) if self.separator else {}


TREC_QRELS = Layout(("qid", "iter", "docid", "label"), Chosen(0, 2, 3, None, 1), more_columns=True)
PREFS = Layout(("qid", "jg", "jsg", "docno", "rel"), Chosen(0, 3, 4, None))
TREC_RUN = Layout(
    ("qid", "iter", "docid", "rank", "score", "tag"), Chosen(0, 2, 4, 3), more_columns=True
)
ELLIOT = Layout(("user", "item", "rating"), Chosen(0, 1, 2, None), more_columns=True)
MSMARCO_RUN = Layout(("qid", "docid", "rank"), Chosen(0, 1, None, 2))


class QueryExtents(NamedTuple):
    """Where the lines of each query stand in a file.

    Parameters
    ----------
    query_ids
        In the order in which they begin.
    query
        (n,) uint32, the number of the query of each extent, in the order of the file.
    begin, end
        (n,) int64, its first byte, and the one behind its last.
    """

    query_ids: tuple[str, ...]
    query: NDArray[np.uint32]
    begin: Ints
    end: Ints


class OpenText(NamedTuple):
    """A file of text while it is open.

    Parameters
    ----------
    source
        What the core reads.
    block_bytes
        The size of the blocks in which the file is read; changes no result.
    """

    file: InputFile
    source: int | ByteStream
    kind: Kind
    layout: Layout
    block_bytes: int = BLOCK_BYTES

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        with self._worded():
            judgments, rows, extra = qrels_from_file(
                self.source, self.for_core(), reading.workers, self.block_bytes, reading.progress
            )
        self._refuse_nothing(rows)
        return Judged(judgments, judgments.query_ids(), rows, extra)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments; ``by_rank`` orders by the rank column."""
        self._refuse_no_rank(by_rank=by_rank)
        with self._worded():
            columns, *counted = align_file(
                self.source,
                self.for_core(by_rank=by_rank, single=ranking.single),
                qrels.judgments,
                ranking,
                reading.workers,
                self.block_bytes,
                reading.progress,
            )
        order = self._order(by_rank=by_rank)
        return AlignedRun(Columns(*columns), *counted)._replace(order=order)

    def rankings(
        self,
        options: ListOptions,
        reading: Reading,
        *,
        by_rank: bool,
        extents: Ints | None = None,
    ) -> tuple[Rankings, Order | None]:
        """Rank all documents of a run, and return what the order of its lines says.

        Parameters
        ----------
        extents
            (n, 2) int64, which bytes of the file are read; see ``queries``. None for all.
        """
        self._refuse_no_rank(by_rank=by_rank)
        layout = self.for_core(by_rank=by_rank, begin=None if extents is None else 0)
        with self._worded(extents):
            rankings: Rankings
            rankings, rows = rankings_from_file(
                self.source,
                layout,
                options,
                reading.workers,
                self.block_bytes,
                reading.progress,
                None if extents is None else extents.ravel(),
            )
        self._refuse_nothing(rows)
        return rankings, self._order(by_rank=by_rank)

    def queries(self, reading: Reading) -> QueryExtents | None:
        """Find where the lines of each query stand; None if the file is a stream."""
        if not isinstance(self.source, int):
            return None
        with self._worded():
            found = query_extents(
                self.source, self.for_core(), reading.workers, self.block_bytes, reading.progress
            )
        return QueryExtents(*found)

    def _order(self, *, by_rank: bool) -> Order | None:
        return None if by_rank or self.layout.chosen.number is None else "rows"

    def rows(
        self,
        reading: Reading,
        *,
        lenient: bool,
        queries: Collection[str] | None = None,
    ) -> Rows:
        """List all rows, or those of some queries: then mistakes in other lines are ignored."""
        with self._worded():
            codes, query_ids, documents, ids, number, *columns = rows_from_file(
                self.source,
                self.for_core(),
                lenient,
                reading.workers,
                self.block_bytes,
                reading.progress,
                None if queries is None else [*map(id_bytes, queries)],
            )
        if self.layout.chosen.number is None and self.kind == "run":
            number = None
        rows = Rows(codes, query_ids, documents, ids.__getitem__, ids.find, number, *columns)
        return rows if number is None else rows._replace(order="rows")

    def rows_by_subtopic(self, reading: Reading) -> RowsBySubtopic:
        """Read all judgments with their subtopics."""
        chosen = self.layout.chosen
        assert chosen.subtopic is not None  # noqa: S101
        rows = self.rows(reading, lenient=False)
        self._refuse_nothing(len(rows.doc_codes))
        # The core reads one more column of ids than the queries, so the file is read again.
        swapped = self.layout._replace(chosen=chosen._replace(doc_id=chosen.subtopic))
        again = self._replace(layout=swapped).rows(reading.in_silence(), lenient=False)
        return RowsBySubtopic(rows, again.doc_codes, again.doc_ids)

    def rows_with(self, columns: tuple[int, ...], reading: Reading) -> RowsByGroup:
        """Read all judgments with the ids in the given columns, reading again for each column."""
        rows = self.rows(reading, lenient=False)
        self._refuse_nothing(len(rows.doc_codes))
        groups = []
        for column in columns:
            chosen = self.layout.chosen._replace(doc_id=column)
            text = self._replace(layout=self.layout._replace(chosen=chosen))
            again = text.rows(reading.in_silence(), lenient=False)
            groups.append((again.doc_codes.astype("int64"), again.doc_ids))
        return RowsByGroup(rows, groups)

    def for_core(
        self, *, by_rank: bool = False, single: bool = False, begin: int | None = None
    ) -> TextLayout:
        """Return the layout as the core takes it."""
        layout, chosen = self.layout, self.layout.chosen
        return TextLayout(
            separator=layout.separator,
            columns=len(layout.names),
            query=chosen.query_id,
            document=chosen.doc_id,
            number=chosen.number,
            rank=chosen.rank,
            begin=layout.begin if begin is None else begin,
            labels=self.kind == "qrels",
            by_rank=by_rank,
            more_columns=layout.more_columns,
            wanted=layout.written.encode("utf-8", "replace").decode(),
            single=single,
        )

    def _refuse_no_rank(self, *, by_rank: bool) -> None:
        if by_rank and self.layout.chosen.rank is None:
            raise InputError(
                f'ties="rank" needs a rank column, and this file has {self.layout.written}',
                "choose another rule",
                where=self.file.name,
            )

    def _refuse_nothing(self, rows: int) -> None:
        if rows == 0:
            what = "judgments" if self.kind == "qrels" else "documents"
            raise ParseError(
                f"it holds no {what}",
                f"need lines `{self.layout.written}`",
                where=self.file.name,
            )

    @contextmanager
    def _placed(self, extents: Ints | None) -> Iterator[None]:
        """Say on which line a fault is, for which the file is read again."""
        try:
            yield
        except ParseFault as fault:
            offset, found, remedy = fault.args
            if extents is not None:  # it counts the bytes of these alone
                sizes = extents[:, 1] - extents[:, 0]
                at = int(np.searchsorted(np.cumsum(sizes), offset, side="right"))
                offset += int(extents[at, 0] - sizes[:at].sum())
            line = line_in_file(self.source, offset)
            if unread := self.layout.unread if "quot" in found else ():
                remedy += (
                    "; or, if a quote belongs to a text that is not read, leave its column out: "
                    f"{', '.join(map(repr, unread))}"
                )
            if line == 1 and not self.layout.separator and " column" in found:
                number = "label" if self.kind == "qrels" else "score"
                remedy = (
                    f"for a table, put a first line of names, such as query_id,doc_id,{number}, "
                    f"and commas, tabs or semicolons between the columns; else {remedy}"
                )
            raise ParseError(found, remedy, where=self.file.name, line=line) from None
        except DuplicateFault as fault:
            query, document = fault.args
            raise self._duplicate(query, document) from None

    @contextmanager
    def _worded(self, extents: Ints | None = None) -> Iterator[None]:
        try:
            with self._placed(extents):
                yield
        except InputError:
            raise
        except (LimitFault, SpillFault) as fault:
            raise InputError(*fault.args, where=self.file.name) from None
        except FileFault as fault:
            reason, remedy = fault.args
            raise InputError(
                f"the file cannot be read: {reason}", remedy, where=self.file.name
            ) from None
        except Exception as error:  # what the caller's progress raised
            note(error, self.file.name)
            raise

    def _duplicate(self, query: str, document: str) -> DuplicateError:
        first, second = lines_in_file(
            self.source, self.for_core(), id_bytes(query), id_bytes(document)
        )
        remedy = f"keep one of the two lines{OR_CHOOSE[self.kind]}"
        if self.layout is TREC_QRELS and document in {"0", "1"}:
            remedy = "if these are prels, which have five columns, give qrels instead"
        return DuplicateError(
            f"document {document!r} appears twice for query {query!r}, first on line {first}",
            remedy,
            where=self.file.name,
            line=second,
        )
