"""Tables that are results of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import one_line
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import json_number
from rankmark.results.shown_parts import Look, Notes, Part
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.results.table_schema import Columns

_MOST_ROWS = 20  # that people read


class Table(ShownResult):
    """Rows with named columns, as JSON, CSV and data frames."""

    __slots__ = ("_columns",)
    _schema = None

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    def _contents(self) -> dict[str, Any]:
        """Return the rows for JSON, with None for what is missing, in a list under ``rows``."""
        return {"rows": self._rows()}

    def _rows(self, most: int | None = None) -> list[dict[str, Any]]:
        columns = (listed(values[:most]) for values in self._columns.values())
        return [
            {
                name: json_number(value) if isinstance(value, float) else value
                for name, value in zip(self._columns, row, strict=True)
            }
            for row in zip(*columns, strict=True)
        ]

    def _table(self) -> dict[str, Any]:
        return self._columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __repr__(self) -> str:
        return one_line(f"{len(self):,} rows of {', '.join(self._columns)}")

    def _parts(self, look: Look) -> Sequence[Part]:
        rows = [
            [
                "" if x is None else f"{x:.4g}" if isinstance(x, float) else str(x)
                for x in row.values()
            ]
            for row in self._rows(None if look.is_pasted else _MOST_ROWS)
        ]
        more = len(self) - len(rows)
        told = [f"and {more:,} more rows"] if more else []
        return [MarkedTable([*self._columns], rows, len(self._columns) - 1), Notes(told)]
