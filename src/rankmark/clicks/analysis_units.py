"""What counts once in a log, such as a user, and columns of what is counted."""

from __future__ import annotations

from typing import Any, Literal

import narwhals as nw
import numpy as np

from rankmark.clicks.logs.click_log import ClickLog
from rankmark.clicks.logs.counting import one
from rankmark.errors import InputError

Unit = Literal["user", "session", "issue"]
_ALONE = "\x1fissue "  # before the id of an issue, which a user may have, too


def unit_of(log: ClickLog, unit: Unit | None) -> Unit:
    """Return the unit asked for, which the log must have; for None users, or else issues."""
    if unit is None:
        return "user" if log.has("user") else "issue"
    log.need(column_of(unit), for_=f"unit={unit!r}")
    return unit


def column_of(unit: Unit) -> str:
    """Return the column of a log that tells the units apart."""
    return "query_id" if unit == "issue" else unit


def issues_by_unit(log: ClickLog, unit: Unit, *names: str) -> nw.LazyFrame[Any]:
    """Return the issues of a log with the column ``unit``, as text; others are kept by name.

    An issue whose user or session is unknown is a unit of its own.
    """
    issue, known = (nw.col(name).cast(nw.String) for name in ("query_id", column_of(unit)))
    alone = issue if unit == "issue" else nw.concat_str(nw.lit(_ALONE), issue)
    return log.issues.select(
        "query_id", *names, unit=nw.when(known.is_null()).then(alone).otherwise(known)
    )


def number_column(log: ClickLog, name: str) -> nw.Expr:
    """Return a column of numbers or truth values, with NaN as null."""
    kind, column = log.frame.collect_schema()[name], nw.col(name)
    if kind == nw.Boolean:
        return one(column)
    if not kind.is_numeric():
        raise InputError(f"{name} is not numbers, but {kind}", "convert it", where=log.name)
    return nw.when(~column.is_nan()).then(column) if kind.is_float() else column


def refuse_infinite(amounts: Any, name: str, where: str) -> None:
    """Refuse amounts of a column that no sum can have."""
    if not np.isfinite(amounts).all():
        raise InputError(
            f"{name} holds infinite numbers", "give amounts, or leave empty", where=where
        )
