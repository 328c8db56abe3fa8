"""RePlay's metrics of Spark DataFrames; see spark_session for the arguments."""

# mypy: disable-error-code="import-not-found, import-untyped"
from collections.abc import Mapping
from typing import Any

import spark_session


def work(_spark: Any, qrels: Any, run: Any) -> Mapping[str, float]:
    """Compute all metrics at once, which collects and joins the lists of documents once."""
    from replay.metrics import MAP, MRR, NDCG, OfflineMetrics, Recall

    metrics = [NDCG(10), MAP(1_000), MRR(10), Recall(100)]
    columns = {"query_column": "query_id", "item_column": "doc_id", "rating_column": "score"}
    means = OfflineMetrics(metrics, **columns)(run, qrels.where("label >= 1"))
    return dict(zip(("nDCG@10", "AP", "RR@10", "R@100"), means.values(), strict=True))


spark_session.measure(work)
