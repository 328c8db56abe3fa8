"""Micro-batches of a stream are evaluated as they come, and merged later."""

import pickle
import random
from pathlib import Path
from typing import Any

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


def test_micro_batches_of_a_stream_are_evaluated(spark: Any, tmp_path: Path) -> None:
    qrels, run = collection(range(0, 12))
    ranked = run_frame(spark, run)
    ranked.coalesce(1).write.parquet(str(tmp_path / "run"))
    judged = qrels_frame(spark, {**qrels, "other": {"d1": 1}})

    def evaluate_batch(batch: Any, number: int) -> None:
        queries = batch.select("query_id").distinct()
        own = judged.join(queries, "query_id", "left_semi")
        found = rankmark.spark.evaluate(own, batch, MEASURES)
        (tmp_path / f"{number}.pickle").write_bytes(pickle.dumps(found.accumulator))

    stream = spark.readStream.schema(ranked.schema).parquet(str(tmp_path / "run"))
    writer = stream.writeStream.foreachBatch(evaluate_batch).trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    total = pickle.loads((tmp_path / "0.pickle").read_bytes())
    assert bits(dict(total.result())) == bits(dict(rm.evaluate(qrels, run, MEASURES)))
