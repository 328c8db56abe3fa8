"""Which objects are tables whose rows are yet to come, by what their types offer."""

from __future__ import annotations

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

    Raises
    ------
    SchemaError
        If it is one.
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
