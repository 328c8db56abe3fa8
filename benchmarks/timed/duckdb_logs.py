"""DuckDB computes CTR, COEC and SDBN of a log by one SQL text: LOG; prints the CPU seconds."""

import json
import sys
import time

import duckdb

LOG = f"read_parquet('{sys.argv[1]}')"
SQL = f"""
CREATE TABLE labels AS
WITH rates AS (
    SELECT rank, sum((click > 0)::INT) / count(*) AS rate FROM {LOG} GROUP BY rank
), last AS (
    SELECT query_id, max(rank) AS last FROM {LOG} WHERE click > 0 GROUP BY query_id
), pairs AS (
    SELECT query, doc, count(*) AS n, sum((click > 0)::INT) AS clicks, sum(rate) AS expected,
        sum((rank <= coalesce(last, 0))::INT) AS examined,
        sum((rank = coalesce(last, 0))::INT) AS satisfied
    FROM {LOG} JOIN rates USING (rank) LEFT JOIN last USING (query_id)
    GROUP BY query, doc
)
SELECT query, doc, n, examined, clicks / n AS ctr, clicks / expected AS coec,
    coalesce(clicks / nullif(examined, 0) * satisfied / nullif(clicks, 0), 0) AS sdbn
FROM pairs
"""
database = duckdb.connect(config={"preserve_insertion_order": False})
database.execute("SET enable_progress_bar = false")
database.execute(SQL)
sums = "sum(ctr) FILTER (n >= 10), sum(coec) FILTER (n >= 10), sum(sdbn) FILTER (examined >= 10)"
(row,) = database.execute(f"SELECT {sums} FROM labels").fetchall()
cpu = time.process_time()
print(json.dumps({"cpu": cpu, **dict(zip(("CTR", "COEC", "SDBN"), row, strict=True))}))
