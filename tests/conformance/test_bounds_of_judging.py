"""Bounds are the extremes over every labeling of the unjudged documents."""

import itertools
import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import OVER_LABELS, Case, cases_of, stem_of
from generators.effort import examples
from generators.random_collections import LABELS, dice
from rankmark import Bpref
from rankmark.scoring import unjudged_bounds

RETRIEVED = tuple("abcdefgh")


def judged_in_every_way(
    judged: dict[str, float], ranking: list[str]
) -> list[tuple[list[float | None], list[float | None]]]:
    """Give the labels in rank order, and those missed, however the unjudged may be judged."""
    unjudged = [doc_id for doc_id in ranking if doc_id not in judged]
    allowed = [None, *sorted({0.0, *judged.values()})]
    return [
        (
            [(judged | dict(zip(unjudged, way, strict=True))).get(doc_id) for doc_id in ranking],
            [label for doc_id, label in judged.items() if doc_id not in ranking],
        )
        for way in itertools.product(allowed, repeat=len(unjudged))
    ]


class Searched(NamedTuple):
    """A measure, judgments of one query, its ranking, a depth, and both extremes of its values."""

    case: Case
    judged: dict[str, float]
    ranking: list[str]
    depth: int | None

    def found(self) -> tuple[float, float]:
        """Give the bounds as evaluated."""
        qrels = {"other": {"a": 0.0}, "q": self.judged}
        run = {
            "other": {"a": 1.0, "b": 0.5},
            "q": {doc_id: -float(place) for place, doc_id in enumerate(self.ranking)},
        }
        ev = rm.evaluate(qrels, run, self.case.ours, depth=self.depth, queries=["q"])
        return ev.bounds[str(self.case.ours)]

    def values(self) -> list[float]:
        """Give the value of the reference of every labeling."""
        ways = judged_in_every_way(self.judged, self.ranking[: self.depth])
        return [self.case.summary([self.case.value(*way)]) for way in ways]

    def extremes(self) -> tuple[float, float]:
        """Give the least and the greatest of them."""
        values = self.values()
        return min(values), max(values)


few_labels = st.lists(st.sampled_from(LABELS), min_size=1, max_size=3)
lengths = st.integers(1, 6)
numbers_of_unjudged = st.integers(0, 3)
depths = st.sampled_from([None, 1, 2, 4])


@st.composite
def searched(draw: st.DrawFn, stem: str) -> Searched:
    labels, thrown = draw(few_labels), draw(dice)
    ranking = list(RETRIEVED[: draw(lengths)])
    unjudged = thrown.sample(ranking, min(draw(numbers_of_unjudged), len(ranking)))
    known = [d for d in ranking if d not in unjudged]
    known += thrown.sample("xyz", thrown.randint(0 if known else 1, 3))
    judged = {doc_id: thrown.choice(labels) for doc_id in known}
    return Searched(thrown.choice(cases_of(stem)), judged, ranking, draw(depths))


# Where ranks beyond the cutoff are judged in several ways, Q alone tells them apart by count and
# by gain: its bounds are then values that exist.
@pytest.mark.parametrize("stem", sorted({stem_of(one) for one in OVER_LABELS} - {"q"}))
@examples(24)
@given(data=st.data())
def test_bounds_are_the_extremes_over_every_labeling(stem: str, data: st.DataObject) -> None:
    tried = data.draw(searched(stem))
    assert tried.found() == pytest.approx(tried.extremes(), rel=1e-9, abs=1e-12)


# The measures of which docs/development/algorithms.md says so: the higher label first never
# hurts.
IN_ORDER = (
    *("ap", "rprec", "iprec", "yaap", "bing", "bpref", "ndcg", "rndcg", "err", "nerr", "rbp"),
    *("auc", "ranking_loss", "mean_rank", "coverage_error"),
)


@pytest.mark.parametrize("stem", IN_ORDER)
@examples(12)
@given(data=st.data())
def test_labelings_in_order_hold_the_extremes_where_the_higher_label_first_never_hurts(
    stem: str, data: st.DataObject
) -> None:
    tried = data.draw(searched(stem))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(unjudged_bounds, "ALL", 1)
        unjudged_bounds.tried.cache_clear()
        found = tried.found()
    unjudged_bounds.tried.cache_clear()
    assert found == pytest.approx(tried.extremes(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("stem", sorted(map(stem_of, OVER_LABELS)))
@examples(6)
@given(data=st.data())
def test_bounds_that_are_only_searched_for_are_values_that_exist(
    stem: str, data: st.DataObject
) -> None:
    tried = data.draw(searched(stem))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(unjudged_bounds, "ALL", 1)
        patched.setattr(unjudged_bounds, "IN_ORDER", 0)
        low, high = tried.found()
    values = tried.values()
    least, greatest = min(values), max(values)
    slack = 1e-9 * max(1.0, abs(least), abs(greatest))
    assert least - slack <= low <= high <= greatest + slack
    assert any(abs(value - low) <= slack for value in values)
    assert any(abs(value - high) <= slack for value in values)


def test_judging_the_unjudged_not_relevant_is_tried() -> None:
    qrels, run = {"q": {"a": 1, "n": 0}}, {"q": {"x": 0.9, "a": 0.8}}
    ev = rm.evaluate(qrels, run, ["Bpref", "NumNonrelJudgedRet", "OPA"])
    assert ev.bounds["Bpref"] == (0.0, 1.0)
    assert ev.bounds["NumNonrelJudgedRet"] == (0.0, 1.0)
    assert ev.bounds["OPA"] == (0.5, 1.0)


def test_bounds_of_bpref_hold_what_judging_all_not_relevant_gives(shared_data: Path) -> None:
    folder = shared_data / "dl-hard-passage"
    one = Bpref(rel=2)
    ev = rm.evaluate(folder / "dl_hard-passage.qrels", folder / "bm25.run", one)
    low, high = ev.bounds[str(one)]
    qrels: dict[str, dict[str, float]] = {}
    for line in (folder / "dl_hard-passage.qrels").read_text().splitlines():
        query_id, _, doc_id, label = line.split()
        qrels.setdefault(query_id, {})[doc_id] = float(label)
    for line in (folder / "bm25.run").read_text().splitlines():
        query_id, _, doc_id = line.split()[:3]
        if query_id in qrels:
            qrels[query_id].setdefault(doc_id, 0.0)
    all_judged = rm.evaluate(qrels, folder / "bm25.run", one)[str(one)]
    assert low <= all_judged < 0.15 < high


@examples(20)
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


def test_a_measure_of_ones_own_has_bounds_even_where_it_is_no_number() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"x": 0.9, "a": 0.8}}

    def first(labels: Any) -> float:
        return float(labels[0])  # NaN where nobody judged it

    ev = rm.evaluate(qrels, run, [first, lambda labels: float((labels >= 1).sum())])
    unknown, counted = ev.bounds.values()
    assert all(map(math.isnan, unknown))
    assert counted == (1.0, 2.0)
