"""rankmark.spark evaluates files that its tasks read: MEASURES, spark_session's arguments."""

import sys
from collections.abc import Mapping
from typing import Any

import spark_session

import rankmark.spark

MEASURES = sys.argv.pop(1).split()


def work(spark: Any, qrels: Any, run: Any) -> Mapping[str, float]:
    """Evaluate all measures at once."""
    ev = rankmark.spark.evaluate(qrels, run, MEASURES, spark=spark)
    means: Mapping[str, float] = ev.means
    return means


spark_session.measure(work, reads_files=True)
