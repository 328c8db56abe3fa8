"""DuckDB fuses files of TREC text by RRF, and writes one: OUT RUN..."""

# mypy: disable-error-code="import-not-found, import-untyped"
import sys

import duckdb

OUT, *RUNS = sys.argv[1:]
COLUMNS = (
    "{'query': 'VARCHAR', 'iter': 'VARCHAR', 'doc': 'VARCHAR', 'rank': 'INTEGER', "
    "'score': 'DOUBLE', 'tag': 'VARCHAR'}"
)
ranked = " union all ".join(
    "select query, doc, 1 / (60 + row_number() over (partition by query order by score desc)) as "
    f"points from read_csv('{path}', delim=' ', header=false, columns={COLUMNS})"
    for path in RUNS
)
fused = f"select query, doc, sum(points) as score from ({ranked}) group by query, doc"
duckdb.sql(
    f"copy (select query, 'Q0', doc, row_number() over (partition by query order by score desc) as "
    f"rank, score, 'duckdb' from ({fused}) order by query, rank) to '{OUT}' (delimiter ' ', "
    "header false)"
)
