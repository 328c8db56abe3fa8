"""Accumulators that were pickled and are merged give the same result as one, to the bit."""

import pickle
import random
from typing import Any

import pytest

import rankmark as rm

WAYS: list[dict[str, Any]] = [
    {},
    {"ties": "mean", "queries": "both", "no_relevant": "nan"},
    {"queries": ["q1", "q2", "é"]},
    {"profile": "ranx", "rel": 2},
]
MEASURES = ["nDCG@5", "AP", "RR", "RBP(p=0.8)"]


def day(number: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    dice = random.Random(number)
    queries = [f"q{5 * number + q}" for q in range(5)] + (["é"] if number == 1 else [])
    documents = [f"d{d}" for d in range(9)]
    qrels = {q: {d: dice.choice([0, 1, 2]) for d in dice.sample(documents, 5)} for q in queries}
    run = {q: {d: dice.randint(0, 3) / 3 for d in dice.sample(documents, 6)} for q in queries[1:]}
    return qrels, {**run, f"unjudged {number}": {"d1": 1.0}}


def measures_of(way: dict[str, Any]) -> list[str]:
    return ["ndcg@5", "map"] if "profile" in way else MEASURES


@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_days_that_were_pickled_give_one_evaluation(way: dict[str, Any]) -> None:
    measures = measures_of(way)
    whole: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    one = rm.Accumulator(measures, **way)
    total = rm.Accumulator(measures, **way)
    for number in (2, 0, 1):
        qrels, run = day(number)
        whole[0].update(qrels)
        whole[1].update(run)
        of_day = rm.Accumulator(measures, **way)
        of_day.update(qrels, run)
        one.update(qrels, run)
        total.merge(pickle.loads(pickle.dumps(of_day)))
    found, expected = total.result(), one.result()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert dict(found) == dict(expected) or "nan" in str(dict(expected))
    assert (found.queries, found.settings) == (expected.queries, expected.settings)
    assert (str(found.audit), str(found)) == (str(expected.audit), str(expected))
    assert found.audit == expected.audit
    if "profile" not in way:
        assert found.tie_interval == expected.tie_interval
        direct = rm.evaluate(*whole, measures, **way)
        for name in found.names:
            assert found.per_query(name) == direct.per_query(name) or way.get("no_relevant")
