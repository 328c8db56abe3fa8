"""The same code works over Spark Connect, if its client is installed."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
from pyspark.sql import SparkSession
import rankmark as rm
import rankmark.spark

builder = SparkSession.builder.master("local[2]").config("spark.api.mode", "connect")
spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
assert "connect" in type(spark).__module__
qrels = {f"q{q:02}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(20)}
run = {f"q{q:02}": {f"d{d}": (q * d) % 7 / 2 for d in range(2, 12)} for q in range(1, 22)}
frames = [
    spark.createDataFrame([(q, d, float(n)) for q in side for d, n in side[q].items()], names)
    for side, names in ((qrels, "qid docid label".split()), (run, "qid docid score".split()))
]
found = rankmark.spark.evaluate(*frames, ["nDCG@5", "AP"])
whole = rm.evaluate(qrels, run, ["nDCG@5", "AP"])
assert {row[0]: row[1] for row in found.per_query.collect()} == whole.per_query("nDCG@5")
assert found.means == dict(whole)
assert found.audit == whole.audit
"""


@pytest.mark.usefixtures("spark")
def test_an_evaluation_over_spark_connect_has_the_same_numbers() -> None:
    for module in ("grpc", "grpc_status", "google.rpc"):
        pytest.importorskip(module, reason="the client of Spark Connect is not installed")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
