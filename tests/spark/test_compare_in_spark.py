"""Several runs in one DataFrame are compared as rankmark.compare does."""

import random
from typing import Any

import pytest

import rankmark as rm
import rankmark.spark
from spark.spark_frames import frame, qrels_frame


@pytest.mark.filterwarnings("ignore:.*are answered by all runs")
def test_runs_in_one_frame_are_compared_as_in_memory(spark: Any) -> None:
    dice = random.Random(2)
    qrels = {f"q{q:02}": {f"d{d}": dice.choice([0, 0, 1, 2]) for d in range(12)} for q in range(25)}
    runs = {
        name: {
            query: {f"d{d}": dice.randint(0, 9) + share * labels.get(f"d{d}", 0) for d in range(14)}
            for query, labels in qrels.items()
            if dice.random() < 0.95
        }
        for name, share in {"bm25": 0.0, "dense": 2.0, "mixed": 4.0}.items()
    }
    rows = [
        (name, query, document, float(score))
        for name, run in runs.items()
        for query, scores in run.items()
        for document, score in scores.items()
    ]
    table = frame(spark, rows, ["run", "query_id", "doc_id", "score"])
    measures = ["nDCG@10", "AP", "RR@10"]
    ways: list[dict[str, Any]] = [
        {},
        {"baseline": "dense", "queries": "both", "ties": "mean"},
    ]
    for way in ways:
        found = rankmark.spark.compare(
            qrels_frame(spark, qrels), table, measures, resamples=199, **way
        )
        whole = rm.compare(qrels, runs, measures, resamples=199, **way)
        for name, evaluation in whole.evaluations.items():
            assert found.evaluations[name] == evaluation
            assert dict(found.evaluations[name]) == dict(evaluation)
        assert str(found.leaderboard) == str(whole.leaderboard)
        assert str(found.differences) == str(whole.differences)
