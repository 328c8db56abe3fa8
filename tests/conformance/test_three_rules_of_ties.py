"""Sentence-transformers' RerankingEvaluator has three rules of ties in one evaluation."""

from typing import Any

import numpy as np
import pytest

import rankmark as rm

Array = np.ndarray[Any, Any]


def evaluator_says(labels: Array, scores: Array, k: int) -> list[float]:
    """Give its MRR, nDCG and AP of one query (version 6.2.0, ``compute_metrics``)."""
    metrics = pytest.importorskip("sklearn.metrics")
    ranked = labels[np.argsort(scores, kind="stable")[::-1]][:k]
    hits = np.flatnonzero(ranked)
    ndcg = metrics.ndcg_score([labels], [scores], k=k)
    ap = metrics.average_precision_score(labels, scores)
    return [1 / (1 + hits[0]) if len(hits) else 0.0, ndcg, ap]


def test_one_evaluation_gives_all_three_numbers() -> None:
    draw = np.random.default_rng(3)
    labels = (draw.random((40, 12)) < 0.3).astype(int)
    labels[:, 5] = 1  # it leaves out queries without positives
    scores = draw.integers(0, 4, (40, 12)).astype(float)
    measures = ["RR(ties=input)@10", "nDCG(ties=mean)@10", "AP(ties=together)"]
    # It sorts scores upwards and turns the order around, so that the last of a tie comes first.
    found = rm.evaluate(labels[:, ::-1], scores[:, ::-1], measures)
    said = [evaluator_says(*query, 10) for query in zip(labels, scores, strict=True)]
    assert found.scores == pytest.approx(np.array(said), abs=1e-12)
