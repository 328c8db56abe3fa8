"""Columns of a table by name, where its rows are from, and what its cells hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.files.json_documents import id_in
from rankmark.data.frames.arrow_frames import is_frame, is_pandas
from rankmark.data.ids.numeric import written_number
from rankmark.errors import (
    DuplicateError,
    InputError,
    MissingDependencyError,
    ParseError,
    SchemaError,
    shown,
)

_FINITE = "need a finite number"


class Places(NamedTuple):
    """Where the rows of a table are from, for messages.

    Parameters
    ----------
    where
        The name of the table.
    lines
        The line of each row in its file; None if rows have no lines.
    is_text
        Whether cells are text of a file, in which ids need not be UTF-8.
    """

    where: str
    lines: Sequence[int] | None = None
    is_text: bool = False

    def of(self, row: int | None) -> str:
        """Return words for a row, from 1; nothing if the error names its line."""
        return f" of row {row + 1:,}" if self.lines is None and row is not None else ""

    def error(
        self, row: int | None, found: str, remedy: str, kind: type[InputError] = SchemaError
    ) -> InputError:
        """Return an error about a row; ``found`` names it with ``of``."""
        line = None if self.lines is None or row is None else self.lines[row]
        return kind(found, remedy, where=self.where, line=line)

    def some(self, rows: Iterable[int]) -> Places:
        """Return the places of some rows, in their order."""
        return self if self.lines is None else self._replace(lines=[self.lines[at] for at in rows])

    def text(self, value: Any, what: str, row: int) -> str:
        """Return an id as text."""
        if self.is_text and isinstance(value, str) and value:
            return value
        if is_empty(value):
            raise self.error(row, f"{what}{self.of(row)} is empty", "give every row one")
        try:
            return id_in(value, f"{what}{self.of(row)}", self.where)
        except SchemaError as error:
            raise self.error(row, error.found, error.remedy or "") from None

    def number(
        self,
        value: Any,
        what: str,
        row: int | None = None,
        most: float = math.inf,
        remedy: str = _FINITE,
    ) -> float:
        """Return a finite number of at most this size."""
        number = number_in(value)
        if number is None or not math.isfinite(number) or abs(number) > most:
            text = value if isinstance(value, str) else ""
            if "," in text and number_in(text.replace(",", ".", 1)) is not None:
                remedy = "write a decimal point, not a comma"
            elif text.endswith("%") and number_in(text[:-1]) is not None:
                remedy = "write the number alone, without the percent sign"
            raise self.error(row, f"{what}{self.of(row)} is {shown(value)}", remedy)
        return number


class Columns(dict[str, Sequence[Any]]):
    """Columns by name, all of the same length: text in files of text, None where nothing is.

    ``what`` names a column in messages, its name unless it is given.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], places: Places) -> None:
        super().__init__(columns)
        self.places = places

    @property
    def name(self) -> str:
        """What the table is called."""
        return self.places.where

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.values()), ()))

    def texts(self, column: str, what: str | None = None) -> list[str | None]:
        """Return ids as text, None for empty cells."""
        if self.places.is_text:
            return [None if is_empty(value) else value for value in self[column]]
        known: dict[Any, str | None] = {}
        found = []
        for row, value in enumerate(self[column]):
            key = (type(value), value) if isinstance(value, (str, int, float)) else None
            if key is None or key not in known:
                text = None if is_empty(value) else self.places.text(value, what or column, row)
                if key is None:
                    found.append(text)
                    continue
                known[key] = text
            found.append(known[key])
        return found

    def ids(self, column: str, what: str | None = None) -> list[str]:
        """Return ids as text; every row has one."""
        found = self.texts(column, what)
        if None in found:
            row = found.index(None)
            raise self.error(
                row, f"{what or column}{self.places.of(row)} is empty", "give every row one"
            )
        return found  # type: ignore[return-value]

    def numbers(self, column: str, most: float = math.inf, **told: Any) -> Floats:
        """Return finite numbers, (n_rows,) float64, of at most this size; every row has one."""
        values = self[column]
        kinds = {*map(type, values)}
        if kinds <= {int, float} or kinds == {str}:  # at once, and one by one to name a mistake
            found = values if str not in kinds else [*map(number_in, values)]
            with suppress(OverflowError):
                numbers = np.array(found, dtype=np.float64)
                if (np.isfinite(numbers) & (np.abs(numbers) <= most)).all():
                    return numbers
        cells = enumerate(values)
        of_rows = (self.places.number(value, column, row, most, **told) for row, value in cells)
        return np.fromiter(of_rows, np.float64, len(values))

    def numbers_if_any(self, column: str, what: str | None = None, **told: Any) -> list[float]:
        """Return finite numbers, NaN for empty cells."""
        return [
            math.nan if is_empty(value) else self.places.number(value, what or column, row, **told)
            for row, value in enumerate(self[column])
        ]

    def error(
        self, row: int, found: str, remedy: str, kind: type[InputError] = SchemaError
    ) -> InputError:
        """Return an error about a row; see ``Places.error``."""
        return self.places.error(row, found, remedy, kind)

    def refuse_twice(self, ids: Sequence[str], prefix: str = "") -> None:
        """Refuse queries that appear twice."""
        seen: set[str] = set()
        for row, query in enumerate(ids):
            if query in seen:
                found = f"{prefix}query {query!r} appears twice"
                raise self.error(row, found, "keep one row", DuplicateError)
            seen.add(query)


