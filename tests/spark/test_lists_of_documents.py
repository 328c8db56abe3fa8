"""Rows with all documents of a query give the numbers of rows with one document each."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankmark as rm
import rankmark.spark
from spark.spark_frames import assert_same, bits, qrels_frame

MEASURES = ["nDCG@5", "AP", "RR", "NumRet"]
STRUCTS = pa.list_(pa.struct([("item", pa.int32()), ("rating", pa.float32())]))


def collection() -> tuple[dict[int, dict[int, int]], dict[int, dict[int, float]]]:
    dice = random.Random(3)
    qrels = {q: {d: dice.choice([0, 1, 2]) for d in dice.sample(range(20), 6)} for q in range(15)}
    run = {
        q: {d: dice.randint(0, 99) + d / 32 for d in dice.sample(range(20), dice.randint(1, 12))}
        for q in range(1, 17)
    }
    return qrels, run


def test_recommendations_of_als(spark: Any, tmp_path: Path) -> None:
    qrels, run = collection()
    rows = [[{"item": d, "rating": s} for d, s in by.items()] for by in run.values()]
    users = pa.array([*run, 90, 91], pa.int32())
    tags = pa.array([["x"]] * (len(run) + 2))
    table = pa.table(
        {"user": users, "tags": tags, "recommendations": pa.array([*rows, None, []], STRUCTS)}
    )
    whole = rm.evaluate(qrels, run, MEASURES)
    assert_same(
        rankmark.spark.evaluate(qrels_frame(spark, qrels), spark.createDataFrame(table), MEASURES),
        whole,
    )
    pq.write_table(table, tmp_path / "run.parquet", row_group_size=4)
    of_files = rankmark.spark.evaluate(
        qrels_frame(spark, qrels), tmp_path / "run.parquet", MEASURES
    )
    assert bits(of_files.means) == bits(dict(whole))


def test_lists_of_ids_best_first_and_beside_scores(spark: Any) -> None:
    qrels, run = collection()
    best_first = {q: sorted(by, key=by.__getitem__, reverse=True) for q, by in run.items()}
    judged = pa.table(
        {"qid": [*qrels], "docs": [[d for d in by if by[d]] for by in qrels.values()]}
    )
    relevant = {q: {d: 1 for d in by if by[d]} for q, by in qrels.items()}
    ids = pa.table({"qid": [*run], "docs": [*best_first.values()]})
    documents = {"doc_id": "docs"}
    found = rankmark.spark.evaluate(
        spark.createDataFrame(judged), spark.createDataFrame(ids), MEASURES, columns=documents
    )
    assert_same(found, rm.evaluate(relevant, run, MEASURES))
    scored = pa.table(
        {
            "qid": [*run],
            "docno": [[str(d) for d in by] for by in run.values()],
            "score": [[*by.values()] for by in run.values()],
        }
    )
    found = rankmark.spark.evaluate(
        qrels_frame(spark, qrels), spark.createDataFrame(scored), MEASURES
    )
    assert_same(found, rm.evaluate(qrels, run, MEASURES))


def test_lists_that_cannot_be_rankings_are_refused(spark: Any) -> None:
    qrels = qrels_frame(spark, collection()[0])

    def evaluated(**columns: Any) -> Any:
        return rankmark.spark.evaluate(qrels, spark.createDataFrame(pa.table(columns)), MEASURES)

    with pytest.raises(rm.SchemaError, match="'doc_id' and 'score' have lists of 2 and 1"):
        _ = evaluated(query_id=[1], doc_id=[[1, 2]], score=[[0.5]]).means
    with pytest.raises(rm.SchemaError, match="several columns have lists of documents"):
        evaluated(query_id=[1], doc_id=[[1, 2]], item=[[1, 2]])
    with pytest.raises(rm.SchemaError, match="two rows of query '1' have rank 1"):
        _ = evaluated(query_id=[1, 1], doc_id=[[1, 2], [3]]).means
    with pytest.raises(rm.SchemaError, match="null"):
        _ = evaluated(query_id=[1], doc_id=[[1, None]]).means
    with pytest.raises(rm.SchemaError, match="'doc_id' holds array<bigint>; need text"):
        evaluated(query_id=[1], doc_id=[[[1, 2]]])
    with pytest.raises(rm.SchemaError, match="'score' holds array<double>; need numbers, or lists"):
        evaluated(query_id=[1], doc_id=[1], score=[[0.5]])
