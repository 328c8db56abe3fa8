"""``judged_only=True`` as a parameter of one measure: the number that the convention gives it."""

import pickle
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark import AP, P, nDCG

QRELS = {
    "q1": {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2},
    "q2": {"a": 0, "b": 0, "c": 1, "d": 2},
    "q3": {"a": 1},
}
RUN = {
    "q1": {"b": 9.0, "x": 8.0, "a": 7.0, "c": 6.0, "d": 5.0},
    "q2": {"a": 9.0, "d": 8.0, "y": 7.0, "x": 6.0, "c": 5.0},
}
TIED = {query: {doc: score // 3 for doc, score in row.items()} for query, row in RUN.items()}
NAMES = (
    "nDCG", "nDCG@3", "P@2", "AP", "RR", "R@3", "Bpref", "infAP", "RBP", "ERR", "Judged@3",
    "NumRet", "Unjudged@3", 'AP(ties="together")', 'nDCG(ideal="retrieved")@2',
    'nDCG(ideal="uncut")@2', "F@2",
)  # fmt: skip


def condensed(name: str) -> rm.Measure:
    return rm.measure(name)(judged_only=True)


@pytest.mark.parametrize("depth", [None, 2, 3])
@pytest.mark.parametrize("ties", ["docid", "input", "mean", "best", "worst"])
@pytest.mark.parametrize("run", [RUN, TIED], ids=["distinct", "tied"])
def test_it_gives_what_the_convention_gives_and_leaves_others_alone(
    run: Any, ties: Any, depth: Any
) -> None:
    whole = rm.evaluate(QRELS, run, NAMES, judged_only=True, ties=ties, depth=depth)
    plain = rm.evaluate(QRELS, run, NAMES, ties=ties, depth=depth)
    mixed = rm.evaluate(
        QRELS, run, [condensed(name) for name in NAMES] + list(NAMES), ties=ties, depth=depth
    )
    assert mixed.scores[:, : len(NAMES)] == pytest.approx(whole.scores, abs=0, rel=1e-12)
    assert mixed.scores[:, len(NAMES) :] == pytest.approx(plain.scores, abs=0, rel=1e-12)
    both = rm.evaluate(
        QRELS, run, [condensed(name) for name in NAMES], judged_only=True, ties=ties, depth=depth
    )
    assert both.scores == pytest.approx(whole.scores, abs=0, rel=1e-12)


def test_explanations_and_bounds_are_of_judged_documents() -> None:
    ev = rm.evaluate(QRELS, TIED, [condensed("nDCG@3"), "AP"])
    of_all = rm.evaluate(QRELS, TIED, "nDCG@3", judged_only=True)
    found, expected = ev.explain("q1", "nDCG(judged_only=True)@3"), of_all.explain("q1", "nDCG@3")
    assert found.value == expected.value == ev.per_query("nDCG(judged_only=True)@3")["q1"]
    assert found.rows == expected.rows
    assert ev.bounds["nDCG(judged_only=True)@3"] == (ev["nDCG(judged_only=True)@3"],) * 2
    low, high = ev.bounds["AP"]
    assert low <= ev["AP"] < high


def test_groups_leave_out_what_each_did_not_judge(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    qrels = rm.Qrels(folder / "qrels.123", format="qrels_jg")
    run = folder / "results.test"
    ev = rm.evaluate(qrels, run, ["AP(judged_only=True)", "AP"])
    assert ev["AP(judged_only=True)"] == rm.evaluate(qrels, run, "AP", judged_only=True)["AP"]
    assert ev["AP(judged_only=True)"] != ev["AP"] == rm.evaluate(qrels, run, "AP")["AP"]


def test_large_alignments_are_reduced_without_loss() -> None:
    qrels = {f"q{i}": {f"d{j}": j % 3 for j in range(200)} for i in range(80)}
    run = {f"q{i}": [f"d{(j * 7 + i) % 260}" for j in range(200)] for i in range(80)}
    ev = rm.evaluate(qrels, run, ["AP(judged_only=True)@5", "P@5"])
    low, high = ev.tie_interval["AP(judged_only=True)@5"]
    assert (low, high) == pytest.approx((ev["AP(judged_only=True)@5"],) * 2)
    of_all = rm.evaluate(qrels, run, "AP@5", judged_only=True)
    assert ev.per_query("AP(judged_only=True)@5") == of_all.per_query("AP@5")


def test_a_single_ranking_is_condensed() -> None:
    assert (P(judged_only=True) @ 2)([1, None, 0]) == 0.5
    assert (P @ 2)([1, None, 1]) == 0.5
    one = P(judged_only=True) @ 2
    assert one(ranking=["x", "a", "b"], relevant={"a": 1, "b": 1}) == 1.0
    assert one.explain([None, 1, None, 0, 1]).value == 0.5


def test_it_is_a_parameter_like_others() -> None:
    one = AP(judged_only=True, rel=2)
    assert str(one) == "AP(rel=2, judged_only=True)"
    assert rm.measure(str(one)) == one == rm.measure("map(judged_only=True, rel=2)")
    assert pickle.loads(pickle.dumps(one)) == one
    assert hash(one) == hash(AP(rel=2)(judged_only=True))
    assert nDCG(judged_only=False) == nDCG != nDCG(judged_only=True)
    assert one(judged_only=False) == AP(rel=2)
    with pytest.raises(rm.MeasureError, match="judged_only is 1; need True or False"):
        AP(judged_only=1)
    with pytest.raises(rm.MeasureError, match="need True or False"):
        rm.measure("AP(judged_only=yes)")
