"""Logs with a row for each issue of a query, and lists of its documents and clicks.

Narwhals explodes one list at a time and gives no places, so each engine does it itself.
"""

from __future__ import annotations

from typing import Any

import narwhals as nw

from rankmark.clicks.logs.counting import one, scalar
from rankmark.clicks.logs.log_files import connection, quoted
from rankmark.errors import SchemaError, counted

c = nw.col
_RANK = "rank of the document"


def has_lists(rows: nw.LazyFrame[Any], chosen: dict[str, str]) -> bool:
    """Return whether documents are in lists."""
    return isinstance(rows.collect_schema()[chosen["doc"]], nw.List)


def unlisted(
    rows: nw.LazyFrame[Any], chosen: dict[str, str], where: str
) -> tuple[nw.LazyFrame[Any], dict[str, str], int]:
    """Return a row for each document, its columns by role, and how many clicks are on no document.

    Clicks are a list as long as that of the documents, or the ids of those that were clicked. An
    issue without documents has a row without one.
    """
    docs, clicks = chosen["doc"], chosen["click"]
    of_docs, of_clicks = (rows.collect_schema()[name] for name in (docs, clicks))
    if not (isinstance(of_docs, nw.List) and isinstance(of_clicks, nw.List)):
        raise SchemaError(
            f"{docs} has lists, and {clicks} has none", "give lists in both", where=where
        )
    are_texts = [kind.inner == nw.String for kind in (of_docs, of_clicks)]
    are_ids = are_texts[1] or (not are_texts[0] and clicks.lower().startswith("clicked"))
    if not are_ids:
        lengths = [c(name).list.len().fill_null(0) for name in (docs, clicks)]
        uneven = scalar(rows.select(x=one(lengths[0] != lengths[1])).select(c("x").sum()))
        if uneven:
            raise SchemaError(
                f"{docs} and {clicks} have different lengths in {counted(uneven, 'row')}",
                "give a click for each document, or the ids of those that were clicked",
                where=where,
            )
    kind = rows.implementation
    if not (kind.is_polars() or kind.is_pyspark()):
        long, lost = _of_duckdb(rows, docs, clicks, are_ids=are_ids)
    else:
        each = _of_polars if kind.is_polars() else _of_spark
        long, lost = each(rows.to_native(), docs, clicks, are_ids=are_ids)
    found = nw.from_native(long).lazy()
    return found, chosen | {"rank": _RANK}, scalar(nw.from_native(lost).lazy()) if are_ids else 0


def _of_duckdb(
    rows: nw.LazyFrame[Any], docs: str, clicks: str, *, are_ids: bool
) -> tuple[Any, Any]:
    native = rows.to_native()
    if not rows.implementation.is_duckdb():  # Ibis
        native = connection().from_arrow(rows.collect("pyarrow").to_native())
    d, k, rank = map(quoted, (docs, clicks, _RANK))
    filled = {d: f"CASE WHEN len({d}) > 0 THEN {d} ELSE [NULL] END"}
    if not are_ids:
        filled[k] = f"CASE WHEN len({k}) > 0 THEN {k} ELSE [0] END"
    filled_in = ", ".join(f"{sql} AS {name}" for name, sql in filled.items())
    long = native.select(f"* REPLACE ({filled_in})").select(
        f"* REPLACE ({', '.join(f'unnest({name}) AS {name}' for name in filled)}), "
        f"generate_subscripts({d}, 1) AS {rank}"
    )
    if are_ids:
        long = long.select(f"* REPLACE (coalesce(list_contains({k}, {d}), false) AS {k})")
    lost = f"len(list_distinct({k})) - coalesce(len(list_intersect({k}, {d})), 0)"
    return long, native.aggregate(f"sum({lost}) AS n") if are_ids else None


def _of_polars(frame: Any, docs: str, clicks: str, *, are_ids: bool) -> tuple[Any, Any]:
    import polars as pl  # noqa: PLC0415

    d, k = pl.col(docs), pl.col(clicks)
    is_empty = d.list.len().fill_null(0) == 0
    lost = frame.select(k.list.set_difference(d).list.len().sum()) if are_ids else None
    filled = [pl.when(is_empty).then(pl.lit([None])).otherwise(d).alias(docs)]
    if not are_ids:
        filled.append(pl.when(is_empty).then(pl.lit([0])).otherwise(k).alias(clicks))
    wide = frame.with_columns(*filled).with_columns(pl.int_ranges(1, d.list.len() + 1).alias(_RANK))
    long = wide.explode(docs, *([] if are_ids else [clicks]), _RANK)
    return long.with_columns(k.list.contains(d).fill_null(value=False)) if are_ids else long, lost


def _of_spark(frame: Any, docs: str, clicks: str, *, are_ids: bool) -> tuple[Any, Any]:
    from pyspark.sql import functions as f  # noqa: PLC0415

    others = [name for name in frame.columns if name not in {docs, clicks}]
    d, k = f.col(f"`{docs}`"), f.col(f"`{clicks}`")
    long = frame.select(*others, d.alias("d"), k.alias("k"))
    zipped = f.posexplode_outer(f.col("d") if are_ids else f.arrays_zip("d", "k"))
    long = long.select(*others, "k", zipped.alias("place", "both"))
    doc, click = (
        (f.col("both"), f.array_contains("k", f.col("both")))
        if are_ids
        else (f.col("both.d"), f.col("both.k"))
    )
    long = long.select(
        *others,
        doc.alias(docs),
        f.coalesce(click.cast("bigint"), f.when(doc.isNull(), 0)).alias(clicks),
        (f.col("place") + 1).alias(_RANK),
    )
    lost = frame.select(f.sum(f.size(f.array_except(k, d)))) if are_ids else None
    return long, lost
