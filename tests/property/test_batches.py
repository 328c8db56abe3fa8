"""Batches in any split and order are one evaluation."""

import math
import pickle
import random
import warnings
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankmark as rm

MEASURES = ["nDCG@5", "AP", "RR@3", "R@5", "NumRel", 'AP(aggregate="gmean")', "Judged@10", "Bpref"]
WAYS: list[dict[str, Any]] = [
    {},
    {"queries": "both"},
    {"ties": "mean"},
    {"ties": "worst", "no_relevant": "skip"},
    {"ties": "input", "no_relevant": "one"},
    {"depth": 4, "judged_only": True},
    {"depth": 3, "ties": "mean", "queries": ["q1", "q3"]},
    {"rel": 2, "no_relevant": "nan", "precision": "float32"},
]


def collection(dice: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make judgments and a run, with ties, queries of one side only, and nothing relevant."""
    number = dice.randint(4, 13)
    documents = [f"d{place}" for place in range(12)]
    qrels = {
        f"q{query}": {d: dice.choice([-1, 0, 0, 1, 2]) for d in dice.sample(documents, 8)}
        for query in range(number)
    }
    qrels["q2"] = dict.fromkeys(qrels["q2"], 0)
    run = {
        f"q{query}": {d: dice.choice([0.1, 0.2, 0.3]) for d in dice.sample(documents, 9)}
        for query in [*range(number), 90, 91]
        if query in {1, 3} or dice.random() < 0.9
    }
    return qrels, run


@pytest.mark.parametrize("way", WAYS, ids=str)
@example(seed=0)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=8, deadline=None)
def test_any_split_and_order_of_batches_is_one_evaluation(way: dict[str, Any], seed: int) -> None:
    dice = random.Random(seed)
    qrels, run = collection(dice)
    whole = rm.evaluate(qrels, run, MEASURES, **way)
    queries = [*{**qrels, **run}]
    parts = [rm.Accumulator(MEASURES, **way) for _ in range(dice.randint(1, 3))]
    dice.shuffle(queries)
    while queries:
        some = [queries.pop() for _ in range(min(len(queries), dice.randint(1, 5)))]
        batch = [{q: side[q] for q in some if q in side} for side in (qrels, run)]
        part = dice.randrange(len(parts))
        parts[part].update(*batch)
        parts[part] = pickle.loads(pickle.dumps(parts[part]))
    dice.shuffle(parts)
    merged = parts[0]
    for other in parts[1:]:
        assert merged.merge(other) is merged
    found = merged.result()
    assert found == whole
    assert [*found.means.items()] == [*whole.means.items()] or way.get("no_relevant") == "nan"
    assert found.audit == whole.audit
    assert found.moved_by_ties() == whole.moved_by_ties()
    assert found.sampling_errors == whole.sampling_errors
    assert found.unsaid_rel == whole.unsaid_rel
    for how in ("median", "gmean", "stdev", "q25"):
        one, other = found.aggregate("AP", how), whole.aggregate("AP", how)
        assert one == other or (math.isnan(one) and math.isnan(other))
    told, expected = (ev.to_dict() for ev in (found, whole))
    assert told == expected
    assert str(found) == str(whole)


@pytest.mark.filterwarnings("ignore:.*may differ from")
@pytest.mark.parametrize(
    ("profile", "measures"),
    [
        ("sklearn", ["ndcg_score", "average_precision_score", "LRAP", "dcg_score@3"]),
        ("trec_eval9", ["map", "Rndcg", "AP(rel=2)"]),
        ("ranx", ["ndcg@3", "bpref"]),
    ],
)
def test_batches_under_a_profile_are_one_evaluation(profile: str, measures: list[str]) -> None:
    qrels, run = collection(random.Random(3))
    whole = rm.evaluate(qrels, run, measures, profile=profile)
    acc = rm.Accumulator(measures, profile=profile)
    for query in [*{**qrels, **run}][::-1]:
        acc.update(*({q: side[q] for q in [query] if q in side} for side in (qrels, run)))
    found = pickle.loads(pickle.dumps(acc)).result()
    assert found == whole
    assert found.means == whole.means
    assert found.settings == whole.settings
    assert found.to_dict() == whole.to_dict()


@pytest.mark.parametrize("way", [{}, {"queries": "both"}], ids=str)
def test_parts_of_a_run_may_come_with_all_judgments(way: dict[str, Any]) -> None:
    qrels, run = collection(random.Random(5))
    whole = rm.evaluate(qrels, run, MEASURES, **way)
    for order in (1, -1):
        acc = rm.Accumulator(MEASURES, **way)
        for remainder in range(3)[::order]:
            part = {query: run[query] for query in run if int(query[1:]) % 3 == remainder}
            acc.update(rm.Qrels(qrels), part)
        found = acc.result()
        assert found == whole
        assert found.audit == whole.audit


def test_no_batch_alone_warns_or_fails_for_what_the_others_hold() -> None:
    acc = rm.Accumulator(["RR", "AP"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        acc.update({"q1": {"a": 0.5}}, {})
        acc.update({}, {"q3": {"a": 1.0}})
        acc.update({"q2": {"a": 1}}, {"q2": {"x": 1.0}})
        acc.update({"q4": {"a": 1}}, {"q5": {"a": 1.0}, "q6": {"a": 1.0}})
        acc.update({"q7": {"a": 1}}, {"q7": {"a": 1.0}})
        assert acc.result()["RR"] == 1 / 4
    assert acc.result().audit.run_only_examples == ("q3", "q5", "q6")
