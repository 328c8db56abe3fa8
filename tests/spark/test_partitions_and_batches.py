"""How rows are divided into partitions and Arrow batches changes no number."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
import rankmark.spark
from spark.spark_frames import assert_same, frame, qrels_frame, run_frame

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100", "Bpref", "Judged@10"]


@pytest.fixture(params=["false", "true"], ids=["small offsets", "large offsets"])
def tiny_batches(spark: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Give a session whose Arrow batches hold few rows, with either setting of large types."""
    settings = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": "7",
        "spark.sql.execution.arrow.useLargeVarTypes": request.param,
    }
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


def test_a_query_with_most_rows_is_split_over_batches(tiny_batches: Any) -> None:
    dice = random.Random(1)
    sizes = {"large": 3000, **{f"q{place}": dice.randint(1, 9) for place in range(6)}}
    run = {q: {f"d{d}": dice.randint(0, 400) / 4 for d in range(n)} for q, n in sizes.items()}
    qrels = {
        query: {f"d{d}": dice.choice([0, 1, 1, 2]) for d in dice.sample(range(2 * n), n // 2 + 1)}
        for query, n in sizes.items()
    }
    found = rankmark.spark.evaluate(
        qrels_frame(tiny_batches, qrels), run_frame(tiny_batches, run), MEASURES
    )
    order = [*qrels]
    assert_same(found, rm.evaluate({q: qrels[q] for q in sorted(order)}, run, MEASURES))


def test_more_partitions_than_queries_and_empty_ones(spark: Any) -> None:
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 2}, "c": {"z": 1}}
    run = {"a": {"x": 1.0, "y": 1.0, "z": 1.0}, "b": {"y": 3.0}, "d": {"x": 1.0}, "e": {"x": 0.5}}
    found = rankmark.spark.evaluate(
        qrels_frame(spark, qrels, parts=6), run_frame(spark, run, parts=9), MEASURES, partitions=11
    )
    assert_same(found, rm.evaluate(qrels, run, MEASURES))


def test_the_order_of_queries_decides_the_last_digit_of_a_mean_only_if_it_is_given(
    spark: Any,
) -> None:
    dice = random.Random(3)
    names = [f"{dice.random():.9f}" for _ in range(150)]
    qrels = {query: {f"d{d}": dice.choice([0, 1]) for d in range(4)} for query in names}
    run = {query: {f"d{d}": dice.random() for d in range(3)} for query in names}
    frames = qrels_frame(spark, qrels), run_frame(spark, run)
    found = rankmark.spark.evaluate(*frames, ["nDCG", "AP"], order=names)
    assert_same(found, rm.evaluate(qrels, run, ["nDCG", "AP"]))
    again = rankmark.spark.evaluate(*(one.repartition(5) for one in frames), ["nDCG", "AP"])
    assert again.means == rankmark.spark.evaluate(*frames, ["nDCG", "AP"]).means
    assert again.means == pytest.approx(found.means, rel=1e-13)


def test_an_empty_run_is_missing_everywhere_and_empty_judgments_are_refused(spark: Any) -> None:
    import pyarrow as pa

    types = [pa.string(), pa.string(), pa.float64()]
    qrels = {"a": {"x": 1}, "b": {"y": 1}}
    empty = frame(spark, [], ["query_id", "doc_id", "score"], types=types)
    found = rankmark.spark.evaluate(qrels_frame(spark, qrels), empty, MEASURES)
    with pytest.warns(rm.RankmarkWarning):
        assert set(found.means.values()) == {0.0}
    assert found.audit.missing == 2
    nothing = frame(spark, [], ["query_id", "doc_id", "relevance"], types=types)
    with pytest.raises(rm.RankmarkError) as spark_error:
        _ = rankmark.spark.evaluate(nothing, run_frame(spark, {"a": {"x": 1.0}}), MEASURES).means
    with pytest.raises(rm.RankmarkError) as error:
        rm.evaluate({}, {"a": {"x": 1.0}}, MEASURES)
    assert type(spark_error.value) is type(error.value)


@pytest.mark.parametrize("form", ["parquet", "delta"])
def test_tables_are_read_as_they_lie(spark: Any, tmp_path: Path, form: str) -> None:
    qrels = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(5)} for q in range(7)}
    run = {f"q{q}": {f"d{d}": float(q * d % 4) for d in range(8)} for q in range(8)}
    paths = str(tmp_path / "qrels"), str(tmp_path / "run")
    for made, path in zip((qrels_frame(spark, qrels), run_frame(spark, run)), paths, strict=True):
        try:
            made.write.format(form).save(path)
        except Exception as error:
            if form == "delta" and "DATA_SOURCE_NOT_FOUND" in str(error):
                pytest.skip("this session has no Delta Lake; its jars are not on the package index")
            raise
    tables = [spark.read.format(form).load(path) for path in paths]
    assert_same(rankmark.spark.evaluate(*tables, MEASURES), rm.evaluate(qrels, run, MEASURES))
