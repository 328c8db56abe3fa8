"""ML's RankingEvaluator on arrays of numbers; see spark_session for the arguments.

It takes ids as double only, so those of documents are cast, and computes one metric a call.
"""

from collections.abc import Mapping
from typing import Any

import spark_session


def work(_spark: Any, qrels: Any, run: Any) -> Mapping[str, float]:
    """Collect the documents of each query into a sorted list, then compute three metrics."""
    from pyspark.ml.evaluation import RankingEvaluator
    from pyspark.sql import functions as f

    run = run.withColumn("doc_id", f.col("doc_id").cast("double"))
    qrels = qrels.withColumn("doc_id", f.col("doc_id").cast("double"))
    by_score = f.sort_array(f.collect_list(f.struct("score", "doc_id")), asc=False)
    lists = run.groupBy("query_id").agg(by_score.alias("by_score"))
    relevant = qrels.where("label >= 1").groupBy("query_id")
    truth = relevant.agg(f.collect_list("doc_id").alias("label"))
    found = f.coalesce("by_score.doc_id", f.array().cast("array<double>"))
    pairs = truth.join(lists, "query_id", "left").select(found.alias("prediction"), "label").cache()
    means = {
        "nDCG@10": RankingEvaluator(metricName="ndcgAtK", k=10).evaluate(pairs),
        "AP": RankingEvaluator(metricName="meanAveragePrecision").evaluate(pairs),
        "R@100": RankingEvaluator(metricName="recallAtK", k=100).evaluate(pairs),
    }
    pairs.unpersist()
    return means


spark_session.measure(work)
