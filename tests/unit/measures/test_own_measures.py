"""Measures of one's own come out as all others do."""

import functools
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import Own
from rankmark.errors import MeasureError

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "d": 3}, "q2": {"x": 1}, "q3": {"y": 1}}
RUN = {"q1": {"b": 4.0, "z": 3.0, "a": 2.0, "c": 1.0}, "q2": {"w": 2.0, "x": 1.0}}


def total(labels: np.ndarray) -> float:
    """Add up what is judged."""
    return float(np.nansum(labels))


def missed_share(labels: np.ndarray, missed: np.ndarray) -> float:
    """Say which share of the judged labels was missed."""
    judged = np.nansum(labels) + missed.sum()
    return float(missed.sum() / judged) if judged else 0.0


TOTAL = Own("total", labels=total)


def test_a_function_sees_labels_in_rank_order_with_the_unjudged_as_nan() -> None:
    seen = {}

    def note(labels: np.ndarray) -> float:
        seen[len(labels)] = labels.tolist()
        return 0.0

    rm.evaluate(QRELS, RUN, Own("note", labels=note))
    assert seen[0] == []  # q3 was not answered
    assert seen[4][0] == 1
    assert math.isnan(seen[4][1])
    assert seen[4][2:] == [2, 0]


def test_a_function_with_a_second_place_sees_what_was_missed() -> None:
    found = rm.evaluate(QRELS, RUN, Own("missed", labels=missed_share))
    assert found.per_query("missed") == {"q1": 0.5, "q2": 0.0, "q3": 1.0}


def test_a_cutoff_hides_labels_and_misses_nothing_more() -> None:
    found = rm.evaluate(QRELS, RUN, [TOTAL @ 1, TOTAL @ 3, Own("missed", labels=missed_share) @ 1])
    assert list(map(str, found.measures)) == ["total@1", "total@3", "missed@1"]
    assert found.per_query("total@3")["q1"] == 3
    assert found.per_query("missed@1")["q1"] == 3 / 4


def test_a_formula_gives_what_the_same_built_in_measure_gives() -> None:
    own = Own("my precision", formula=lambda a: a.found(1.0, 5) / 5)
    found = rm.evaluate(QRELS, RUN, [own, "P@5"])
    assert found.scores[:, 0].tolist() == found.scores[:, 1].tolist()


def test_an_own_measure_stands_beside_the_others_everywhere() -> None:
    found = rm.evaluate(QRELS, RUN, ["nDCG@10", TOTAL])
    assert found["total"] == found[TOTAL] == pytest.approx(4 / 3)
    assert json.loads(found.to_json())["scores"]["total"] == found["total"]
    assert found.to_polars().columns == ["query_id", "nDCG@10", "total"]
    assert "total" in str(found)


def test_an_own_measure_is_called_on_one_ranking() -> None:
    assert TOTAL([1, None, 2]) == 3
    assert Own("missed", labels=missed_share)([1], missed=[3]) == 0.75
    assert TOTAL(ranking=["a", "b"], relevant={"b": 2}) == 2


@pytest.mark.parametrize(("ties", "wanted"), [("mean", 1.5), ("best", 2.0), ("worst", 1.0)])
def test_ties_are_tried_in_all_orders(ties: Any, wanted: float) -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "b": 1.0}}
    assert rm.evaluate(qrels, run, TOTAL @ 1, ties=ties)["total@1"] == wanted


