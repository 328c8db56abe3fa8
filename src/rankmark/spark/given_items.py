"""What is known of items, where some of it is in Spark DataFrames: read by the driver, once."""

from __future__ import annotations

from typing import Any

from rankmark.data.contract.reading_options import OF_ITEMS, ONE_THREAD, Reading
from rankmark.data.given_tables.role_tables import Role, TableKind, role_table
from rankmark.data.preparing.item_data import CountedHistory, ItemData
from rankmark.errors import InputError, SchemaError
from rankmark.spark.frame_columns import quoted
from rankmark.spark.given_rows import given_rows

_COUNTS = TableKind("history", (Role("doc_id"),), "ids of items")


def has_frames(reading: Reading) -> bool:
    """Return whether a job is needed to know the items."""
    return any(_is_frame(getattr(reading, name)) for name in OF_ITEMS)


def item_data(reading: Reading, session: Any) -> ItemData:
    """Read what is known of items; of a history in a DataFrame, Spark counts users by item."""
    history, *others = (getattr(reading, name) for name in OF_ITEMS)
    if _is_frame(history):
        history = _counted(history, session)
    return ItemData(
        history,
        *(one.toArrow() if _is_frame(one) else one for one in others),
        reading=ONE_THREAD,
    )


def _is_frame(given: Any) -> bool:
    return hasattr(type(given), "mapInArrow")


def _counted(history: Any, session: Any) -> CountedHistory:
    """Count the users and the interactions of each item.

    Raises
    ------
    SchemaError
        If an id or a number is null, or a row has a list of items.
    """
    from pyspark.sql import functions  # noqa: PLC0415

    given = given_rows(history, "qrels", session, None, argument="history").choose(None)
    columns = given.columns
    if columns.lists:
        raise SchemaError(
            "it has lists of items", "give each item a row, as explode does", where="history"
        )
    chosen = columns.chosen
    user: Any = functions.col(quoted(columns.names[chosen.query_id]))
    item: Any = functions.col(quoted(columns.names[chosen.doc_id]))
    unusable = {chosen.query_id: functions.count_if(user.isNull())}
    if chosen.number is not None:  # an entry of 0 says that there was no interaction
        number: Any = functions.col(quoted(columns.names[chosen.number]))
        is_none = number.isNull() | functions.isnan(number.cast("double"))
        unusable[chosen.number] = functions.count_if(is_none)
        user = functions.when(number != 0, user)
    counted = history.cube(item.alias("item_id")).agg(
        functions.grouping_id().alias("is_total"),
        functions.count_distinct(user).alias("users"),
        functions.count(user).alias("interactions"),
        *(count.alias(f"unusable {place}") for place, count in unusable.items()),
    )
    used = counted.where("is_total = 1 or interactions > 0 or item_id is null")
    found = used.orderBy("is_total", "item_id").toArrow()
    rows, (total,) = found.slice(0, len(found) - 1), found.slice(len(found) - 1).to_pylist()
    missing = {place: total[f"unusable {place}"] for place in unusable}
    for place, count in {chosen.doc_id: rows["item_id"].null_count, **missing}.items():
        if count:
            raise SchemaError(
                f"{columns.names[place]!r} is null or NaN",
                "drop the rows without it, or fill it",
                where="history",
            )
    if not len(rows):
        raise InputError("history is empty", "give what users had before")
    return CountedHistory(
        role_table(rows.select(["item_id"]), _COUNTS, {}).ids("doc_id", "the item"),
        rows["users"].to_numpy().astype("float64"),
        rows["interactions"].to_numpy().astype("float64"),
        total["users"],
        columns.description(),
    )
