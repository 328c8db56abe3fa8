"""Two leaderboards compared: systems in order, and those that change places."""

import json
from typing import Any

import pytest

import rankmark as rm
from rankmark.errors import DuplicateError, InputError, MeasureError, MismatchError
from rankmark.similarity import kendall_tau, p_value, tau_ap

A = {"bm25": 0.31, "dense": 0.42, "hybrid": 0.45, "random": 0.02}
B = {"random": 0.02, "bm25": 0.52, "dense": 0.61, "hybrid": 0.57}
QRELS = {"q1": {"x": 2, "y": 1}, "q2": {"z": 1}}


def evaluations() -> dict[str, rm.Evaluation]:
    """Evaluate three systems by two measures that do not agree."""
    runs = {
        "broad": {"q1": ["y", "x"], "q2": ["z"]},
        "exact": {"q1": ["x", "w", "y"], "q2": ["w", "z"]},
        "empty": {"q1": ["w"], "q2": ["v"]},
    }
    with pytest.warns(rm.RankmarkWarning):
        return {name: rm.evaluate(QRELS, run, ["RR(rel=2)", "R@2"]) for name, run in runs.items()}


def test_systems_stand_in_the_order_of_the_first_leaderboard() -> None:
    found = rm.compare_leaderboards(A, B)
    assert [(one.name, one.rank_a, one.rank_b) for one in found.systems] == [
        ("hybrid", 1, 2),
        ("dense", 2, 1),
        ("bm25", 3, 3),
        ("random", 4, 4),
    ]
    assert found["tau"] == kendall_tau(A, B)
    assert found["tauAP"] == tau_ap(A, B)


def test_pairs_that_change_places_are_listed_with_both_differences() -> None:
    (swap,) = rm.compare_leaderboards(A, B).swaps
    assert (swap.rises, swap.falls) == ("dense", "hybrid")
    assert swap.difference_a == pytest.approx(-0.03)
    assert swap.difference_b == pytest.approx(0.04)


def test_a_tie_in_one_leaderboard_is_no_swap() -> None:
    found = rm.compare_leaderboards(A, B | {"hybrid": 0.61})
    assert found.swaps == ()
    assert found.ties == 1
    assert [one.rank_b for one in found.systems] == [1, 1, 3, 4]


def test_evaluations_are_ordered_by_a_measure() -> None:
    held = evaluations()
    found = rm.compare_leaderboards(held, held, measure="RR(rel=2)", measure_b="R@2")
    assert found.ordered_by == ("RR(rel=2)", "R@2")
    assert [(one.rises, one.falls) for one in found.swaps] == [("broad", "exact")]
    assert {one.name: one.score_b for one in found.systems} == {
        name: one["R@2"] for name, one in held.items()
    }
    assert rm.compare_leaderboards(held, held).ordered_by == ("RR(rel=2)", "RR(rel=2)")


def test_evaluations_in_a_list_are_named_by_their_runs() -> None:
    with pytest.raises(DuplicateError, match="a: systems with the same name: '<mapping>'"):
        rm.compare_leaderboards(list(evaluations().values()), A)


def test_systems_of_one_leaderboard_alone_are_refused() -> None:
    with pytest.raises(MismatchError, match="only one of the two leaderboards has: 'random'"):
        rm.compare_leaderboards(A, {name: B[name] for name in B if name != "random"})


@pytest.mark.parametrize(
    ("leaderboard", "message"),
    [
        ({}, "a contains no systems"),
        ({"bm25": float("nan")}, "without a finite score cannot be ranked: 'bm25'"),
        ({"bm25": "high"}, "bm25 is 'high'; need an evaluation or a number"),
        ([0.3], "a contains 0.3; need evaluations"),
        ({"bm25": float("inf")}, "without a finite score"),
        (0.3, "a is 0.3; need several systems"),
    ],
)
def test_what_is_no_leaderboard_is_refused(leaderboard: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rm.compare_leaderboards(leaderboard, B)


def test_one_evaluation_is_no_leaderboard() -> None:
    with pytest.raises(InputError, match="need several systems: a list of evaluations"):
        rm.compare_leaderboards(evaluations()["broad"], B)  # type: ignore[arg-type]


def test_a_measure_that_was_not_evaluated_is_refused() -> None:
    held = evaluations()
    with pytest.raises(MeasureError, match="AP was not evaluated"):
        rm.compare_leaderboards(held, held, measure="AP")


def test_chance_is_that_of_the_coefficient_alone() -> None:
    found = rm.compare_leaderboards(A, B, ["tau(variant=a)"])
    assert found.p_value("tau(variant=a)") == p_value(kendall_tau, A, B, variant="a")
    with pytest.raises(MeasureError, match="tau was not compared"):
        found["tau"]


def test_a_comparison_of_leaderboards_is_written_in_full() -> None:
    found = rm.compare_leaderboards(A, B)
    written = json.loads(found.to_json())
    assert written["scores"] == {"tau": found["tau"], "tauAP": found["tauAP"]}
    assert written["swaps"][0]["rises"] == "dense"
    assert "dense rises above hybrid: behind by 0.0300 in a, ahead by 0.0400 in b" in str(found)
    assert "1 of 6 pairs change places" in found._repr_html_()
    assert repr(found) == "LeaderboardComparison(4 systems: tau=0.6667, tauAP=0.3333)"


def test_every_system_is_ordered_by_the_same_measure() -> None:
    turned = {
        "broad": rm.evaluate(QRELS, {"q1": ["y", "x"], "q2": ["z"]}, ["R@2", "RR(rel=2)"]),
        "exact": rm.evaluate(QRELS, {"q1": ["x", "w"], "q2": ["w"]}, ["RR(rel=2)", "R@2"]),
    }
    found = rm.compare_leaderboards(turned, turned)
    assert found.ordered_by == ("R@2", "R@2")
    assert {one.name: one.score_a for one in found.systems} == {
        name: one["R@2"] for name, one in turned.items()
    }


def test_evaluations_and_scores_do_not_mix() -> None:
    with pytest.raises(InputError, match="a contains evaluations and numbers"):
        rm.compare_leaderboards(evaluations() | {"random": 0.1}, A)
    with pytest.raises(InputError, match="a contains scores, so AP does not apply"):
        rm.compare_leaderboards(A, B, measure="AP")


def test_systems_whose_names_are_written_alike_are_refused() -> None:
    with pytest.raises(DuplicateError, match="systems with the same name: '1'"):
        rm.compare_leaderboards({1: 0.3, "1": 0.5}, A)  # type: ignore[dict-item]
