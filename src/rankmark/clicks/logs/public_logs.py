"""Public logs: Yandex 2011, MIND, and TREC's session tracks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as Xml

import narwhals as nw

from rankmark.clicks.logs.engine_faults import faults_of_engine
from rankmark.clicks.logs.log_files import Given, connection, paths_of
from rankmark.errors import ParseError, SchemaError, shown

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from rankmark.data.files.input_file import InputFile

_YANDEX = """
CREATE TABLE issues AS
SELECT line, f[1] AS session, TRY_CAST(f[2] AS DOUBLE) AS time, f[4] AS query, f[5] AS region,
    f[6:] AS urls,
    f[1] || '-' || row_number() OVER (PARTITION BY f[1] ORDER BY line) AS query_id
FROM lines WHERE f[3] = 'Q';
CREATE TABLE clicks AS
SELECT c.line, i.query_id, c.f[4] AS doc FROM lines c
LEFT JOIN issues i ON i.session = c.f[1] AND i.line < c.line AND list_contains(i.urls, c.f[4])
WHERE c.f[3] = 'C'
QUALIFY row_number() OVER (PARTITION BY c.line ORDER BY i.line DESC) = 1;
CREATE TABLE log AS
WITH shown AS (
    SELECT query_id, query, session, time, region, unnest(urls) AS doc,
        generate_subscripts(urls, 1) AS rank FROM issues
), clicked AS (SELECT query_id, doc, count(*) AS click FROM clicks GROUP BY ALL)
SELECT s.*, coalesce(click, 0) AS click FROM shown s LEFT JOIN clicked USING (query_id, doc)
"""
_MIND = """
CREATE TABLE log AS
WITH shown AS (
    SELECT f[1] AS query_id, f[2] AS user,
        try_strptime(f[3], '%m/%d/%Y %I:%M:%S %p') AS time, unnest(string_split(f[5], ' ')) AS one
    FROM lines
)
SELECT query_id, user, time, regexp_replace(one, '-[01]$', '') AS doc,
    TRY_CAST(regexp_extract(one, '-([01])$', 1) AS BIGINT) AS click
FROM shown
"""


def read_yandex(files: Sequence[InputFile]) -> Given:
    """Read Yandex's relevance prediction challenge of 2011: queries with urls, and clicks.

    A click belongs to the last query of its session that showed the url.
    """
    database = _lines(
        files,
        "len(f) >= 4 AND (f[3] = 'C' OR (f[3] = 'Q' AND len(f) >= 6))",
        "need session, time, Q, query, region and urls, or session, time, C and url",
    )
    database.execute(_YANDEX)
    ((orphans,),) = database.execute(
        "SELECT count(*) FROM clicks WHERE query_id IS NULL"
    ).fetchall()
    return Given(nw.from_native(database.table("log")).lazy(), files[0].name, "yandex", orphans)


def read_mind(files: Sequence[InputFile]) -> Given:
    """Read the behaviours of MIND, whose documents are in no order, so that they have no ranks."""
    database = _lines(files, "len(f) = 5", "need impression, user, time, history and impressions")
    database.execute(_MIND)
    return Given(nw.from_native(database.table("log")).lazy(), files[0].name, "mind")


def _lines(files: Sequence[InputFile], is_right: str, needed: str) -> DuckDBPyConnection:
    """Read lines of fields, and refuse the first that is not as it has to be."""
    database = connection()
    database.execute("SET preserve_insertion_order = true")
    with faults_of_engine():
        text = database.read_csv(
            paths_of(files),
            header=False,
            sep="\x01",
            quotechar="",
            escapechar="",
            names=["whole"],
            dtype=["VARCHAR"],
        )
        text.select(
            "row_number() OVER () AS line, string_split(rtrim(whole, chr(13)), chr(9)) AS f"
        ).create("lines")
    wrong = database.execute(
        "SELECT line, array_to_string(f, ' ') FROM lines "  # noqa: S608
        f"WHERE NOT ({is_right}) ORDER BY line LIMIT 1"
    ).fetchall()
    for line, whole in wrong:
        raise ParseError(
            f"the line is {shown(whole, 60)}",
            needed,
            where=files[0].name,
            line=line if len(files) == 1 else None,
        )
    return database


def read_trec_sessions(files: Sequence[InputFile]) -> Given:
    """Read the XML of a TREC session track: interactions with results, and clicks with times."""
    rows: list[dict[str, Any]] = []
    orphans = 0
    for file in files:
        with file.at_any_place() as opened:
            try:
                root = Xml.parse(opened).getroot()  # noqa: S314  (expat limits entities)
            except Xml.ParseError as error:
                raise ParseError(
                    f"it is no XML: {error}",
                    "correct the file",
                    where=file.name,
                    line=error.position[0],
                ) from None
        for session in root.iter("session"):
            for interaction in session.iter("interaction"):
                found, lost = _interaction(session, interaction, file.name)
                rows += found
                orphans += lost
    if not rows:
        raise SchemaError(
            "it has no interactions", "give the XML of a session track", where=files[0].name
        )
    import pyarrow as pa  # noqa: PLC0415

    table = pa.table({name: pa.array([row[name] for row in rows]) for name in rows[0]})
    return Given(
        nw.from_native(connection().from_arrow(table)), files[0].name, "trec-session", orphans
    )


def _interaction(
    session: Xml.Element, one: Xml.Element, where: str
) -> tuple[list[dict[str, Any]], int]:
    """Return the documents that a query of a session showed, and the clicks on others."""
    topic = session.find("topic")
    issue: dict[str, Any] = {
        "query_id": f"{session.get('num')}-{one.get('num')}",
        "query": (one.findtext("query") or "").strip(),
        "topic": None if topic is None else topic.get("num"),
        "session": session.get("num"),
        "user": session.get("userid"),
        "time": _seconds(one.get("starttime")),
    }
    rows: dict[int, dict[str, Any]] = {}
    for result in one.iter("result"):
        ids = (result.findtext(name) for name in ("docno", "clueweb12id", "clueweb09id", "url"))
        doc = next((text.strip() for text in ids if text), None)
        rank = result.get("rank", "")
        if doc is None or not rank.isdecimal():
            raise SchemaError(
                f"a result of interaction {issue['query_id']} has no rank or id",
                'need <result rank="1"> with a docno, a ClueWeb id or a url',
                where=where,
            )
        rows[int(rank)] = issue | {"doc": doc, "rank": int(rank), "click": 0, "dwell": None}
    lost = 0
    for click in one.iter("click"):
        row = rows.get(int(click.findtext("rank") or 0))
        if row is None:
            lost += 1
            continue
        row["click"] += 1
        begin, end = _seconds(click.get("starttime")), _seconds(click.get("endtime"))
        if begin is not None and end is not None:
            row["dwell"] = (row["dwell"] or 0.0) + end - begin
    empty = issue | {"doc": None, "rank": None, "click": 0, "dwell": None}
    return [*rows.values()] or [empty], lost


def _seconds(text: str | None) -> float | None:
    """Return seconds, which the tracks write as such or as hours, minutes and seconds."""
    try:
        parts = [float(part) for part in (text or "").split(":")]
    except ValueError:
        return None
    return math.fsum(part * 60.0**at for at, part in enumerate(reversed(parts)))


READERS: dict[str, Callable[[Sequence[InputFile]], Given]] = {
    "yandex": read_yandex,
    "mind": read_mind,
    "trec-session": read_trec_sessions,
}
"""The readers by form."""
