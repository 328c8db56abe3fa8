"""Which objects are tables whose rows are yet to come, and DuckDB's without its progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankmark.errors import SchemaError

_KNOW_THEIR_ROWS = ("__len__", "num_rows", "shape", "height")


def is_stream(source: object) -> bool:
    """Return True if an object is a table whose rows are yet to come."""
    kind = type(source)
    if is_lazy(kind) or is_relation(kind) or is_dataset(kind) or is_scanner(kind):
        return True
    exports = hasattr(kind, "__arrow_c_stream__")
    return exports and not any(hasattr(kind, name) for name in _KNOW_THEIR_ROWS)


def is_lazy(kind: type) -> bool:
    """Return True for a lazy frame of Polars."""
    return hasattr(kind, "collect_schema") and hasattr(kind, "sink_parquet")


def is_relation(kind: type) -> bool:
    """Return True for a relation of DuckDB."""
    return hasattr(kind, "fetch_record_batch") or hasattr(kind, "to_arrow_reader")


def is_dataset(kind: type) -> bool:
    """Return True for a dataset of pyarrow."""
    return all(hasattr(kind, name) for name in ("scanner", "to_batches", "schema"))


def is_scanner(kind: type) -> bool:
    """Return True for a scanner of pyarrow."""
    return hasattr(kind, "scan_batches") and hasattr(kind, "projected_schema")


def refuse_spark(source: object, name: str) -> None:
    """Refuse a DataFrame of Spark that cannot be read as a stream of Arrow batches.

    Those of Spark Connect only seem to offer one.
    """
    kind = type(source)
    if not (hasattr(kind, "mapInArrow") and hasattr(kind, "sparkSession")):
        return
    remote = kind.__module__.startswith("pyspark.sql.connect")
    if remote or not hasattr(kind, "__arrow_c_stream__"):
        raise SchemaError(
            f"{name} is a DataFrame of Spark{' Connect' if remote else ''}",
            "call rankmark.spark.evaluate or rankmark.spark.compare, or give toArrow() of it if it "
            "fits into memory",
        )


_VIEW = "rankmark_reads"  # DuckDB names the relation so while a statement is executed
_SETTING = "enable_progress_bar_print"


@contextmanager
def without_progress_bar(relation: Any) -> Iterator[None]:
    """Turn the progress bar off while a relation is read, unless it is shown to somebody.

    DuckDB prints it to standard output after two seconds, also where that is a file or a pipe.
    """
    if _is_shown() or not _is_on(relation):
        yield
        return
    _execute(relation, f"SET {_SETTING} = false")
    try:
        yield
    finally:
        _execute(relation, f"SET {_SETTING} = true")
        _execute(relation, f"DROP VIEW IF EXISTS {_VIEW}")


def _is_shown() -> bool:
    if "ipykernel" in sys.modules:  # a notebook draws it
        return True
    try:
        return sys.__stdout__ is not None and sys.__stdout__.isatty()
    except ValueError:  # closed
        return False


def _is_on(relation: Any) -> bool:
    asked = f"SELECT current_setting('enable_progress_bar') AND current_setting('{_SETTING}')"
    found = _execute(relation, asked)
    return found is not None and bool(found.fetchall()[0][0])


def _execute(relation: Any, statement: str) -> Any:
    """Execute a statement on the relation's own connection; None if that refuses."""
    import duckdb  # noqa: PLC0415

    try:
        return relation.query(_VIEW, statement)
    except duckdb.Error:
        return None
