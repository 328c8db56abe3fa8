"""The base of results: JSON, and data frames of several libraries."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from rankmark.errors import MissingDependencyError
from rankmark.results.escaped_bytes import encodable_json
from rankmark.results.table_schema import as_csv, fields_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Frames(ABC):
    """A table that can be converted to the data frames of several libraries."""

    __slots__ = ()

    @abstractmethod
    def _table(self) -> dict[str, Any]:
        """Return the columns of the table by name."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame with a row for each query, document, system or finding."""
        try:
            import pandas  # noqa: PLC0415, F401
        except ImportError:
            raise MissingDependencyError("pandas", "pandas", "to_pandas") from None
        from rankmark.results.table_schema import pandas_frame  # noqa: PLC0415

        return pandas_frame(self._table())

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars data frame with a row for each query, document, system or finding."""
        try:
            import polars  # noqa: PLC0415, F401
        except ImportError:
            raise MissingDependencyError("polars", "polars", "to_polars") from None
        from rankmark.results.table_schema import polars_frame  # noqa: PLC0415

        return polars_frame(self._table())

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each query, document, system or finding."""
        try:
            import pyarrow  # noqa: PLC0415, F401
        except ImportError:
            raise MissingDependencyError("pyarrow", "arrow", "to_arrow") from None
        from rankmark.results.table_schema import arrow_table  # noqa: PLC0415

        return arrow_table(self._table())


class Result(Frames):
    """A result that can be converted to JSON or a table."""

    __slots__ = ()
    _is_result = True
    """That it is no mapping or table of somebody else's, for what reads these."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; NaN becomes None.

        Returns
        -------
        schema
            The version of the document's form; it increases if a field changes its meaning or is
            removed.
        rankmark
            The version of rankmark.
        qrels
            The judgments: ``name``, ``sha256`` (None for data in memory) and ``form``.
        run
            The run: its name, or the same three.
        runs
            The same of each run, by its name.
        baseline
            The name of the run that others are compared with.
        query_id, doc_id
            The id, as in the files.
        measure, name
            The name.
        value
            The value of the measure or figure.
        per_query
            {query: {name: value}}.
        label
            The label of the document; None if it is not judged.
        rank
            The rank of the document in the ranking.
        tied
            The first and the last rank of the documents with the same score.
        contribution
            What the document or the query adds to the value.
        total
            The sum of the contributions so far.
        precision
            Precision at this rank.
        note
            A remark on the row.
        notes
            Remarks, as texts.
        a, b
            The two runs, as ``run``.
        answers
            The table of answers: ``name``, ``sha256``, ``form``, and the ``columns`` read.
        intervals
            {name: the two ends of the 95% interval of its mean}; None for too few queries.
        file
            The file in which it was found.
        kind
            Which kind it is.
        """

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return what a notebook shows, made of ``formatting.html_parts``."""

    def to_json(self, *, indent: int | None = None, **choices: bool) -> str:
        """Return ``to_dict``, called with the choices, as JSON text."""
        write: Callable[..., dict[str, Any]] = self.to_dict
        return as_json(write(**choices), indent)

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of what ``to_json`` writes, as ``rankmark schema`` prints it.

        Fields may be added in later versions, which the schema allows.
        """
        from rankmark.results.json_schema import has_schema, json_schema  # noqa: PLC0415

        return json_schema(next(base.__name__ for base in cls.__mro__ if has_schema(base.__name__)))

    def to_csv(self, *, safe: bool = False) -> str:
        """Return the rows as CSV, as ``--format csv`` writes them.

        "Results" in the documentation has the columns.

        Parameters
        ----------
        safe
            Whether to put ``'`` before texts that a spreadsheet would take for formulas, and to
            escape characters that are not printed, such as those that control a terminal.
        """
        return as_csv(self._table(), safe=safe)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def json_number(value: float) -> float | None:
    """Convert a number for JSON: NaN and infinite numbers become None."""
    return value if math.isfinite(value) else None


def plain(value: Any) -> Any:
    """Turn rows, tuples, arrays and numbers into what JSON knows: NaN becomes None."""
    if isinstance(value, float):
        return json_number(value)
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (list, tuple)) and not hasattr(value, "_asdict"):
        return [*map(plain, value)]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return {name: plain(each) for name, each in fields_of(value).items()}


class Row:
    """A row of a result, or its audit: a dataclass or a named tuple that can go into JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        return plain(self)


class HasEnds(Protocol):
    """An interval; see ``statistics.Interval``."""

    @property
    def estimate(self) -> float:
        """What the interval is of."""
        ...

    @property
    def low(self) -> float:
        """Its lower end."""
        ...

    @property
    def high(self) -> float:
        """Its upper end."""
        ...

    @property
    def undefined(self) -> str:
        """Why there is no interval, or ""."""
        ...


def interval_for_json(one: HasEnds) -> dict[str, Any]:
    """Return an estimate and the ends of its interval for JSON, and why there are none."""
    found: dict[str, Any] = {
        "estimate": json_number(one.estimate),
        "low": json_number(one.low),
        "high": json_number(one.high),
    }
    return found | ({"undefined": one.undefined} if one.undefined else {})


def as_json(content: object, indent: int | None = None) -> str:
    """Return JSON text, without NaN."""
    import json  # noqa: PLC0415

    return encodable_json(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent))
