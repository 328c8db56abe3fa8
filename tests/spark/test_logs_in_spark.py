"""Logs of clicks stay in Spark, which counts the same as DuckDB."""

from typing import Any

import pytest

import rankmark as rm

pytest.importorskip("narwhals")
pytest.importorskip("duckdb")

from rankmark.clicks.logs.counting import arrays

CLICKED = {"query_id": ["i", "j"], "docs": [[], ["a", "b"]], "clicked": [["x"], ["b", "y"]]}
FLAGS = {"query_id": ["i", "j"], "docs": [["c"], ["a", "b"]], "clicks": [[0], [0, 1]]}


def in_spark(spark: Any, columns: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    return spark.createDataFrame(pa.table(columns))


def test_labels_of_a_log_in_spark_have_the_bits_of_those_in_memory(spark: Any) -> None:
    columns = rm.example_log(60).columns
    log, whole = (
        rm.read_log(rows, drop="bots", bot_clicks=3) for rows in (in_spark(spark, columns), columns)
    )
    assert log.form == "pyspark DataFrame"
    assert log.frame.implementation.is_pyspark()
    labels, same = (rm.judge_clicks(one, "COEC", min_examined=1) for one in (log, whole))
    assert labels.to_arrow() == same.to_arrow()


@pytest.mark.parametrize("wide", [CLICKED, FLAGS], ids=["ids", "flags"])
def test_lists_in_spark_become_rows(spark: Any, wide: dict[str, list[Any]]) -> None:
    logs = rm.read_log(in_spark(spark, wide)), rm.read_log(wide)
    rows, same = (arrays(one.frame, ("query_id", "rank")) for one in logs)
    assert [array.tolist() for array in rows.values()] == [
        array.tolist() for array in same.values()
    ]
    assert logs[0]._counted == logs[1]._counted


def test_ranks_that_are_no_whole_numbers_are_refused_in_spark(spark: Any) -> None:
    columns = {"query_id": [1, 1], "doc": ["a", "b"], "click": [0, 1], "rank": [1.5, float("nan")]}
    with pytest.raises(rm.SchemaError, match="1 row of 2 with no whole rank"):
        rm.read_log(in_spark(spark, columns))
