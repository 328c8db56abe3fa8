"""Bounds are the extremes over every choice of relevant documents among the unjudged."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import OVER_LABELS, Case, cases_of, stem_of
from conformance.random_collections import LABELS

RETRIEVED = tuple("abcdefgh")


def judged_in_every_way(
    judged: dict[str, float], ranking: list[str], high: float, low: float
) -> list[tuple[list[float | None], list[float | None]]]:
    """Give the labels in rank order, and those missed, however the unjudged may be judged."""
    unjudged = [doc_id for doc_id in ranking if doc_id not in judged]
    ways = [dict[str, float]()]
    for relevant in itertools.product([False, True], repeat=len(unjudged)):
        chosen = zip(unjudged, relevant, strict=True)
        ways.append({doc_id: high if yes else low for doc_id, yes in chosen})
    return [
        (
            [(judged | way).get(doc_id) for doc_id in ranking],
            [label for doc_id, label in judged.items() if doc_id not in ranking],
        )
        for way in ways
    ]


def highest_for(case: Case, labels: list[float]) -> float:
    """Give the label that a measure values most, the highest where several are as good."""
    by_value = sorted((float(case.ours.merit(np.array([label]))[0]), label) for label in labels)
    return by_value[-1][1] if by_value[-1][0] > 0 else math.nan


def lowest_for(case: Case) -> float:
    """Give a label that is not relevant: 0, or what is below any threshold and any gain."""
    return -99.0 if math.isfinite(case.ours.lowest_label()) else 0.0


@pytest.mark.parametrize("stem", sorted(map(stem_of, OVER_LABELS)))
@settings(max_examples=40)
@given(
    size=st.integers(1, 7),
    judged=st.dictionaries(st.sampled_from([*"abcdefgxyz"]), st.sampled_from(LABELS), min_size=1),
    depth=st.sampled_from([None, 1, 2, 4]),
    data=st.data(),
)
def test_bounds_are_the_extremes_over_every_choice(
    stem: str, size: int, judged: dict[str, float], depth: int | None, data: st.DataObject
) -> None:
    case = data.draw(st.sampled_from(cases_of(stem)))
    qrels = {"other": {"a": 1.0}, "q": judged}
    run = {
        "other": {"a": 1.0, "b": 0.5},
        "q": {doc_id: -float(place) for place, doc_id in enumerate(RETRIEVED[:size])},
    }
    ev = rm.evaluate(qrels, run, case.ours, depth=depth, queries=["q"])
    high = highest_for(case, [1.0, *judged.values()])
    values = [
        case.value(*way)
        for way in judged_in_every_way(
            judged, list(RETRIEVED[:size][:depth]), high, lowest_for(case)
        )
    ]
    if math.isnan(high):
        values = values[:1]
    wanted = case.summary([min(values)]), case.summary([max(values)])
    assert ev.bounds[str(case.ours)] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@settings(max_examples=20)
@given(
    scores=st.lists(st.integers(0, 2), min_size=1, max_size=7),
    judged=st.dictionaries(st.sampled_from([*"abcdefgxyz"]), st.sampled_from(LABELS), min_size=1),
    ties=st.sampled_from(["docid", "input", "mean", "best", "worst"]),
    depth=st.sampled_from([None, 1, 3]),
    judged_only=st.booleans(),
)
def test_a_value_lies_within_its_bounds_under_every_rule(
    scores: list[int], judged: dict[str, float], ties: Any, depth: int | None, judged_only: bool
) -> None:
    run = {"q": {doc_id: float(s) for doc_id, s in zip(RETRIEVED, scores, strict=False)}}
    asked = ["nDCG@3", "AP", "RR", "P@2", "R@2", "Rprec", "Judged@3", "F@2", "Success@1"]
    ev = rm.evaluate({"q": judged}, run, asked, ties=ties, depth=depth, judged_only=judged_only)
    for name in asked:
        low, high = ev.bounds[name]
        assert low - 1e-12 <= ev[name] <= high + 1e-12, name
    if judged_only:
        assert all(low == high for low, high in ev.bounds.values())


def test_the_label_of_the_relevant_is_the_highest_of_all_qrels() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 3}}
    run = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 1.0}}
    ev = rm.evaluate(qrels, run, ["CG", "AP(rel=3)", "AP(rel=4)"], queries=["q1"])
    assert ev.bounds == {"CG": (1.0, 4.0), "AP(rel=3)": (0.0, 1.0), "AP(rel=4)": (0.0, 0.0)}


def test_bounds_of_what_many_unjudged_could_do_are_reached() -> None:
    # 40 unjudged documents above one that is relevant: none relevant is worst, all are best.
    run = {"q": {f"d{place}": -float(place) for place in range(41)}}
    ev = rm.evaluate({"q": {"d40": 1}}, run, ["AP", "P@20", "RR", "nDCG"])
    assert ev.bounds["AP"] == pytest.approx((1 / 41, 1.0))
    assert ev.bounds["P@20"] == (0.0, 1.0)
    assert ev.bounds["RR"] == pytest.approx((1 / 41, 1.0))
    assert ev.bounds["nDCG"][1] == pytest.approx(1.0)


def test_the_residual_of_rbp_is_how_far_its_bounds_are_apart() -> None:
    # But for the ranks beyond the end, which no judgment fills: they weigh 0.8^5 here.
    run = {"q": {doc_id: -float(place) for place, doc_id in enumerate("abcde")}}
    ev = rm.evaluate({"q": {"b": 1, "c": 0}}, run, ["RBP(p=0.8)", "RBPResidual(p=0.8)"])
    low, high = ev.bounds["RBP(p=0.8)"]
    assert low == ev["RBP(p=0.8)"]
    assert high - low == pytest.approx(ev["RBPResidual(p=0.8)"] - 0.8**5)


def test_a_query_left_out_or_without_an_answer_keeps_its_value() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}}
    run = {"q1": {"x": 2.0, "a": 1.0}, "q3": {"x": 1.0}}
    assert rm.evaluate(qrels, run, "RR").bounds["RR"] == (0.5 / 3, 2 / 3)
    assert rm.evaluate(qrels, run, "RR", no_relevant="skip").bounds["RR"] == (0.25, 0.5)
