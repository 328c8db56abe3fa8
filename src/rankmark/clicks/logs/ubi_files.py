"""OpenSearch's user behaviour insights (UBI): queries with the ids of their hits, and events."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw

from rankmark.clicks.logs.engine_faults import faults_of_engine
from rankmark.clicks.logs.log_files import ACTION, HITS, Given, connection, quoted, table_in_files
from rankmark.errors import InputError, SchemaError, counted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from rankmark.data.files.input_file import InputFile

_QUERIES = {"query_id": "query_id", "query": "user_query", "user": "client_id", "time": "timestamp"}
_EVENTS = {
    "query_id": "query_id",
    "action": ACTION,
    "user": "user_id",
    "session": "session_id",
    "object": "event_attributes.object.object_id",
    "internal": "event_attributes.object.internal_id",
    "ordinal": "event_attributes.position.ordinal",
    "time": "timestamp",
}
_SHOWN = """
CREATE TABLE shown AS
WITH pages AS (
    SELECT *, row_number() OVER (PARTITION BY query_id ORDER BY time NULLS FIRST, hits) AS page
    FROM queries WHERE hits IS NOT NULL
), listed AS (
    SELECT query_id, page, unnest(hits) AS doc, generate_subscripts(hits, 1) AS place FROM pages
), firsts AS (
    SELECT query_id, doc, min(page * 1000000000 + place) AS first, count(*) AS n
    FROM listed WHERE doc IS NOT NULL GROUP BY ALL
)
SELECT query_id, doc, n, row_number() OVER (PARTITION BY query_id ORDER BY first) AS rank
FROM firsts
"""
_CLICKS = """
CREATE TABLE clicks AS
SELECT e.query_id, coalesce(a.doc, b.doc) AS doc, coalesce(a.rank, b.rank) AS rank, ordinal, time
FROM events e
LEFT JOIN shown a ON a.query_id = e.query_id AND a.doc = e.object
LEFT JOIN shown b ON b.query_id = e.query_id AND b.doc = e.internal
WHERE list_contains($clicks, action)
"""
_LOG = """
CREATE TABLE log AS
WITH issues AS (
    SELECT query_id, {issues} FROM queries WHERE hits IS NOT NULL GROUP BY query_id
), people AS (
    SELECT query_id, min(user) AS user_id, min(session) AS session FROM events GROUP BY query_id
), clicked AS (
    SELECT query_id, doc, count(*) AS click, min(time) AS click_time FROM clicks GROUP BY ALL
)
SELECT i.* REPLACE (coalesce(p.user_id, i.user) AS user), p.session, s.doc, s.rank,
    coalesce(k.click, 0) AS click, k.click_time
