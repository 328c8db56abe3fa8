"""Judgments or a run from a table in the core, and messages for the table's faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import (
    DuplicateFault,
    LimitFault,
    NoIdFault,
    RankingOptions,
    StreamFault,
    Table,
    TableFault,
    align_table,
    numbered,
    qrels_from_table,
    rows_of_pair,
    rows_of_query,
    table_from_columns,
)
from rankmark._core import copied as copied_table
from rankmark._core import numbers as column_numbers
from rankmark.array_types import Floats
from rankmark.data.contract.places import Cell, Shape
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    AlignedRun,
    Columns,
    Judged,
    PreparedQrels,
    Rows,
    RowsBySubtopic,
    Source,
    side,
)
from rankmark.data.contract.source_options import OR_CHOOSE, Kind
from rankmark.data.ids.numeric import Place, first_inexact, id_bytes, inexact, row_from_0
from rankmark.data.tables.columns import Chosen
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, pass_on, says_no, shown

Fits = Callable[["PreparedQrels", "RankingOptions"], None]
_WHOLE_NUMBERS = frozenset("csilCSIL")  # as Arrow calls them
_NOTHING = "need a row at least; a stream can be read only once"


class TableSource(Source):
    """Rows of ids and numbers that are stored in the core.

    Parameters
    ----------
    table
        The core's table.
    chosen
        The roles of its columns.
    form
        How the caller's object was interpreted; see ``description``.
    place
        Names a row in messages.
    shape
        (n_queries, n_items), or (n_queries,), if queries are rows of an array or a list; None if
        they have ids.
    fits
        Raises SchemaError if this run and judgments cannot belong together.
    """

    refusal: InputError | None = None
    """Raised if its scores are needed exactly."""
    first_rows: Callable[[], Source] | None = None
    """Read the first rows alone, if the table is large and they can be told from the others."""

    def __init__(
        self,
        table: Table,
        chosen: Chosen,
        kind: Kind,
        *,
        name: str,
        form: Mapping[str, Any],
        place: Place = row_from_0,
        shape: Shape | None = None,
        fits: Fits | None = None,
    ) -> None:
        self.name = name
        self.positions: bool = shape is not None
        self.by_column: bool = shape is not None and len(shape) > 1
        self.table: Table = table
        self.chosen = chosen
        self._kind = kind
        self._where = side(name, kind)
        self._form = dict(form)
        self._place = place
        self._shape = shape
        self._fits = fits

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        if not len(self.table) and not (self._shape and self._shape[0]):
            raise InputError("it holds no judgments", _NOTHING, where=self._where)
        query, document, label, *_ = self.chosen
        with self._worded():
            judgments = qrels_from_table(self.table, query, document, label)
        return Judged(judgments, judgments.query_ids(), len(self.table), shape=self._shape)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments: by score, else by rank, else in the order of the rows."""
        if self.refusal is not None and not (by_rank or ranking.single):
            raise self.refusal
        self.refuse_misfit(qrels, ranking)
        query, document, score, rank, _ = self.chosen
        if by_rank and rank is None:
            raise InputError(
                f'ties="rank" needs a rank column, and {self._where} has none', 'use "input"'
            )
        by_rank = by_rank or (score is None and rank is not None)
        number = rank if by_rank else score
        with self._worded():
            columns, *counted = align_table(
                self.table,
                query,
                document,
                number,
                by_rank,
                qrels.judgments,
                ranking,
                reading.workers,
            )
        has_order = number is not None and not by_rank and self._shape is None
        return AlignedRun(Columns(*columns), *counted)._replace(order="rows" if has_order else None)

    def refuse_misfit(self, qrels: PreparedQrels, ranking: RankingOptions) -> None:
        """Refuse judgments that cannot belong to these rows, ranked so."""
        if self._shape is not None:
            refuse_another_shape(self._shape, qrels)
        if self._fits is not None:
            self._fits(qrels, ranking)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all rows."""
        with self._worded():
            number = None if lenient else self._exact_numbers()
            rows = rows_of_table(self.table, self.chosen, self._kind, number)
        if self._shape is not None:
            rows = rows._replace(order=None)
        counted = self._place is row_from_0
        return rows._replace(row=range(len(self.table))) if counted else rows

    def beginning(self) -> Source | None:
        """Return the first rows alone, if the table is large; see ``first_rows``."""
        return None if self.first_rows is None else self.first_rows()

    def for_query(self, query: str, reading: Reading) -> TableSource | None:
        """Return the rows of one query."""
        chosen = self.chosen
        with self._worded():
            kept, doc_ids = rows_of_query(
                self.table, chosen.query_id, chosen.doc_id, id_bytes(query), reading.workers
            )
        number, rank = (
            None if column is None else self._numbers(column)[kept]
            for column in (chosen.number, chosen.rank)
        )
        source = of_one_query(
            query,
            doc_ids,
            number,
            rank,
            self._kind,
            name=self.name,
            form=self._form,
            place=lambda row: self._place(int(kept[row])),
            shape=self._shape,
            fits=self._fits,
        )
        if source is not None and chosen.number is not None:
            source.refusal = self._fault_of(chosen.number)
        return source

    def rows_by_subtopic(self, reading: Reading) -> RowsBySubtopic:
        """List all judgments with their subtopics."""
        if self.chosen.subtopic is None:
            raise SchemaError(
                "there is no column of subtopics", "give rows with one", where=self._where
            )
        with self._worded():
            read = rows_of_subtopic_table(self.table, self.chosen, self._where)
        return read._replace(rows=read.rows._replace(row=range(len(self.table))))

    def keep(self) -> None:
        """Copy the numbers, which may share the caller's memory."""
        self.table = copied_table(self.table)
        self.first_rows = None  # which would read the caller's rows
        if isinstance(self._place, Cell):
            self._place = Cell(self._place.rows.copy(), self._place.columns.copy())
        copied = getattr(self._fits, "copied", None)
        self._fits = self._fits if copied is None else copied()

    def __getstate__(self) -> dict[str, Any]:
        """Return the columns in use, as ids and numbers; rows keep their order."""
        places, moved = self.chosen.picked()
        ids = {moved.query_id, moved.doc_id, moved.subtopic}
        columns = [
            _ids_of(self.table, place) if at in ids else self._numbers(place)
            for at, place in enumerate(places)
        ]
        names = [self.table.names()[place] for place in places]
        return vars(self) | {
            "table": (names, columns),
            "chosen": moved,
            "first_rows": None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        names, columns = state["table"]
        queries = state["_shape"][0] if state["_shape"] else 0
        vars(self).update(state, table=table_from_columns(names, columns, queries))

    def _exact_numbers(self) -> Floats | None:
        """Return the labels or scores, and refuse whole numbers that no double holds."""
        if self.chosen.number is None:
            return None
        numbers = column_numbers(self.table, self.chosen.number)
        row = first_inexact(numbers)
        if row is not None:
            raise SchemaError(
                *inexact(numbers[row], self._kind), where=f"{self._where}: {self._place(row)}"
            )
        return np.asarray(numbers, dtype=np.float64)

    def _fault_of(self, column: int) -> SchemaError | None:
        """Return the error of reading a column as numbers, or None."""
        try:
            with self._worded():
                column_numbers(self.table, column)
        except SchemaError as error:
            return error
        return None

    def _numbers(self, column: int) -> NDArray[Any]:
        """Return a column of numbers, or NaN if it cannot be read, which is refused when used."""
        try:
            return column_numbers(self.table, column)
        except TableFault:
            return np.full(len(self.table), np.nan)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted; for a run without scores, also its order."""
        return description_of(self._form, self._kind, self.chosen)

    @contextmanager
    def _worded(self) -> Iterator[None]:
        with worded(self._where, self.table.names(), self._place):
            try:
                yield
            except DuplicateFault as fault:
                raise self._duplicate(*fault.args) from None

    def _duplicate(self, query: str, document: str) -> DuplicateError:
        rows = rows_of_pair(
            self.table,
            self.chosen.query_id,
            self.chosen.doc_id,
            id_bytes(query),
            id_bytes(document),
        )
        if len(rows) != 2:
            return no_longer_twice(query, document, self._where)
        first, second = map(self._place, rows)
        return twice(query, document, self._kind, first, f"{self._where}: {second}")


def twice(query: str, document: str, kind: Kind, first: str, where: str) -> DuplicateError:
    """Return the error of a document that a query has twice, at two places."""
    return DuplicateError(
        f"document {document!r} appears twice for query {query!r}, first in {first}",
        f"keep one of the two{OR_CHOOSE[kind]}",
        where=where,
    )


def no_longer_twice(query: str, document: str, where: str) -> DuplicateError:
    """Return the error of a document that was found twice, and is not when it is looked for."""
    return DuplicateError(
        f"document {document!r} appeared twice for query {query!r}, and no longer does",
        "evaluate it when nothing writes to it",
        where=where,
    )


def description_of(form: Mapping[str, Any], kind: Kind, chosen: Chosen) -> dict[str, Any]:
    """Describe how rows were interpreted; for a run without scores, also its order."""
    if kind == "qrels" or chosen.number is not None:
        return dict(form)
    return {**form, "order": "as given" if chosen.rank is None else "rank"}


def _ids_of(table: Table, column: int) -> Any:
    """Return a column of ids as text, or as integers if it contains these."""
    codes, ids = numbered(table, column)
    distinct = [ids[code] for code in range(len(ids))]
    if table.formats()[column] in _WHOLE_NUMBERS:
        kind = np.uint64 if table.formats()[column].isupper() else np.int64
        return np.array(list(map(int, distinct)), dtype=kind)[codes]
    return [distinct[code] for code in codes.tolist()]


def rows_of_table(
    table: Table,
    chosen: Chosen,
    kind: Kind,
    number: Floats | None = None,
) -> Rows:
    """List the rows of a table; judgments without a label column have label 1.

    ``number`` are the labels or scores, if they were read.
    """
    query_codes, queries = numbered(table, chosen.query_id)
    doc_codes, documents = numbered(table, chosen.doc_id)
    if number is None and chosen.number is not None:
        number = _floats(table, chosen.number)
    elif number is None and kind == "qrels":
        number = np.ones(len(table))
    return Rows(
        query_codes,
        tuple(map(queries.__getitem__, range(len(queries)))),
        doc_codes,
        documents.__getitem__,
        documents.find,
        number,
        None if chosen.rank is None else _floats(table, chosen.rank),
        None,
        order="rows" if chosen.number is not None else None,
    )


def rows_of_subtopic_table(table: Table, chosen: Chosen, where: str) -> RowsBySubtopic:
    """List the rows of a table with a column of subtopics."""
    if not len(table):
        raise InputError("there are no judgments", "need one row at least", where=where)
    assert chosen.subtopic is not None  # noqa: S101
    codes, ids = numbered(table, chosen.subtopic)
    return RowsBySubtopic(rows_of_table(table, chosen, "qrels"), codes, ids.__getitem__)


def _floats(table: Table, column: int) -> Floats:
    return np.asarray(column_numbers(table, column), dtype=np.float64)


def of_one_query(
    query: str,
    doc_ids: Iterable[str],
    number: NDArray[Any] | None,
    rank: NDArray[Any] | None,
    kind: Kind,
    *,
    name: str,
    form: Mapping[str, Any],
    place: Place = row_from_0,
    shape: Shape | None = None,
    fits: Fits | None = None,
) -> TableSource | None:
    """Build a source from the rows of one query; None if there are none.

    Parameters
    ----------
    doc_ids
        m ids, which may repeat.
    number, rank
        (m,) labels or scores, and ranks; None if there are none.
    name, form, place, shape, fits
        See TableSource.
    """
    ids = tuple(map(id_bytes, doc_ids))
    if not ids:
        return None
    names = ["query_id", "doc_id"]
    columns: list[Any] = [(id_bytes(query),) * len(ids), ids]
    at: list[int | None] = []
    for role, values in (("label" if kind == "qrels" else "score", number), ("rank", rank)):
        at.append(None if values is None else len(names))
        if values is not None:
            names.append(role)
            columns.append(np.ascontiguousarray(values))
    table = table_from_columns(names, columns)
    chosen = Chosen(0, 1, *at)
    return TableSource(
        table, chosen, kind, name=name, form=form, place=place, shape=shape, fits=fits
    )


@contextmanager
def worded(where: str, columns: Sequence[str], place: Place = row_from_0) -> Iterator[None]:
    """Turn the core's faults with a table into errors with messages."""
    try:
        yield
    except TableFault as fault:
        column, row, found, remedy = fault.args
        at = f"{where}: {place(row)}" if row is not None else where
        raise SchemaError(f"{columns[column]!r} {found}", remedy, where=at) from None
    except NoIdFault as fault:
        column, row, found, failure = fault.args
        at = f"{where}: {place(row)}"
        if not says_no(failure, found):
            pass_on(failure, f"{at}: {columns[column]!r}")
        raise SchemaError(
            f"{columns[column]!r} holds {shown(found)}, which is not an id",
            "need text or a whole number",
            where=at,
        ) from None
    except StreamFault as fault:
        raise SchemaError(*fault.args, where=where) from None
    except LimitFault as fault:
        raise InputError(*fault.args, where=where) from None


def refuse_another_shape(shape: Shape, qrels: PreparedQrels) -> None:
    """Raise SchemaError if queries or items are numbered on both sides and differ in number."""
    theirs = qrels.shape if shape[0] else None  # an empty run fits any judgments
    if theirs is not None and any(a != b for a, b in zip(shape, theirs, strict=False)):
        raise SchemaError(
            f"the run has {_sizes(shape)}, the qrels have {_sizes(theirs)}",
            "queries and items are identified by their positions, so both sides need the same",
        )
    if theirs is not None and len(theirs) < len(shape):
        _refuse_labels_in_lists(shape[1], qrels)


def _refuse_labels_in_lists(items: int, qrels: PreparedQrels) -> None:
    """Refuse lists of ids that are labels of all items, as [[2, 0, 1], [0, 1, 2]] may be."""
    first = next(iter(getattr(qrels.source, "mapping", {}).values()), None)
    if not isinstance(first, (list, tuple, np.ndarray)) or items < 2:
        return
    if len(first) == items and (np.diff(qrels.judgments.starts()) == items).all():
        raise SchemaError(
            f"the qrels have lists of {items:,} whole numbers, as many as the run has items; lists "
            "hold ids of relevant items, so that every item would be relevant",
            "if they are labels, give them as an array of numbers; if they are ids, as sets",
        )


def refuse_beyond(beyond: Sequence[int], items: int, name: str) -> None:
    """Raise SchemaError if a run has ids that are not columns of judgments, in their order."""
    if beyond:
        raise SchemaError(
            f"run {name}: ids that are not columns of the qrels, 0 to {items - 1}: "
            f"{listed(list(map(str, beyond[:3])), len(beyond))}",
            "do they count from 0?",
        )


def _sizes(shape: Shape) -> str:
    queries, *items = shape
    return f"{queries:,} queries" + "".join(f" x {number:,} items" for number in items)
