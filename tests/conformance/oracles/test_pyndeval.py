"""We agree with ndeval, through pyndeval, but for a cutoff of 1 and queries without relevant."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.diverse_cases import Diverse, diverse_collections

pyndeval = pytest.importorskip("pyndeval", reason="pyndeval is not installed, so ndeval is silent")

CUT = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")
NAMES = [*(f"{name}@{k}" for name in CUT for k in (1, 2, 5, 20)), "NRBP", "nNRBP", "MAP-IA"]
NOT_DIVIDED = ("ERR-IA@1", "alpha-DCG@1")


def says(collection: Diverse, names: list[str], **options: Any) -> dict[str, dict[str, float]]:
    qrels = [
        (query_id, subtopic, doc_id, label)
        for query_id, of in collection.qrels.items()
        for subtopic, labels in of.items()
        for doc_id, label in labels.items()
    ]
    run = [(q, d, score) for q, scores in collection.run.items() for d, score in scores.items()]
    found: dict[str, dict[str, float]] = pyndeval.ndeval(qrels, run, names, **options)
    return found


# Powers of these are exact, so that what ties for the ideal ties for them as well.
@given(
    collection=diverse_collections(),
    alpha=st.sampled_from([0.5, 0.25, 0.75, 0.0, 1.0]),
    beta=st.sampled_from([0.5, 0.8]),
)
def test_measures_over_subtopics_agree_with_ndeval(
    collection: Diverse, alpha: float, beta: float
) -> None:
    asked = {}
    for name in NAMES:
        one = rm.measure(name)
        given = {"alpha": alpha, "beta": beta}
        asked[name] = one(
            **{key: given[key] for key in given if key in one.parameters} or {"rel": 1}
        )
    ev = rm.evaluate(*collection, list(asked.values()), ties="docid-asc", queries="both")
    theirs = says(collection, NAMES, alpha=alpha, beta=beta)
    assert set(theirs) == set(ev.queries)
    for name, one in asked.items():
        for query_id, value in ev.per_query(one).items():
            said = theirs[query_id][name]
            if name in NOT_DIVIDED:
                subtopics = {
                    s
                    for s, labels in collection.qrels[query_id].items()
                    if max(labels.values()) >= 1
                }
                said /= max(len(subtopics), 1)
            if name == "nNRBP" and math.isnan(said):
                said = 0.0
            agrees("ndeval", name, value, said, rel=1e-9, abs=1e-9)


def test_ndeval_does_not_divide_at_the_first_rank() -> None:
    qrels = {"q": {"1": {"a": 1}, "2": {"a": 1}}}
    run = {"q": {"a": 1.0}}
    theirs = says(Diverse(qrels, run), list(NOT_DIVIDED))
    ev = rm.evaluate(qrels, run, list(NOT_DIVIDED))
    for name in NOT_DIVIDED:
        assert theirs["q"][name] == 2.0
        assert ev[name] == 1.0


def test_ir_measures_gives_one_alpha_where_two_are_asked() -> None:
    # Its second evaluator reads judgments that are read through.
    ir_measures = pytest.importorskip("ir_measures")
    qrels = {"q": {"1": {"a": 1, "b": 1}, "2": {"c": 1}}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    rows = [ir_measures.Qrel("q", d, 1, s) for s, of in qrels["q"].items() for d in of]
    scored = [ir_measures.ScoredDoc("q", d, score) for d, score in run["q"].items()]
    ours = [rm.alpha_nDCG(alpha=alpha) @ 3 for alpha in (0.5, 0.9)]
    theirs = [ir_measures.alpha_nDCG(alpha=alpha) @ 3 for alpha in (0.5, 0.9)]
    alone = [ir_measures.calc_aggregate([one], rows, scored)[one] for one in theirs]
    assert tuple(rm.evaluate(qrels, run, ours).values()) == pytest.approx(alone)
    together = ir_measures.calc_aggregate(theirs, rows, scored)
    assert 0.0 in together.values()
