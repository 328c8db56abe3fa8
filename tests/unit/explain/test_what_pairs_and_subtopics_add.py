"""What each document adds to measures over pairs, depths and subtopics, worked by hand."""

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.alignment import Alignment
from rankmark.results.explanations.contributions import place_in_query

LABELS = [0, 1, None, 3, -1, 0, 2]
MISSED = [0, 2]
DIVERSE: list[Any] = [{"1": 1}, None, {"1": 1, "2": 1}, {"2": 2}]


def added(name: str) -> list[float]:
    """List what documents add to LABELS, and then what those do that were not retrieved."""
    told = rm.measure(name).explain(LABELS, missed=MISSED)
    return [row["contribution"] for row in told.rows]


@pytest.mark.parametrize(
    ("name", "over", "shares"),
    [
        ("AUC", 16, [0, 3, 0, 2, 0, 0, 0]),
        ("RankingLoss", 16, [0, 1, 0, 2, 0, 0, 4, 4]),
        ("RankingLoss@4", 8, [0, 1, 0, 2, 2, 2]),  # the document at rank 7 loses to both others
        ("CoverageError", 1, [0, 2, 0, 2, 0, 0, 3, 1]),
        ("MeanRank", 4, [0, 2, 0, 4, 0, 0, 7, 8]),
        ("OPA", 23, [1, 3, 0, 5, 0, 0, 1]),
        ("Prefs", 24, [1, 3, 0, 5, 0, 0, 1]),
        ("NumPrefs", 1, [1, 4, 0, 7, 0, 1, 5, 5, 1]),
        ('NumPrefs(counted="implied")', 1, [1, 4, 0, 7, 0, 1, 5, 4, 1]),
        ('NumPrefs(counted="retrieved")', 1, [1, 3, 0, 5, 0, 1, 4]),
    ],
)
def test_a_document_adds_its_pairs_or_its_step_down(
    name: str, over: float, shares: list[float]
) -> None:
    assert [share * over for share in added(name)] == pytest.approx(shares)


def test_what_a_tie_decides_is_added_by_the_tied_document() -> None:
    tied = {"tie_first": np.array([1, 1, 3]), "tie_last": np.array([2, 2, 3])}
    a = Alignment(
        queries=["1"],
        starts=np.array([0, 3]),
        rank=np.array([1, 2, 3], dtype=np.int32),
        label=np.array([1.0, 0.0, 1.0]),
        retrieved=np.array([3]),
        ideal_starts=np.array([0, 3]),
        ideal_label=np.array([1.0, 1.0, 0.0]),
        **{key: ranks.astype(np.int32) for key, ranks in tied.items()},
    )
    terms = [rm.measure(name).contributions(a) for name in ("AUC", "RankingLoss", "CoverageError")]
    assert [None if told is None else told.ranked.tolist() for told in terms] == [
        [0.5, 0, 0],
        [1, 0, 1],
        [2, 0, 1],
    ]


def test_without_another_document_nothing_decides_and_a_rest_says_so() -> None:
    won, lost = rm.AUC.explain([1, 1]), rm.RankingLoss.explain([], missed=[1])
    assert (won.value, won.rows[-1]["note"]) == (1, "nothing else was retrieved")
    assert (lost.value, lost.rows[-1]["note"]) == (1, "nothing was retrieved")


def test_compatibility_names_the_ideal_rank_and_where_both_rankings_meet() -> None:
    rows = rm.Compat.explain(LABELS, missed=MISSED).rows
    assert [row["ideal_rank"] for row in rows] == [None, 4, None, 1, None, None, 2]
    assert [row["both_have_it_at"] for row in rows] == [None, 4, None, 4, None, None, 7]


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("StRecall", "StRecall = (1 + 1) / 2 = 2 / 2 = 1"),
        ("P_IA@3", "P_IA@3 = (1 + 2) / (3 * 2) = 3 / 6 = 0.5"),
        ("AP_IA", "AP_IA = (0.5/1 + 1.5/3 + 1/4) / 2 = 1.25 / 2 = 0.625"),
        ("ERR_IA@2", "ERR_IA@2 = 1/1 / (2 * 1.25) = 1 / 2.5 = 0.4"),
        ("nERR_IA@2", "nERR_IA@2 = 1/1 / (2/1 + 0.5/2) = 1 / 2.25 = 0.444444"),
        ("alpha_nDCG@1", "alpha_nDCG@1 = 1/log2(2) / (2/log2(2)) = 1 / 2 = 0.5"),
        ("NRBP", "NRBP = (1 - (1 - 0.5) * 0.5) / 2 * (1 * 0.5^0 + 1.5 * 0.5^2 + 0.5 * 0.5^3)"),
    ],
)
def test_the_formula_over_subtopics_writes_gains_over_what_the_rank_costs(
    name: str, formula: str
) -> None:
    assert rm.measure(name).explain(DIVERSE).formula.startswith(formula)


@pytest.mark.parametrize(
    ("name", "best"),
    [("StRecall", [2]), ("P_IA", [2, 1, 1]), ("alpha_nDCG", [2, 1, 1]), ("AP_IA", [])],
)
def test_the_best_ranking_over_subtopics_is_greedy(name: str, best: list[int]) -> None:
    ideal = rm.measure(name).explain(DIVERSE).ideal
    assert [row["relevant_to"] for row in ideal] == best


def test_judged_documents_are_preferred_by_label_in_the_best_ranking() -> None:
    assert [row["label"] for row in rm.OPA.explain(LABELS, missed=MISSED).ideal] == [3, 2, 2, 1]
    assert rm.NumPrefs.explain(LABELS, missed=MISSED).ideal == []


def test_places_are_counted_within_each_query() -> None:
    assert place_in_query(np.array([0, 0, 2, 2, 2, 5])).tolist() == [1, 2, 1, 2, 3, 1]


def test_a_document_is_relevant_if_it_is_to_some_subtopic() -> None:
    ranked: list[Any] = [{"1": 1, "2": 0}, {"1": 0}, None, {}, {"1": 1, "2": 2}]
    missed: list[Any] = [{"2": 0}, {"2": 1}]
    counts = rm.measure("StRecall").explain(ranked, missed=missed).counts
    assert counts == {"tp": 2, "fp": 3, "fn": 1, "tn": 1}
    assert rm.StRecall(rel=2).explain(ranked, missed=missed).counts["tp"] == 1
