"""MLlib's RankingMetrics, as its documentation shows it; see spark_session for the arguments.

It has no reciprocal rank. Its input is cached, since it reads it again for each metric.
"""

from collections.abc import Mapping
from typing import Any

import spark_session


def work(_spark: Any, qrels: Any, run: Any) -> Mapping[str, float]:
    """Collect the documents of each query into a sorted list, then compute three metrics."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions as f

    by_score = f.sort_array(f.collect_list(f.struct("score", "doc_id")), asc=False)
    lists = run.groupBy("query_id").agg(by_score.alias("by_score"))
    relevant = qrels.where("label >= 1").groupBy("query_id")
    truth = relevant.agg(f.collect_list("doc_id").alias("truth"))
    pairs = truth.join(lists, "query_id", "left").select("by_score.doc_id", "truth")
    rdd = pairs.rdd.map(lambda row: (row[0] or [], row[1])).cache()
    metrics: Any = RankingMetrics(rdd)
    means = {
        "nDCG@10": metrics.ndcgAt(10),
        "AP": metrics.meanAveragePrecision,
        "R@100": metrics.recallAt(100),
    }
    rdd.unpersist()
    return means


spark_session.measure(work)