FROM issues i
LEFT JOIN people p USING (query_id)
LEFT JOIN shown s USING (query_id)
LEFT JOIN clicked k ON k.query_id = i.query_id AND k.doc = s.doc
"""
_OPTIONAL = ("user", "session", "time")


def read_ubi(
    files: Sequence[InputFile],
    named: Mapping[str, str],
    clicks: Collection[str],
    first_rank: int | None,
) -> Given:
    """Read queries and events of UBI 1.0 to 1.3.

    Hits are what was shown, in their order; the pages of one query are joined, and ranks continue.

    Parameters
    ----------
    files
        Files of queries and files of events, in any order.
    named
        {role: path of a field of the queries}, such as ``query_attributes.variant``.
    clicks
        The names of the actions that are clicks.
    first_rank
        The ordinal of the first document in the events.
    """
    database, where = connection(), files[0].name
    of_queries = {**_QUERIES, **named}
    queries, events = [], []
    with faults_of_engine():
        for file in files:
            table = table_in_files(database, [file], {})
            if "_source" in table.columns:  # as OpenSearch dumps an index
                table = table.select("unnest(_source)")
            if field(table, ACTION):
                events.append(_chosen(table, _EVENTS, file.name))
            elif field(table, HITS):
                hits = f"CAST({field(table, HITS)} AS VARCHAR[]) AS hits"
                queries.append(_chosen(table, of_queries, file.name, hits))
            else:
                raise SchemaError(
                    f"it has neither {HITS} nor {ACTION}, but {', '.join(table.columns)}",
                    "give UBI's queries and events",
                    where=file.name,
                )
        for name, tables in {"queries": queries, "events": events}.items():
            if not tables:
                raise InputError(
                    f"there are no {name} of UBI",
                    "give the files of queries and of events",
                    where=where,
                )
            together = tables[0]
            for other in tables[1:]:
                together = together.union(other)
            together.create(name)
        database.execute("UPDATE queries SET query_id = 'issue ' || rowid WHERE query_id IS NULL")
        return _log(database, [*of_queries], [*clicks], first_rank, where)


def _log(
    database: DuckDBPyConnection,
    columns: Sequence[str],
    clicks: Sequence[str],
    first_rank: int | None,
    where: str,
) -> Given:
    def numbers(sql: str) -> tuple[Any, ...]:
        return database.execute(sql).fetchall()[0]

    n, without_hits = numbers("SELECT count(*), count(*) FILTER (hits IS NULL) FROM queries")
    if n == without_hits:
        raise InputError(f"no query has {HITS}, which say what was shown", "log them", where=where)
    database.execute(_SHOWN)
    database.execute(_CLICKS, {"clicks": clicks})
    matched, orphans, lowest = numbers(
        "SELECT count(*), count(*) FILTER (doc IS NULL), min(ordinal) FROM clicks"
    )
    if not matched:
        (kinds,) = numbers("SELECT list_sort(list_distinct(list(action))) FROM events")
        raise InputError(
            f"no event is one of {', '.join(clicks)}; there are {', '.join(map(str, kinds))}",
            "name the actions that are clicks: click=..., or --click",
            where=where,
        )
    if lowest == 0 and first_rank != 0:
        (at_0,) = numbers("SELECT count(*) FROM clicks WHERE ordinal = 0")
        raise InputError(
            f"{counted(at_0, 'click')} with ordinal 0, and ordinals are from 1",
            "if the first document has ordinal 0, say first_rank=0",
            where=where,
        )
    shift = 1 if first_rank == 0 else 0
    (elsewhere,) = numbers(
        f"SELECT count(*) FILTER (ordinal + {shift} != rank) FROM clicks"  # noqa: S608
    )
    (again,) = numbers("SELECT coalesce(sum(n - 1), 0)::BIGINT FROM shown")
    issues = ", ".join(
        f"min({quoted(name)}) AS {quoted(name)}" for name in columns if name != "query_id"
    )
    database.execute(_LOG.format(issues=issues))
    log = database.table("log")
    have = [*columns, "session"]
    counts = ", ".join(f"count({quoted(name)})" for name in have)
    known = numbers(f"SELECT {counts} FROM log")  # noqa: S608
    empty = [name for name, n in zip(have, known, strict=True) if not n]
    if empty:
        log = log.select(f"* EXCLUDE ({', '.join(map(quoted, empty))})")
    left_out = {"no hit ids": without_hits, "hits again on other pages": again}
    return Given(
        nw.from_native(log).lazy(),
        where,
        "ubi",
        orphans,
        None if lowest is None else elsewhere,
        {why: n for why, n in left_out.items() if n},
    )


def _chosen(
    table: DuckDBPyRelation, fields: Mapping[str, str], where: str, *more: str
) -> DuckDBPyRelation:
    """Return fields of a table as columns; null for those that it does not have."""
    columns = []
    for name, path in fields.items():
        found = field(table, path)
        kind = "DOUBLE" if name == "ordinal" else "TIMESTAMP" if name == "time" else "VARCHAR"
        if name == "time" and found and _is_number(table, path):
            found = f"epoch_ms({found})"
        columns.append(f"CAST({found or 'NULL'} AS {kind}) AS {quoted(name)}")
        if found is None and path not in {*_QUERIES.values(), *_EVENTS.values()}:
            raise SchemaError(
                f"the queries have no field {path} for {name}",
                f"they have {', '.join(table.columns)}",
                where=where,
            )
    return table.select(", ".join([*columns, *more]))


def _is_number(table: DuckDBPyRelation, name: str) -> bool:
    kinds = dict(zip(table.columns, map(str, table.types), strict=True))
    return kinds.get(name) in {"BIGINT", "HUGEINT", "UBIGINT", "DOUBLE"}


def field(table: DuckDBPyRelation, path: str) -> str | None:
    """Return the SQL of a field by its path, in structures, in JSON, or flat; None without it."""
    kinds = dict(zip(table.columns, table.types, strict=True))
    if path in kinds:
        return quoted(path)
    first, *rest = path.split(".")
    if first not in kinds or not rest:
        return None
    sql, kind = quoted(first), kinds[first]
    for at, name in enumerate(rest):
        if kind.id == "struct":
            inner: dict[str, Any] = dict(kind.children)
            if name not in inner:
                return None
            sql, kind = f"{sql}.{quoted(name)}", inner[name]
        else:  # JSON, or text that holds it
            return f"json_extract_string({sql}, '$.{'.'.join(rest[at:])}')"
    return f"({sql})"
