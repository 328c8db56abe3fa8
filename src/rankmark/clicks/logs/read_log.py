"""Read a log of impressions and clicks: ``read_log``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args

from rankmark.arguments import (
    Columns,
    FromOne,
    Kind,
    Names,
    checked,
    from_zero,
    names_in,
    one_of,
)
from rankmark.data.files.input_file import is_file
from rankmark.data.frames.arrow_frames import is_pandas
from rankmark.data.given_tables.given_columns import refuse_names_twice, table_in_memory
from rankmark.errors import InputError, MissingDependencyError, SchemaError, counted, shown

try:
    import duckdb  # noqa: F401  (which files are read with)
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.dataset
except ImportError:
    raise MissingDependencyError("Narwhals and DuckDB", "logs", "read_log") from None

from rankmark.clicks.logs.cleaning import Dropped, dropped
from rankmark.clicks.logs.click_log import ClickLog
from rankmark.clicks.logs.counting import one, scalars
from rankmark.clicks.logs.list_columns import has_lists, unlisted
from rankmark.clicks.logs.log_columns import (
    NEEDED,
    OF_ISSUES,
    ROLES,
    as_whole,
    columns_of,
    floats_of_whole,
    is_no_whole_number,
    typed,
)
from rankmark.clicks.logs.log_files import (
    Given,
    LogFormat,
    beginning,
    connection,
    files_in,
    form_of,
    is_ubi,
    table_in_files,
)
from rankmark.clicks.logs.public_logs import READERS
from rankmark.clicks.logs.ubi_files import read_ubi

FirstRank = Annotated[int, Kind(lambda name, given: from_zero(name, given, 1), {"type": int})]
LogSource = Any
"""The path of a file, a frame of any engine, columns by name, or rows."""
_NEEDED = (
    "the path of a file, a frame of pandas, Polars, PyArrow, DuckDB, Ibis or Spark, columns by "
    "name, or rows as mappings"
)
c = nw.col


@checked
def read_log(
    source: LogSource,
    *more: str | os.PathLike[str],
    format: LogFormat | None = None,  # noqa: A002
    columns: Columns = None,
    first_rank: FirstRank | None = None,
    click: Names = None,
    drop: Names = None,
    bot_clicks: FromOne = 100,
) -> ClickLog:
    """Read a log of what was shown and clicked.

    A row is a document that was shown, or an issue of a query with lists of its documents and
    clicks. A frame of Polars, DuckDB, Ibis or Spark stays where it is, and its engine counts; all
    else is read by DuckDB, and files may be larger than memory. Nothing is dropped unless it is
    asked for; ``audit`` counts what may be wrong.

    Parameters
    ----------
    source, *more
        A frame of pandas, Polars, PyArrow, DuckDB, Ibis or Spark; columns by name; rows; or the
        paths of files. A folder stands for the Parquet files in it.

    Reading:
    format
        Format of the files; None for detected from their content.

        Parquet, text with a header, JSON (also by line), ``"ubi"``: queries and events of
        OpenSearch's user behaviour insights, ``"yandex"``: the relevance prediction challenge of
        2011, ``"trec-session"``: XML of TREC's session tracks, ``"mind"``: behaviours of MIND,
        which have no ranks.
    columns
        The columns that have other names than usual, by role: query_id, doc, click, and optionally
        query, rank, user, session, time, dwell, variant, team and propensity.

        ``query_id`` has one value for each time that a query was issued, and ``query`` what
        judgments are for. In UBI, the paths of fields of the queries.
    first_rank
        The rank of the first document, 0 or 1; None for 1, which refuses a log with a rank 0.
    click
        Names of UBI's actions that are clicks; None for click.
    drop
        What to leave out: documents shown again in an issue (duplicates), documents without a rank
        (unranked), issues with gaps in their ranks (gaps), users with too many clicks (bots), users
        in several variants (crossover); None for nothing.
    bot_clicks
        How many clicks a user may have who is not taken for a bot.

    Returns
    -------
    ClickLog
        What ``judge_clicks``, ``online`` and the like take; ``audit`` and ``print`` say what may be
        wrong with it.

    Raises
    ------
    MissingDependencyError
        If Narwhals or DuckDB is not installed.
    InputError
        If a file cannot be read, an option is invalid, or ranks begin at 0.
    SchemaError
        If a column is absent or of the wrong type, or ranks or clicks are not whole numbers.

    Examples
    --------
    >>> import rankmark as rm
    >>> rows = {"query_id": ["i1", "i1", "i2"], "query": ["shoes"] * 3, "doc": ["a", "b", "a"],
    ...         "rank": [1, 2, 1], "click": [0, 1, 0]}
    >>> log = rm.read_log(rows)
    >>> log
    ClickLog(2 issues of 1 query: 3 documents shown, 1 clicked)
    >>> log.audit.duplicates, log.audit.gaps
    (0, 0)
    """
    words = names_in(drop) or []
    for word in words:
        one_of("drop", word, *get_args(Dropped))
    named = _named(columns)
    given = _given(source, more, format, named, names_in(click), first_rank)
    rows, orphans = given.rows, given.orphans
    chosen = columns_of(rows.collect_schema().names(), _left(named, given.form), given.name)
    if has_lists(rows, chosen):
        rows, chosen, orphans = unlisted(rows, chosen, given.name)
        first_rank = None
    empty = _empty(rows, chosen)
    chosen = {role: column for role, column in chosen.items() if column not in empty}
    every = typed(rows.drop(*empty) if empty else rows, chosen, given.name)
    seen = _looked_at(every, given.name)
    every = as_whole(every)
    if "rank" in chosen and given.form != "ubi":
        every = _from_one(every, seen, first_rank, given.name)
    _refuse_what_cannot_be_found(words, chosen, given.name)
    every, steps = dropped(every, words, bot_clicks)
    keys = [role for role in OF_ISSUES if role in chosen]
    issues = every.group_by("query_id").agg(*(c(key).min() for key in keys))
    return ClickLog(
        every.filter(~c("doc").is_null()),
        issues,
        given=given,
        columns=chosen,
        bot_clicks=bot_clicks,
        steps=steps,
        orphans=orphans + seen["orphans"],
    )


def _named(columns: Mapping[str, Any] | None) -> dict[str, str]:
    from rankmark.data.given_tables.role_tables import named_roles  # noqa: PLC0415

    return dict(named_roles(columns, ROLES))


def _left(named: Mapping[str, str], form: str) -> Mapping[str, str]:
    """Return the names of columns that a reader has not used."""
    return {} if form == "ubi" else named


_NEEDS = {
    "unranked": ("rank",),
    "gaps": ("rank",),
    "bots": ("user",),
    "crossover": ("user", "variant"),
}


def _refuse_what_cannot_be_found(words: Sequence[str], have: Mapping[str, str], where: str) -> None:
    for word in words:
        absent = [name for name in _NEEDS.get(word, ()) if name not in have]
        if absent:
            raise InputError(
                f"drop={word} needs {' and '.join(absent)}, which the log does not have",
                f"name the column, as in columns={{{absent[0]!r}: ...}}",
                where=where,
            )


def _given(
    source: Any,
    more: tuple[Any, ...],
    form: LogFormat | None,
    named: Mapping[str, str],
    clicks: Sequence[str] | None,
    first_rank: int | None,
) -> Given:
    """Return the rows of a log with their own columns."""
    if is_file(source):
        files = files_in([source, *more])
        name = files[0].name + (f" and {len(files) - 1} more" if len(files) > 1 else "")
        form = form or form_of(beginning(files[0]))
        if form in READERS:
            return READERS[form](files)._replace(name=name)
        table = None if form == "ubi" else table_in_files(connection(), files[:1], named)
        if table is None or is_ubi(table.columns):
            return read_ubi(files, named, clicks or ["click"], first_rank)._replace(name=name)
        if clicks is not None:
            raise InputError(
                "click is for UBI, and this is no such log", "leave it out", where=name
            )
        if len(files) > 1:
            table = table_in_files(connection(), files, named)
        return Given(nw.from_native(table), name, form)
    unused = "more" if more else "format" if form else "click" if clicks else ""
    if unused:
        raise InputError(
            f"{unused} is for files, and the log is {type(source).__name__}", "leave it out"
        )
    name = "<log>"
    table = _arrow_table(source, name)
    if table is not None and not table.schema.names:
        raise SchemaError("the log has no columns", f"need {_NEEDED}")
    if table is not None:  # which DuckDB reads without a copy
        return Given(nw.from_native(connection().from_arrow(table)), name, _kind(source))
    try:
        return Given(nw.from_native(source).lazy(), name, _kind(source))
    except TypeError:
        raise SchemaError(f"the log is {shown(source)}", f"need {_NEEDED}") from None


def _kind(source: Any) -> str:
    library = type(source).__module__.partition(".")[0]
    return f"{library} {type(source).__name__}".removeprefix("builtins ")


def _arrow_table(source: Any, where: str) -> Any:
    """Return what is in memory, and of no engine that runs queries itself, as an Arrow table."""
    if isinstance(source, (pa.Table, pyarrow.dataset.Dataset)):
        return source
    try:
        if is_pandas(source):
            refuse_names_twice([*map(str, source.columns)], where)
            is_named = any(name is not None for name in source.index.names)
            frame = source.reset_index() if is_named else source
            # A copy, as Arrow would read from arrays that the caller may change.
            return pa.Table.from_pandas(frame.copy(), preserve_index=False)
        is_rows = isinstance(source, (list, tuple))
        if is_rows or _is_columns(source):
            found: Mapping[str, Any] = table_in_memory(source, where) or {}
            table = {name: pa.array(values) for name, values in found.items()}
            return pa.table(table) if table else None
    except OverflowError:
        raise SchemaError(
            "a column has whole numbers of more than 64 bits", "give ids as text", where=where
        ) from None
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        told = str(error.args[0]).partition("\n")[0]
        raise SchemaError(
            f"a column has no single type: {told}", "give each one", where=where
        ) from None
    return None


def _empty(rows: nw.LazyFrame[Any], chosen: Mapping[str, str]) -> list[str]:
    """Return the columns of no type that hold nothing, as if the log did not have them.

    Those that every log needs stay.
    """
    kinds = rows.collect_schema()
    optional = [name for role, name in chosen.items() if role not in NEEDED]
    unknown = [name for name in optional if kinds[name] == nw.Unknown]
    if not unknown:
        return []
    counts = rows.select(*(one(~c(name).is_null()).sum().alias(name) for name in unknown))
    return [name for name, n in scalars(counts).items() if not n]


def _is_columns(source: Any) -> bool:
    return isinstance(source, Mapping) and all(hasattr(one, "__len__") for one in source.values())


def _looked_at(rows: nw.LazyFrame[Any], where: str) -> dict[str, Any]:
    """Return counts of what no log may have, after refusing it."""
    have = rows.collect_schema().names()
    conditions = {
        "no query_id": c("query_id").is_null(),
        "no click": ~c("doc").is_null() & c("click").is_null(),
    }
    conditions |= {f"no whole {name}": is_no_whole_number(name) for name in floats_of_whole(rows)}
    conditions["negative click"] = c("click") < 0
    conditions["orphans"] = c("doc").is_null() & (c("click") > 0)
    if "rank" in have:
        conditions |= {"rank 0": c("rank") == 0, "negative rank": c("rank") < 0}
    if "propensity" in have:
        is_right = (c("propensity") > 0) & (c("propensity") <= 1)
        conditions["propensity that is no probability"] = ~is_right  # null where it is unknown
    names = {f"x{at}": told for at, told in enumerate(conditions)}
    flags = [one(condition).alias(f"x{at}") for at, condition in enumerate(conditions.values())]
    found = scalars(
        rows.select(*flags).select(nw.len().alias("rows"), *(c(name).sum() for name in names))
    )
    counts = {told: int(found[name] or 0) for name, told in names.items()} | {"rows": found["rows"]}
    if not counts["rows"]:
        raise InputError(
            "the log holds no rows", "give one row for each document shown", where=where
        )
    for told, remedy in _REFUSED.items():
        if counts.get(told):
            raise SchemaError(
                f"{counted(counts[told], 'row')} of {counts['rows']:,} with {told}",
                remedy,
                where=where,
            )
    return counts


_REFUSED = {
    "no query_id": "give every row the id of the issue of its query",
    **{
        f"no whole {name}": f"need whole numbers in {name}"
        for name in ("query_id", "query", "doc", "user", "session", "variant", "rank", "click")
    },
    "no click": "give 0 to documents that were shown and not clicked",
    "negative click": "need 0, 1, or a number of clicks",
    "negative rank": "need ranks from 1, or from 0 with first_rank=0",
    "propensity that is no probability": "need numbers above 0 and at most 1",
}


def _from_one(
    rows: nw.LazyFrame[Any], seen: Mapping[str, int], first: int | None, where: str
) -> nw.LazyFrame[Any]:
    """Return the rows with ranks from 1."""
    if first == 0:
        return rows.with_columns(c("rank") + 1)
    if seen["rank 0"]:
        raise InputError(
            f"{counted(seen['rank 0'], 'row')} of {seen['rows']:,} with rank 0, and ranks are from "
            "1",
            "if the first document has rank 0, say first_rank=0",
            where=where,
        )
    return rows
