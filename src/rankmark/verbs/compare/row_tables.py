"""Tables whose rows have named fields, such as a leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from rankmark.errors import InputError, listed, one_line
from rankmark.results import html_parts as html
from rankmark.results.result import Result, json_number
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row", bound="DataclassInstance")


_KEYS = ("slice", "measure", "run", "baseline")
_MOST_COLUMNS = 6  # of numbers in a table of HTML


class Rows(Result, Sequence[Row], Generic[Row]):
    """A table with a row for each run and measure, or each pair and measure.

    A sequence of rows with named fields, which can be converted to JSON and data frames.
    """

    def __init__(self, rows: Sequence[Row], kind: type[Row]) -> None:
        self._rows: tuple[Row, ...] = tuple(rows)
        self._names = tuple(field.name for field in fields(kind))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self._comparable == other._comparable

    def __hash__(self) -> int:
        return hash(self._comparable)

    @property
    def _comparable(self) -> tuple[tuple[Any, ...], ...]:
        """All values, with None for NaN, which differs from itself."""
        return tuple(tuple(row.values()) for row in self.for_json())

    def _repr_html_(self) -> str:
        rows = self.for_json()
        same = [
            name
            for name in self._names
            if len(rows) > 1 and len({str(row[name]) for row in rows}) == 1
        ]
        keys = [name for name in self._names if name not in same and name in _KEYS]
        others = [name for name in self._names if name not in same and name not in keys]
        parts = []
        for at in range(0, max(len(others), 1), _MOST_COLUMNS):
            head = [*keys, *others[at : at + _MOST_COLUMNS]]
            cells = [[_text(row[name]) for name in head] for row in rows]
            parts.append(html.table(head, cells, len(keys)))
        told = [f"{name}: {_text(rows[0][name])}" for name in same if _text(rows[0][name])]
        return html.page(*parts, html.notes([", ".join(told)] if told else []))

    def where(self, **values: str) -> tuple[Row, ...]:
        """Return the rows whose fields have these values, such as ``measure="AP"``.

        Raises
        ------
        InputError
            If rows have no such field.
        """
        unknown = [name for name in values if name not in self._names]
        if unknown:
            raise InputError(
                f"rows have no field {listed(unknown)}", f"choose from {', '.join(self._names)}"
            )
        return tuple(
            row
            for row in self
            if all(getattr(row, name) == str(value) for name, value in values.items())
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the rows for JSON, with None for NaN, in a list under ``rows``."""
        return {"rows": self.for_json()}

    def for_json(self) -> list[dict[str, Any]]:
        """Return the rows for JSON, with None for NaN."""
        return [
            {
                name: json_number(value)
                if isinstance(value, float)
                else list(value)
                if isinstance(value, tuple)
                else value
                for name, value in asdict(row).items()
            }
            for row in self
        ]

    def _table(self) -> dict[str, Any]:
        return columns_of([asdict(row) for row in self], *self._names)

    def __repr__(self) -> str:
        return one_line(f"{len(self)} rows of {', '.join(self._names)}")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
