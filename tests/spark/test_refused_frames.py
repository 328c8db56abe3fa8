"""What is refused, with which error, and that nothing runs before it is needed."""

from typing import Any

import pyarrow as pa
import pytest

import rankmark as rm
import rankmark.spark
from spark.spark_frames import frame, qrels_frame, run_frame

QRELS = {"a": {"x": 1, "y": 0}, "b": {"z": 1}}
RUN = {"a": {"x": 1.0, "z": 0.5}, "b": {"z": 2.0}}


def test_nothing_runs_before_the_result_is_used(spark: Any) -> None:
    frames = qrels_frame(spark, QRELS), run_frame(spark, RUN)
    spark.sparkContext.setJobGroup("lazy", "")
    found = rankmark.spark.evaluate(*frames, ["RR", "AP"])
    found.per_query.select("query_id")
    assert (found.per_query.columns, len(found), "RR" in found) == (
        ["query_id", "RR", "AP"],
        2,
        True,
    )
    assert repr(found)
    with pytest.raises(rm.InputError, match="ties is 'no'"):
        rankmark.spark.evaluate(*frames, ["RR"], ties="no")
    with pytest.raises(rm.MeasureError):
        rankmark.spark.evaluate(*frames, ["RX"])
    with pytest.raises(rm.MeasureError, match="judgments of all queries"):
        rankmark.spark.evaluate(*frames, ["Hole"])
    assert spark.sparkContext.statusTracker().getJobIdsForGroup("lazy") == []
    assert found["RR"] == 1.0
    assert spark.sparkContext.statusTracker().getJobIdsForGroup("lazy") != []


@pytest.mark.parametrize("column", ["query_id", "doc_id", "score", "relevance"])
def test_a_null_is_refused_as_in_any_frame(spark: Any, column: str) -> None:
    names = ["query_id", "doc_id", "relevance" if column == "relevance" else "score"]
    rows = [["a", "x", 1.0], ["b", "z", 2.0], ["b", "y", 0.5]]
    rows[1][names.index(column)] = None
    types = [pa.string(), pa.string(), pa.float64()]
    broken = frame(spark, [*map(tuple, rows)], names, types=types)
    schema = pa.schema([*zip(names, types, strict=True)])
    table = pa.table([*map(list, zip(*rows, strict=True))], schema=schema)
    judged = column == "relevance"
    given = (broken, run_frame(spark, RUN)) if judged else (qrels_frame(spark, QRELS), broken)
    with pytest.raises(rm.RankmarkError) as found:
        _ = rankmark.spark.evaluate(*given, ["RR"]).means
    with pytest.raises(rm.RankmarkError) as expected:
        rm.evaluate(*((table, RUN) if judged else (QRELS, table)), ["RR"])
    assert type(found.value) is type(expected.value)
    assert column in str(found.value)


def test_a_document_repeated_in_two_partitions_is_refused(spark: Any) -> None:
    twice = run_frame(spark, RUN).union(run_frame(spark, {"b": {"z": 1.0}}))
    with pytest.raises(rm.DuplicateError, match="document 'z' appears twice for query 'b'"):
        _ = rankmark.spark.evaluate(qrels_frame(spark, QRELS), twice, ["RR"]).means


def test_a_column_of_runs_points_to_compare(spark: Any) -> None:
    run = run_frame(spark, RUN)
    both = run.selectExpr("*", "'a' AS run").union(run.selectExpr("*", "'b' AS run"))
    told = r"keep one of the two.*if 'run' names several runs, call rankmark\.spark\.compare"
    with pytest.raises(rm.DuplicateError, match=told):
        _ = rankmark.spark.evaluate(qrels_frame(spark, QRELS), both, ["RR"]).means
    one = rankmark.spark.evaluate(qrels_frame(spark, QRELS), both.where("run = 'a'"), ["RR"])
    assert one.means == dict(rm.evaluate(QRELS, RUN, ["RR"]))


def test_judgments_of_other_queries_are_refused(spark: Any) -> None:
    with pytest.raises(rm.MismatchError):
        _ = rankmark.spark.evaluate(
            qrels_frame(spark, {"c": {"x": 1}}), run_frame(spark, RUN), ["RR"]
        ).means
    with pytest.raises(rm.InputError, match="'zz'"):
        _ = rankmark.spark.evaluate(
            qrels_frame(spark, QRELS), run_frame(spark, RUN), ["RR"], queries=["zz", "a"]
        ).means
    with pytest.raises(rm.InputError, match="tie"):
        _ = rankmark.spark.evaluate(
            qrels_frame(spark, QRELS), run_frame(spark, {"a": {"x": 1.0, "y": 1.0}}), ["RR"],
            ties="error",
        ).means  # fmt: skip


def test_columns_are_chosen_by_their_names_and_types(spark: Any) -> None:
    qrels, run = qrels_frame(spark, QRELS), run_frame(spark, RUN)
    with pytest.raises(rm.SchemaError, match="need a Spark DataFrame"):
        rankmark.spark.evaluate(QRELS, run, ["RR"])
    with pytest.raises(rm.SchemaError):
        rankmark.spark.evaluate(qrels, run.drop("doc_id"), ["RR"])
    with pytest.raises(rm.SchemaError, match="need numbers"):
        rankmark.spark.evaluate(qrels, run.withColumn("score", run.score.cast("string")), ["RR"])
    with pytest.raises(rm.SchemaError, match="rank"):
        rankmark.spark.evaluate(qrels, run, ["RR"], ties="input")
    with pytest.raises(rm.SchemaError, match="there is no column 'chunk' for parent"):
        rankmark.spark.evaluate(qrels, run, ["RR"], run_columns={"parent": "chunk"})
    columns = {"parent": "score"}
    with pytest.raises(rm.InputError, match="given twice, as parents and as a column"):
        rankmark.spark.evaluate(qrels, run, ["RR"], run_columns=columns, parents={"d": "d"})
    odd = run.withColumnsRenamed({"query_id": "my.query", "score": "a `b`"})
    columns = {"query_id": "my.query", "score": "a `b`"}
    found = rankmark.spark.evaluate(qrels, odd, ["RR"], run_columns=columns)
    assert found.means == dict(rm.evaluate(QRELS, RUN, ["RR"]))