def is_empty(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN, or text without letters."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  (NaN, and pandas' NaT)
    except (TypeError, ValueError, ArithmeticError):  # pandas' NA, and Decimal's signaling NaN
        return type(value).__name__ == "NAType"


def number_in(value: Any) -> float | None:
    """Return the number in a cell, NaN and infinities as they are; None if there is none.

    Text is read as in files of judgments and runs.
    """
    if isinstance(value, str):
        return written_number(value.strip(" \t"))
    if isinstance(value, (bool, np.bool_, bytes)) or value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def refuse_uneven(columns: Mapping[Any, Sized]) -> None:
    """Refuse columns of different lengths."""
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise SchemaError(
            f"columns have {min(lengths):,} to {max(lengths):,} rows", "need the same number in all"
        )


def of_records(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Sequence[Any]]:
    """Turn rows with named fields into columns, None where a row has no such field."""
    columns = dict.fromkeys(column for row in rows for column in row)
    return {str(column): [row.get(column) for row in rows] for column in columns}


def of_mapping(given: Mapping[Any, Any]) -> Mapping[Any, Sequence[Any]] | None:
    """Return the columns of a mapping of columns or from queries; None of anything else.

    Others, such as pytrec_eval, map queries to numbers by measure, or to one number.
    """
    values = [*given.values()]
    if all(isinstance(value, (list, tuple, np.ndarray)) for value in values):
        return given
    if all(isinstance(value, Mapping) for value in values):
        return of_records([{"query_id": query, **given[query]} for query in given])
    if "query_id" not in given and all(isinstance(value, (int, float)) for value in values):
        return {"query_id": [*given], "score": values}
    return None


def table_in_memory(given: Any, where: str | None = None) -> Columns | None:
    """Return the columns of a frame, of lists by column, or of rows; None of anything else."""
    where = f"<{type(given).__name__}>" if where is None else where
    if is_frame(given):
        found = _of_frame(given, where)
    elif isinstance(given, Mapping) and given:
        refuse_uneven(given)
        found = {
            str(name): values.tolist() if isinstance(values, np.ndarray) else list(values)
            for name, values in given.items()
        }
    elif isinstance(given, (list, tuple)) and all(isinstance(row, Mapping) for row in given):
        found = of_records(given)
    else:
        return None
    return Columns(found, Places(where))


def _of_frame(frame: Any, where: str) -> dict[str, Sequence[Any]]:
    if is_pandas(frame):
        if any(name is not None for name in frame.index.names):
            frame = frame.reset_index()
        names = [*map(str, frame.columns.tolist())]
        refuse_names_twice(names, where)
        return {name: frame.iloc[:, at].tolist() for at, name in enumerate(names)}
    if hasattr(frame, "to_dict") and hasattr(frame, "partition_by"):  # Polars
        return {name: frame[name].to_list() for name in frame.columns}
    try:
        import pyarrow as pa  # noqa: PLC0415
    except ImportError:
        purpose = f"reading a {type(frame).__name__}"
        raise MissingDependencyError("pyarrow", "arrow", purpose) from None
    return of_arrow(pa.table(frame), where)


def of_arrow(table: Any, where: str) -> dict[str, Sequence[Any]]:
    """Return the columns of a table of pyarrow."""
    refuse_names_twice(table.column_names, where)
    return table.to_pydict()


def refuse_names_twice(names: Sequence[str], where: str, line: int | None = None) -> None:
    """Refuse columns of the same name."""
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        kind = SchemaError if line is None else ParseError
        found = f"two columns have the name {twice!r}"
        raise kind(found, "rename one", where=where, line=line)
