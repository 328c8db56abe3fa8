"""The columns of a log: which ones they are, and the types that all engines agree on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw

from rankmark.data.given_tables.role_tables import Role
from rankmark.errors import SchemaError, listed

c = nw.col

ROLES = (
    Role("query_id", ("queryid", "issueid", "impressionid", "searchid", "requestid", "serpid")),
    Role("query", ("query", "querytext", "userquery", "searchterm", "keywords", "qid")),
    Role("doc", ()),
    Role("rank", ("rank", "position", "docposition", "ordinal")),
    Role("click", ("click", "clicks", "clicked", "isclicked", "isclick")),
    Role("user", ("user", "userid", "uid", "clientid", "visitorid", "customerid")),
    Role("session", ("session", "sessionid")),
    Role("time", ("time", "timestamp", "datetime", "ts")),
    Role("dwell", ("dwell", "dwelltime", "dwellseconds")),
    Role("variant", ("variant", "arm", "bucket", "experimentgroup")),
    Role("team", ("team",)),
    Role("propensity", ("propensity", "propensityscore")),
)
"""The columns that logs have, with usual names of each."""
IDS = ("query_id", "query", "doc", "user", "session", "variant", "team")
WHOLE = ("rank", "click")
NUMBERS = ("dwell", "propensity")
OF_ISSUES = ("query", "user", "session", "time", "variant")
"""The columns that say something of an issue of a query, not of one document."""
NEEDED = {
    "query_id": "one id for each time that a query was issued",
    "doc": "the id of the document that was shown",
    "click": "0 for documents that were shown and not clicked; clicks alone are not enough",
}
_TOO_LARGE = 2.0**53


def columns_of(have: list[str], named: Mapping[str, str], where: str) -> dict[str, str]:
    """Return the column of each role: the one named, or the first with a usual name."""
    chosen: dict[str, str] = {}
    for role in ROLES:
        if role.name in named:
            if named[role.name] not in have:
                raise SchemaError(
                    f"there is no column {named[role.name]!r} for {role.name}",
                    f"it has {', '.join(have)}",
                    where=where,
                )
            chosen[role.name] = named[role.name]
            continue
        lookup = role._replace(name="doc_id") if role.name == "doc" else role
        taken = {*named.values()}
        found = lookup.columns([name for name in have if name not in taken])
        if len(found) > 1:
            raise SchemaError(
                f"several columns could be {role.name}: {listed(found)}",
                f"choose one: columns={{{role.name!r}: {found[0]!r}}}, or --column "
                f"{role.name}={found[0]}",
                where=where,
            )
        if found:
            chosen[role.name] = found[0]
    for name, meaning in NEEDED.items():
        if name not in chosen:
            raise SchemaError(
                f"none of its columns could be {name}; it has {', '.join(have)}",
                f"a log needs {name}, {meaning}: name it, as in columns={{{name!r}: ...}} or "
                f"--column {name}=...",
                where=where,
            )
    return chosen


def typed(rows: nw.LazyFrame[Any], chosen: Mapping[str, str], where: str) -> nw.LazyFrame[Any]:
    """Return the columns under their roles, others under their names, NaN as null.

    Whole numbers may still be floats; see ``as_whole``.
    """
    kinds = rows.collect_schema()
    others = [name for name in kinds if name not in {*chosen.values(), *chosen}]
    return rows.select(
        *(_typed(role, name, kinds[name], where).alias(role) for role, name in chosen.items()),
        *map(c, others),
    )


def _typed(role: str, name: str, kind: nw.dtypes.DType, where: str) -> nw.Expr:
    column = c(name)
    if kind.is_decimal():  # which a cast to whole numbers would round
        column, kind = column.cast(nw.Float64), nw.Float64()
    # Such ids are kept as text, and other numbers are refused if they are that large.
    is_large = isinstance(kind, (nw.UInt64, nw.UInt128, nw.Int128))
    if is_large and role in WHOLE:
        column, kind = column.cast(nw.Float64), nw.Float64()
    if kind.is_nested():
        raise SchemaError(f"{role} is {kind}", "give single values", where=where)
    if kind.is_float():
        column = nw.when(~column.is_nan()).then(column)  # NaN > 0 holds on some engines
    if role in IDS:
        if kind.is_integer() and not is_large:
            return column.cast(nw.Int64)
        return column if kind.is_float() else column.cast(nw.String)
    if role == "time":
        return _time(column, kind, where)
    if not (kind.is_numeric() or kind in {nw.Boolean, nw.Unknown}):  # which may hold nothing
        raise SchemaError(
            f"{role} is not numbers, but {kind}", "convert the column to numbers", where=where
        )
    return (
        column
        if role in WHOLE and kind.is_float()
        else column.cast(nw.Int64 if role in WHOLE else nw.Float64)
    )


def _time(column: nw.Expr, kind: nw.dtypes.DType, where: str) -> nw.Expr:
    if kind.is_numeric():
        return column.cast(nw.Float64)
    if isinstance(kind, (nw.Date, nw.Datetime)):
        return column
    raise SchemaError(
        f"time is not times, but {kind}", "give datetimes, or seconds as numbers", where=where
    )


def floats_of_whole(rows: nw.LazyFrame[Any]) -> list[str]:
    """Return the columns that have to be whole numbers, and are floats."""
    kinds = rows.collect_schema()
    return [name for name in (*IDS, *WHOLE) if name in kinds and kinds[name].is_float()]


def is_no_whole_number(name: str) -> nw.Expr:
    """Return the condition that a number is not whole, or too large to be."""
    return ~c(name).is_null() & ((c(name) != c(name).round()) | (c(name).abs() > _TOO_LARGE))


def as_whole(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return the rows with whole numbers as such, after those that are not were refused."""
    floats = floats_of_whole(rows)
    return rows.with_columns(*(c(name).cast(nw.Int64) for name in floats)) if floats else rows
