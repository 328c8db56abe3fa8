"""What every result with a row a query can become: frames of any library, and JSON."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from rankmark.errors import MeasureError, MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from rankmark.array_types import Floats


class ByQuery(Mapping[str, float]):
    """A result with a row a query: ``query_id``, then a column of numbers for each thing asked.

    It maps each name to one number. Two results are equal where their names, queries and numbers
    are, to the bit, and so is what was chosen; a result equals any other mapping that holds the
    same names and numbers.
    """

    @property
    @abstractmethod
    def queries(self) -> tuple[str, ...]:
        """(n_queries,) ids, as text."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """(n_columns,) what the columns are called."""

    scores: Floats

    @abstractmethod
    def _chosen(self) -> object:
        """Give what was chosen, by which results with the same numbers still differ."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (MeasureError, TypeError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ByQuery):
            return type(self) is type(other) and self._identity() == other._identity()
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash((*self.names, self.scores.tobytes()))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing can change it

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.scores.flags.writeable = False

    def _identity(self) -> tuple[object, ...]:
        return self.names, self.queries, self.scores.tobytes(), self._chosen()

    def _columns(self) -> dict[str, Sequence[str] | Floats]:
        columns: dict[str, Sequence[str] | Floats] = {"query_id": [*map(encodable, self.queries)]}
        for column, name in enumerate(self.names):
            columns[name] = self.scores[:, column].copy()
        return columns

    def to_pandas(self) -> pd.DataFrame:
        """Give a frame with a row a query: ``query_id``, then a column for each thing asked."""
        try:
            import pandas as pd  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("pandas", "pandas", "to_pandas") from None
        return pd.DataFrame(self._columns())

    def to_polars(self) -> pl.DataFrame:
        """Give a frame with a row a query: ``query_id``, then a column for each thing asked."""
        try:
            import polars as pl  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("polars", "polars", "to_polars") from None
        return pl.DataFrame(self._columns())

    def to_arrow(self) -> pa.Table:
        """Give a table with a row a query: ``query_id``, then a column for each thing asked."""
        try:
            import pyarrow as pa  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("pyarrow", "arrow", "to_arrow") from None
        return pa.table(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _by_query(self) -> dict[str, dict[str, float | None]]:
        """Write the scores as JSON knows them."""
        rows = zip(self.queries, self.scores.tolist(), strict=True)
        return {
            query: dict(zip(self.names, map(json_number, row), strict=True)) for query, row in rows
        }


def json_number(value: float) -> float | None:
    """Write a number as JSON knows it: NaN and infinite numbers become None."""
    return value if math.isfinite(value) else None


def as_json(written: object, indent: int | None = None) -> str:
    """Write a document as JSON text, which has no NaN."""
    import json  # noqa: PLC0415

    return encodable(json.dumps(written, ensure_ascii=False, allow_nan=False, indent=indent))


def encodable(text: str) -> str:
    """Write a text so that all can encode it: bytes of ids that are no UTF-8 stand escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def as_html(shown: Sequence[tuple[str, str]], notes: Sequence[str]) -> str:
    """Write names with values as a table, and notes under it."""
    from html import escape  # noqa: PLC0415

    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:right'>{escape(value)}</td></tr>"
        for name, value in shown
    )
    return encodable(f"<table>{rows}</table><small>{'<br>'.join(map(escape, notes))}</small>")
