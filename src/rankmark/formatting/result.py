"""What every result can become: JSON, and a table of any library of frames."""

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
    """Something that verbs give, to be handed on as JSON or as a table; ``_table`` says of what."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None."""

    @abstractmethod
    def _table(self) -> dict[str, Any]:
        """Return the columns of its table by name."""

    def to_json(self, *, indent: int | None = None, **choices: bool) -> str:
        """Write ``to_dict``, which takes the choices, as JSON text."""
        write: Callable[..., dict[str, Any]] = self.to_dict
        return as_json(write(**choices), indent)

    def to_pandas(self) -> pd.DataFrame:
        """Return its table, a row a query, document, system or finding, as a frame of pandas."""
        try:
            import pandas as pd  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("pandas", "pandas", "to_pandas") from None
        return pd.DataFrame(self._table())

    def to_polars(self) -> pl.DataFrame:
        """Return its table, a row a query, document, system or finding, as a frame of Polars."""
        try:
            import polars as pl  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("polars", "polars", "to_polars") from None
        return pl.DataFrame(self._table())

    def to_arrow(self) -> pa.Table:
        """Return its table, a row a query, document, system or finding, as Arrow has it."""
        try:
            import pyarrow as pa  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError("pyarrow", "arrow", "to_arrow") from None
        return pa.table(self._table())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def columns_of(rows: Sequence[Mapping[str, Any]], *names: str) -> dict[str, Any]:
    """Turn rows into columns of one type each, with the names that there are in any case."""
    every = dict.fromkeys(name for row in rows for name in row) or names
    return {name: _of_one_type([row.get(name) for row in rows]) for name in every}


def _of_one_type(values: list[Any]) -> list[Any]:
    if any(isinstance(value, float) for value in values):
        return [None if value is None else float(value) for value in values]
    return [encodable(value) if isinstance(value, str) else value for value in values]


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
