"""No figure depends on the other measures asked for, and no mean on the order of queries."""

from typing import Any

import numpy as np
import pytest

import rankmark as rm

MEASURES = (
    "nDCG@10",
    "AP",
    "RR@10",
    "R@5",
    "P@7",
    "Judged@10",
    "DCG@10",
    "ERR@10",
    "gm_map",
    "bpref",
)
N = 37


def _collection(
    seed: int,
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(seed)
    queries = [f"q{i}" for i in range(N)]
    qrels = {q: {f"d{j}": int(rng.integers(0, 4)) for j in range(0, 30, 2)} for q in queries}
    runs = {
        name: {q: {f"d{j}": float(rng.random()) for j in range(30)} for q in queries}
        for name in "abc"
    }
    return qrels, runs


QRELS, RUNS = _collection(5)


def _rows(found: dict[str, Any], measure: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return what a comparison says of a measure, but the order of its rows."""
    kept = {}
    for table in ("leaderboard", "differences"):
        for row in found[table]:
            if row["measure"] == measure:
                kept[table, row["run"], row.get("baseline")] = row
    return kept


@pytest.mark.parametrize("measure", MEASURES)
def test_a_mean_is_the_same_alone_and_beside_others(measure: str) -> None:
    together = rm.evaluate(QRELS, RUNS["a"], MEASURES)
    alone = rm.evaluate(QRELS, RUNS["a"], [measure])
    assert list(alone.values()) == [together[measure]]


def test_a_mean_does_not_depend_on_the_order_of_queries() -> None:
    expected = rm.evaluate(QRELS, RUNS["a"], MEASURES)
    rng = np.random.default_rng(1)
    for _ in range(5):
        order = rng.permutation(list(QRELS))
        qrels = {query: QRELS[query] for query in order.tolist()}
        assert dict(rm.evaluate(qrels, RUNS["a"], MEASURES)) == dict(expected)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"weights": {q: 1 + i % 5 for i, q in enumerate(QRELS)}},
    {"clusters": {q: i // 3 for i, q in enumerate(QRELS)}},
    {"interval": "BCa", "resamples": 200},
    {"test": "t"},
    {"correction": "max-t", "resamples": 200},
]


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda given: next(iter(given), "usual"))
def test_what_compare_says_is_the_same_alone_and_beside_others(settings: dict[str, Any]) -> None:
    together = rm.compare(QRELS, RUNS, MEASURES[:-1], **settings).to_dict()
    for measure in MEASURES[:-1]:
        alone = rm.compare(QRELS, RUNS, [measure], **settings).to_dict()
        assert _rows(alone, measure) == _rows(together, measure)


def test_a_leaderboard_has_the_means_of_evaluate() -> None:
    found = rm.compare(QRELS, RUNS, MEASURES[:3]).leaderboard
    for row in found:
        assert row.mean == rm.evaluate(QRELS, RUNS[row.run], [row.measure])[row.measure]


def test_gates_decide_the_same_alone_and_beside_others() -> None:
    measures = MEASURES[:3]
    together = rm.gate(QRELS, RUNS["a"], RUNS["b"], *measures, max_drop=0.02).to_dict()
    for measure, beside in zip(measures, together["conditions"], strict=True):
        alone = rm.gate(QRELS, RUNS["a"], RUNS["b"], measure, max_drop=0.02).to_dict()
        assert alone["conditions"] == [beside]
