"""rankmark.spark evaluates a DataFrame: MEASURES and the arguments of spark_session."""

import sys
from collections.abc import Mapping
from typing import Any

import spark_session

import rankmark.spark

MEASURES = sys.argv.pop(1).split()


def work(_spark: Any, qrels: Any, run: Any) -> Mapping[str, float]:
    """Evaluate all measures at once."""
    means: Mapping[str, float] = rankmark.spark.evaluate(qrels, run, MEASURES).means
    return means


spark_session.measure(work)
