"""Evaluations of days are merged, and those of slices are compared, as in memory."""

import pickle
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


def test_results_of_days_are_those_of_one_evaluation(spark: Any) -> None:
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
    total = pickle.loads(pickle.dumps(second.accumulator))
    assert bits(dict(first.merge(total))) == bits(dict(whole))
    with pytest.raises(rm.DuplicateError, match="comes twice"):
        first.merge(first.accumulator.__copy__())


def test_slices_are_those_of_compare_in_memory(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as f

    qrels, run = collection(range(0, 40))
    countries = {q: ["DE", "FR", None][int(q[1:]) % 3] for q in qrels}
    number = f.substring("query_id", 2, 9).cast("int") % 3
    country = f.when(number == 0, "DE").when(number == 1, "FR")
    judged = qrels_frame(spark, qrels).withColumn("country", country)
    judged = judged.withColumn("is_new", number == 2)
    judged.write.parquet(str(tmp_path / "qrels"))
    ranked = run_frame(spark, run)
    whole = rm.compare(qrels, {"run": run}, MEASURES, by=countries).slices
    for given in (judged, tmp_path / "qrels"):
        found = rankmark.spark.evaluate(given, ranked, MEASURES, by="country")
        assert [*found.slices] == [*whole] == ["DE", "FR", "(no value)"]
        for name, one in whole.items():
            assert str(found.slices[name].leaderboard) == str(one.leaderboard)
    both = rankmark.spark.evaluate(judged, ranked, MEASURES, by=["country", "is_new"])
    assert [*both.slices][-2:] == ["is_new=False", "is_new=True"]
    runs = ranked.withColumn("run", f.lit("bm25"))
    compared = rankmark.spark.compare(judged, runs, MEASURES, by="country")
    numbers = [(row.measure, row.mean) for row in whole["DE"].leaderboard]
    assert [(row.measure, row.mean) for row in compared.slices["DE"].leaderboard] == numbers
    given_by = rankmark.spark.evaluate(judged, ranked, MEASURES, by=countries)
    assert str(given_by.slices["FR"].leaderboard) == str(whole["FR"].leaderboard)
    with pytest.raises(rm.SchemaError, match="column 'relevance' has several values for query"):
        _ = rankmark.spark.evaluate(
            judged.withColumn("label", f.lit(1)), ranked, ["RR"], by="relevance"
        ).means
    with pytest.raises(rm.InputError, match="the judgments have no such column; choose from"):
        rankmark.spark.evaluate(judged, ranked, ["RR"], by="land")
    with pytest.raises(rm.InputError, match="by was not given"):
        _ = rankmark.spark.evaluate(judged, ranked, ["RR"]).slices
