"""Evaluations of days are merged, and those of slices are compared, as in memory."""

import random
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
import rankmark.spark
from spark.spark_frames import bits, qrels_frame, run_frame

MEASURES = ["nDCG@5", "AP", "RR"]
Side = dict[str, dict[str, Any]]


def collection(queries: range) -> tuple[Side, Side]:
    dice = random.Random(queries.start)
    documents = [f"d{place}" for place in range(12)]
    qrels = {
        f"q{q}": {d: dice.choice([0, 1, 2]) for d in dice.sample(documents, 6)} for q in queries
    }
    run = {q: {d: dice.randint(0, 9) / 8 for d in dice.sample(documents, 8)} for q in qrels}
    return qrels, run


def test_results_of_days_are_those_of_one_evaluation(spark: Any, tmp_path: Path) -> None:
    days = [collection(range(0, 20)), collection(range(20, 33))]
    qrels, run = ({**first, **second} for first, second in zip(*days, strict=True))
    whole = rm.evaluate(qrels, run, MEASURES)
    first, second = (
        rankmark.spark.evaluate(qrels_frame(spark, judged), run_frame(spark, ranked), MEASURES)
        for judged, ranked in days
    )
    merged = first.merge(second)
    assert bits(dict(merged)) == bits(dict(whole))
    assert merged.per_query("AP") == whole.per_query("AP")
    assert len(first.evaluation.queries) == 20
    second.accumulator.write(tmp_path / "second.parquet")
    total = rm.Accumulator(MEASURES).read(tmp_path / "second.parquet")
    assert bits(dict(first.merge(total))) == bits(dict(whole))
    with pytest.raises(rm.DuplicateError, match="comes twice"):
        first.merge(first.accumulator.__copy__())
