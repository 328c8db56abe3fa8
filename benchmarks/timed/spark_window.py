"""A query with window functions, as an engineer would write it: MEASURES, and spark_session's.

MEASURES is "nDCG@10", which needs the first ten documents only, or all four. Spark keeps the first
documents of each partition before the shuffle if the query needs no others.
"""

import sys
from collections.abc import Mapping
from typing import Any

import spark_session

DEPTH = "WHERE rank <= 10" if sys.argv.pop(1) == "nDCG@10" else ""
QUERY = f"""
WITH ranked AS (
  SELECT query_id, doc_id,
    row_number() OVER (PARTITION BY query_id ORDER BY score DESC, doc_id DESC) AS rank
  FROM run
), relevant AS (
  SELECT query_id, doc_id, label FROM qrels WHERE label >= 1
), hits AS (
  SELECT query_id, rank, label,
    row_number() OVER (PARTITION BY query_id ORDER BY rank) AS hit
  FROM (SELECT * FROM ranked {DEPTH}) JOIN relevant USING (query_id, doc_id)
), found AS (
  SELECT query_id,
    sum(CASE WHEN rank <= 10 THEN label / log2(rank + 1) ELSE 0 END) AS dcg,
    sum(hit / rank) AS precisions,
    max(CASE WHEN rank <= 10 THEN 1 / rank ELSE 0 END) AS rr,
    sum(CASE WHEN rank <= 100 THEN 1 ELSE 0 END) AS found
  FROM hits GROUP BY query_id
), ideals AS (
  SELECT query_id, count(*) AS relevant,
    sum(CASE WHEN place <= 10 THEN label / log2(place + 1) ELSE 0 END) AS dcg
  FROM (
    SELECT query_id, label, row_number() OVER (PARTITION BY query_id ORDER BY label DESC) AS place
    FROM relevant
  ) GROUP BY query_id
)
SELECT
  avg(coalesce(found.dcg / ideals.dcg, 0)) AS `nDCG@10`,
  avg(coalesce(found.rr, 0)) AS `RR@10`
  {"" if DEPTH else ", avg(coalesce(precisions / relevant, 0)) AS AP"}
  {"" if DEPTH else ", avg(coalesce(found.found / relevant, 0)) AS `R@100`"}
FROM ideals LEFT JOIN found USING (query_id)
"""


def work(spark: Any, qrels: Any, run: Any) -> Mapping[str, float]:
    """Run the query."""
    qrels.createOrReplaceTempView("qrels")
    run.createOrReplaceTempView("run")
    means: dict[str, float] = spark.sql(QUERY).first().asDict()
    return means


spark_session.measure(work)
