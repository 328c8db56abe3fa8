"""A collection's files as Polars or pandas frames, their ids as text or as whole numbers."""

from typing import Any

QRELS = ("query_id", "iteration", "doc_id", "label")
RUN = ("query_id", "iteration", "doc_id", "rank", "score", "tag")
KEPT = ("query_id", "doc_id", "label", "rank", "score")


def polars(path: str, names: tuple[str, ...], ids: str) -> Any:
    """Read a file of judgments or of a run; ``ids`` are "string" or "integer"."""
    import polars as pl

    kind = pl.String if ids == "string" else pl.Int64
    read = pl.read_csv(path, separator=" ", has_header=False, new_columns=names)
    kept = read.select(name for name in names if name in KEPT)
    # One chunk a column, as after most operations.
    return kept.with_columns(pl.col("query_id", "doc_id").cast(kind)).rechunk()


def pandas(path: str, names: tuple[str, ...], ids: str) -> Any:
    """Read the same; ids of text are of whichever type this pandas has for text."""
    import pandas as pd

    kind = str if ids == "string" else "int64"
    return pd.read_csv(
        path,
        sep=" ",
        names=list(names),
        usecols=[name for name in names if name in KEPT],
        dtype={"query_id": kind, "doc_id": kind},
    )
