"""The base of results: JSON, and data frames of several libraries."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import MissingDependencyError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Result(ABC):
    """A result that can be converted to JSON or a table."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; NaN becomes None."""

    @abstractmethod
    def _table(self) -> dict[str, Any]:
        """Return the columns of the table by name."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return what a notebook shows, made of ``formatting.html_parts``."""

    def to_json(self, *, indent: int | None = None, **choices: bool) -> str:
        """Return ``to_dict``, called with the choices, as JSON text."""
        write: Callable[..., dict[str, Any]] = self.to_dict
        return as_json(write(**choices), indent)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame with a row for each query, document, system or finding."""
        try:
            import pandas as pd  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("pandas", "pandas", "to_pandas") from None
        return pd.DataFrame(self._table())

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars data frame with a row for each query, document, system or finding."""
        try:
            import polars as pl  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("polars", "polars", "to_polars") from None
        return pl.DataFrame(self._table())

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each query, document, system or finding."""
        try:
            import pyarrow as pa  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("pyarrow", "arrow", "to_arrow") from None
        return pa.table(self._table())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def columns_of(rows: Sequence[Mapping[str, Any]], *names: str) -> dict[str, Any]:
    """Convert rows to columns of one type each; ``names`` are those of a table without rows."""
    columns = dict.fromkeys(name for row in rows for name in row) or names
    return {name: _of_one_type([row.get(name) for row in rows]) for name in columns}


def _of_one_type(values: list[Any]) -> list[Any]:
    if any(isinstance(value, float) for value in values):
        return [None if value is None else float(value) for value in values]
    return [encodable(value) if isinstance(value, str) else value for value in values]


def json_number(value: float) -> float | None:
    """Convert a number for JSON: NaN and infinite numbers become None."""
    return value if math.isfinite(value) else None


def as_json(content: object, indent: int | None = None) -> str:
    """Return JSON text, without NaN."""
    import json  # noqa: PLC0415

    return encodable(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent))


def encodable(text: str) -> str:
    """Escape bytes of ids that are not UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
