"""What counts once in a log, a user or an issue of a query, and columns of what is counted."""

from __future__ import annotations

from typing import Any, Literal

import narwhals as nw

from rankmark.clicks.logs.click_log import ClickLog
from rankmark.clicks.logs.counting import one
from rankmark.errors import InputError

Unit = Literal["user", "issue"]


def issues_by_unit(log: ClickLog, unit: Unit, *names: str) -> nw.LazyFrame[Any]:
    """Return the issues of a log with the column ``unit``, as text; others are kept by name.

    An issue whose user is unknown is a unit of its own.
    """
    issue = nw.col("query_id").cast(nw.String)
    user = nw.col("user").cast(nw.String) if unit == "user" else issue
    return log.issues.select(
        "query_id", *names, unit=nw.when(user.is_null()).then(issue).otherwise(user)
    )


def number_column(log: ClickLog, name: str) -> nw.Expr:
    """Return a column of numbers or truth values, with NaN as null."""
    kind, column = log.frame.collect_schema()[name], nw.col(name)
    if kind == nw.Boolean:
        return one(column)
    if not kind.is_numeric():
        raise InputError(f"{name} is not numbers, but {kind}", "convert it", where=log.name)
    return nw.when(~column.is_nan()).then(column) if kind.is_float() else column
