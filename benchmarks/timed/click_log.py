"""A made-up log of clicks as Parquet, ten documents an issue, the same for a number of issues."""

from pathlib import Path

import duckdb

SQL = """
COPY (
    WITH issues AS (
        SELECT range AS issue, (hash(range) % 1000003) / 1000003.0 AS spread,
            hash(range + 1) % 3 AS begin
        FROM range({issues})
    ), shown AS (
        SELECT *, (pow(spread, 3) * {queries})::BIGINT AS q, unnest(range(1, 11)) AS rank
        FROM issues
    ), documents AS (
        SELECT *, q * 12 + (begin * 7 + rank) % 12 AS d FROM shown
    )
    SELECT md5(issue::VARCHAR) AS query_id, 'query ' || q AS query,
        'user ' || issue % {users} AS user, 'doc ' || d AS doc, rank::BIGINT AS rank,
        (hash(issue * 10 + rank) % 1000003 < 1000003 * (hash(d) % 60) / 100 / rank)::BIGINT AS click
    FROM documents
) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 1000000)
"""


def write(path: Path, issues: int) -> None:
    """Write a log of a few queries with many issues, and many with few."""
    queries = min(issues // 10, 100_000)  # so that ten times the issues have no more pairs
    sizes = {"issues": issues, "queries": queries, "users": issues // 5}
    database = duckdb.connect(config={"preserve_insertion_order": False})
    database.execute("SET enable_progress_bar = false")
    database.execute(SQL.format(path=path, **sizes))
