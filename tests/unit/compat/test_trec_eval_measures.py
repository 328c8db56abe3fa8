"""What binds trec_eval's odder measures to the plain ones, and what they refuse."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark import AP, Bpref, G, IPrec, Judged, R, Rndcg, Unjudged, Utility, binG, nDCG, nDCGrel

QRELS = {"a": {"d": 1}, "b": {"d": 1}, "missing": {"d": 1}, "nothing": {"d": 0}}
RUN = {"a": {"d": 1.0}, "b": {"x": 2.0, "d": 1.0}, "nothing": {"d": 1.0}}

rankings = st.lists(st.sampled_from([None, -1.0, 0.0, 1.0, 2.0, 3.0]), max_size=12)
missing = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=5)


@pytest.mark.parametrize("name", ["gm_map", "gm_bpref(norm=relevant)"])
def test_a_geometric_mean_counts_what_is_least_as_the_floor(name: str) -> None:
    values = {"gm_map": [1, 0.5, 1e-5, 1e-5]}.get(name, [1, 1, 1e-5, 1e-5])
    ev = rm.evaluate(QRELS, RUN, [name])
    assert ev[name] == pytest.approx(math.prod(values) ** 0.25)
    assert ev.per_query(name)["missing"] == 0
    assert f"{ev[name]:.4f}" in str(ev)


def test_a_geometric_mean_keeps_to_the_policy_for_nothing_relevant() -> None:
    ev = rm.evaluate(QRELS, RUN, ["gm_map", "AP"], no_relevant="skip")
    assert ev["gm_map"] == pytest.approx((0.5 * 1e-5) ** (1 / 3))
    assert ev["AP"] == 0.5
    ev = rm.evaluate(QRELS, RUN, ["gm_map", "AP"], no_relevant="one")
    assert ev["gm_map"] == pytest.approx((0.5 * 1e-5) ** (1 / 4))
    ev = rm.evaluate(QRELS, RUN, ["gm_map", "NumQ"], no_relevant="nan")
    assert math.isnan(ev["gm_map"])
    assert ev["NumQ"] == 4
    ev = rm.evaluate({"q": {"d": 0}}, {"q": {"d": 1.0}}, ["gm_map"], no_relevant="skip")
    assert math.isnan(ev["gm_map"])


def test_a_geometric_mean_leaves_the_scores_of_queries_alone() -> None:
    ev = rm.evaluate(QRELS, RUN, ["gm_map", "AP"])
    assert ev.scores[:, 0].tolist() == ev.scores[:, 1].tolist() == [1, 0.5, 0, 0]
    assert ev["gm_map"] < ev["AP"]


@given(ranking=rankings, missed=missing)
def test_set_precision_makes_ap_of_precision_and_recall(
    ranking: list[float | None], missed: list[float]
) -> None:
    product = rm.P(ranking) * R(ranking, missed=missed)
    assert AP(precision="set")(ranking, missed=missed) == pytest.approx(product, abs=1e-12)


@given(ranking=rankings, missed=missing)
def test_g_of_gains_zero_and_one_is_bing(ranking: list[float | None], missed: list[float]) -> None:
    of_gains = G(gain={1: 1, 2: 1, 3: 1})(ranking, missed=missed)
    assert of_gains == pytest.approx(binG(ranking, missed=missed), abs=1e-12)


@given(ranking=rankings, missed=missing)
def test_of_one_grade_rndcg_is_ndcg_at_r_and_at_the_end(
    ranking: list[float | None], missed: list[float]
) -> None:
    same = {1: 1, 2: 1, 3: 1}
    relevant = int(rm.NumRel(ranking, missed=missed))
    points = ([relevant] if relevant else []) + ([None] if len(ranking) > relevant > 0 else [])
    values = [nDCG(gain=same, k=k)(ranking, missed=missed) for k in points]
    mean = sum(values) / len(values) if values else 0
    assert Rndcg(gain=same)(ranking, missed=missed) == pytest.approx(mean, abs=1e-12)


@given(ranking=rankings, missed=missing)
def test_yaap_rises_and_falls_with_ap(ranking: list[float | None], missed: list[float]) -> None:
    relevant = rm.NumRel(ranking, missed=missed)
    earned = relevant * AP(ranking, missed=missed)
    odds = (1 + earned) / (1 + relevant - earned)
    assert math.exp(rm.yaAP(ranking, missed=missed)) == pytest.approx(odds)


@given(
    ranking=st.lists(st.sampled_from([None, 0.0, 1.0]), max_size=9),
    k=st.none() | st.integers(1, 12),
)
def test_judged_and_unjudged_are_the_whole(ranking: list[float | None], k: int | None) -> None:
    unjudged = Unjudged(norm="retrieved", k=k)(ranking)
    assert unjudged + Judged(k=k)(ranking) == pytest.approx(1 if ranking else 0)


@given(ranking=rankings, missed=missing)
def test_the_eleven_point_average_is_the_mean_of_its_points(
    ranking: list[float | None], missed: list[float]
) -> None:
    points = [(IPrec @ (tenths / 10))(ranking, missed=missed) for tenths in range(11)]
    assert IPrec(ranking, missed=missed) == pytest.approx(sum(points) / 11)
    assert points == sorted(points, reverse=True)


def test_a_perfect_ranking_is_perfect_to_all_that_see_grades() -> None:
    for measure in (G, Rndcg, nDCGrel):
        assert measure([3, 3, 2, 1, 0, None]) == 1
        assert measure([3, 2, 3, 1, 0, None]) < 1


def test_bpref_of_the_paper_is_kinder_where_few_are_judged_non_relevant() -> None:
    labels = [0, 1, 1, 1]
    assert Bpref(labels) == 0
    assert Bpref(norm="relevant")(labels) == pytest.approx(2 / 3)


def test_a_rest_without_a_collection_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match=r"Utility\(rest=1\): .* give collection"):
        Utility(rest=1)([1, 0])
    with pytest.raises(rm.MeasureError, match="2 documents are retrieved or relevant"):
        Utility(rest=1, collection=1)([1, 0])
    assert Utility(rest=1, collection=2)([1, 0]) == 0


@pytest.mark.parametrize(
    ("one", "parameters", "said"),
    [
        (IPrec, {"recall": 1.5}, "recall is 1.5; need a number from 0 to 1, or a list of several"),
        (IPrec, {"recall": "0.5"}, "need a number from 0 to 1"),
        (IPrec, {"recall": []}, "need a number from 0 to 1"),
        (IPrec, {"recall": [0.5, 0.5]}, "need a number from 0 to 1"),
        (IPrec, {"recall": [0.5, "1"]}, "need a number from 0 to 1"),
        (IPrec, {"recall": None}, "need a number from 0 to 1"),
        (IPrec, {"rounding": "up"}, 'need one of "half", "tenth"'),
        (IPrec, {"k": 5}, "IPrec has no cutoff; it takes recall, rel, rounding"),
        (AP, {"aggregate": "median"}, 'need one of "mean", "gmean"'),
        (AP, {"precision": "mean"}, 'need one of "rank", "set"'),
        (Bpref, {"judged": math.nan}, "need a finite number"),
        (nDCG, {"aggregate": "gmean"}, "nDCG has no parameter 'aggregate'"),
        (Utility, {"collection": 0}, "need a whole number from 1"),
    ],
)
def test_a_wrong_parameter_of_these_is_told_with_what_is_allowed(
    one: Any, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        one(**parameters)
    assert said in str(caught.value)


def test_what_at_sets_is_the_recall_of_iprec() -> None:
    assert IPrec @ 0.1 == IPrec(recall=0.1) == rm.measure("IPrec@0.1")
    assert str(IPrec @ 0.1) == "IPrec(recall=0.1)"
    assert str(IPrec(recall=[1, 0.25])) == "IPrec(recall=[0.25, 1])"
    with pytest.raises(rm.MeasureError, match="recall is 10; need a number from 0 to 1"):
        IPrec @ 10