def test_equal_ones_are_one_and_can_be_pickled() -> None:
    assert Own("total", labels=total) == TOTAL
    assert hash(Own("total", labels=total)) == hash(TOTAL)
    assert Own("total", labels=missed_share) != TOTAL
    assert pickle.loads(pickle.dumps(TOTAL @ 2)) == TOTAL @ 2
    assert str(TOTAL @ 2) == "total@2"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Own("AP", labels=total), "'AP' is already a measure, AP; choose another name"),
        (lambda: Own("map_cut_10", labels=total), "is already a measure"),
        (lambda: Own("", labels=total), "a measure's name is ''"),
        (lambda: Own("x"), "x: there is no function; give one as labels= or as formula="),
        (lambda: Own("x", labels=total, formula=total), "x: there is no function; give one as"),
        (lambda: Own("x", labels=3), "x: there is no function; give one as labels= or as formula="),
        (lambda: Own("x", labels=total, k="ten"), "x: k is 'ten'; need a whole number from 1"),
        (lambda: Own("P@5,10", labels=total), "'P@5,10' is already a measure, P@5, P@10"),
        (lambda: TOTAL @ 0, "total: k is 0; need a whole number from 1"),
        (lambda: Own("x", formula=total) @ 5, r"use a.within\(5\) in it"),
        (lambda: TOTAL(rel=2), "takes no parameters; give only a cutoff"),
    ],
)
def test_what_is_no_measure_is_refused(make: Any, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        make()


def test_what_gives_no_numbers_is_told() -> None:
    with pytest.raises(MeasureError, match="words: the function returned 'many' for query 'q1'"):
        rm.evaluate(QRELS, RUN, Own("words", labels=lambda _: "many"))
    with pytest.raises(
        MeasureError,
        match=r"flat: the formula returned shape \(\) for 3 queries; need a number for each",
    ):
        rm.evaluate(QRELS, RUN, Own("flat", formula=lambda _: 1.0))


def test_a_name_that_was_not_evaluated_is_refused() -> None:
    with pytest.raises(MeasureError):
        rm.evaluate(QRELS, RUN, TOTAL)["totals"]


def test_a_plain_function_of_labels_is_a_measure_called_as_the_function_is() -> None:
    found = rm.evaluate(QRELS, RUN, [total, missed_share, "AP"])
    assert found.names == ["total", "missed_share", "AP"]
    own = rm.evaluate(QRELS, RUN, [TOTAL, Own("missed", labels=missed_share), "AP"])
    assert found.scores.tolist() == own.scores.tolist()
    assert found[total] == found["total"] == rm.evaluate(QRELS, RUN, total)["total"]
    assert rm.measure(total) == TOTAL
    assert rm.evaluate(QRELS, RUN, lambda labels: float(len(labels))).names == ["lambda"]
    assert rm.explain(QRELS, RUN, "q1", total).value == 3  # type: ignore[arg-type]
    assert rm.check(QRELS, RUN, measures=total).measures == ("total",)


def test_a_function_of_labels_and_scores_is_not_taken_for_one() -> None:
    def ndcg(y_true: np.ndarray, y_score: np.ndarray) -> float:
        return float(y_true @ y_score)

    with pytest.raises(
        MeasureError,
        match="ndcg needs y_score, and a measure is called with the labels of one query in rank",
    ):
        rm.evaluate(QRELS, RUN, ndcg)
    # Whoever says so means it.
    assert rm.evaluate(QRELS, RUN, Own("dot", labels=lambda y, m: len(y) + len(m))).names == ["dot"]


def test_a_function_with_the_name_of_a_measure_is_told_another() -> None:
    def ap(labels: np.ndarray) -> float:
        return float(len(labels))

    with pytest.raises(MeasureError, match=r"'ap' is already a measure, AP.*\"my ap\""):
        rm.evaluate(QRELS, RUN, ap)


def test_an_error_in_a_function_comes_through_and_names_the_query() -> None:
    def share(labels: np.ndarray) -> float:
        return 1 / (len(labels) - 2)

    with pytest.raises(ZeroDivisionError) as caught:
        rm.evaluate(QRELS, RUN, [share, "AP"])
    assert caught.value.__notes__ == ["rankmark called share for query 'q2'"]


def test_a_measure_passes_where_functions_are_asked_for_their_name() -> None:
    one = rm.nDCG(gain="exp2") @ 10

    @functools.wraps(one)
    def wrapped() -> None: ...

    assert one.__name__ == wrapped.__name__ == str(one)
    assert type(one).__name__ == "NormalizedDiscountedCumulativeGain"
    assert callable(one)
    assert TOTAL.__name__ == "total"


@pytest.mark.parametrize(
    "call",
    [
        lambda one: one([0, 1, 1], [0.1, 0.9, 0.5]),
        lambda one: one(np.array([[0, 1]]), np.array([[0.2, 0.1]])),
        lambda one: one(["a", "b"], {"b"}),
        lambda one: one([0, 1], [1, 0], 10),
        lambda one: one(y_true=[0, 1], y_score=[0.2, 0.1]),
        lambda one: one([0, 1], scores=[0.2, 0.1]),
    ],
)
def test_a_measure_called_with_labels_and_scores_says_what_to_write(call: Any) -> None:
    for one in (rm.nDCG, rm.RR(rel=2) @ 10, TOTAL):
        with pytest.raises(MeasureError, match="ranking=ids and relevant=ids") as caught:
            call(one)
        assert f"rankmark.evaluate(labels, scores, {str(one)!r})" in str(caught.value)


@pytest.mark.parametrize("wrong", ["many", None, [1, 2], {}])
def test_a_formula_that_gives_no_numbers_is_told(wrong: Any) -> None:
    with pytest.raises(MeasureError, match="made: the formula returned"):
        rm.evaluate(QRELS, RUN, Own("made", formula=lambda _: wrong))


@pytest.mark.parametrize("function", ["labels", "formula"])
def test_an_own_measure_is_shown_in_notebooks_and_lists(function: str) -> None:
    own = Own("mine", **{function: lambda _: 1.0})
    assert own.formula == "your own"
    assert "mine = your own" in own._repr_html_()
    listed = type(rm.measures())([own])
    assert listed.to_dict()["rows"][0]["formula"] == "your own"
