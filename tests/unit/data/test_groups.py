"""Flat labels and scores are told apart by groups: sizes, or a query id for each row."""

from typing import Any

import numpy as np
import pytest

import rankmark as rm

LABELS = np.array([1.0, 0.0, 2.0, 0.0, 1.0])
SCORES = np.array([0.3, 0.9, 0.7, 1.0, 2.0])
MEASURES = ["nDCG", "RR", "NumRet"]
QRELS = {"0": {"0": 1, "1": 0, "2": 2}, "1": {"0": 0, "1": 1}}
RUN = {"0": {"0": 0.3, "1": 0.9, "2": 0.7}, "1": {"0": 1.0, "1": 2.0}}
WANTED = rm.evaluate(QRELS, RUN, MEASURES).scores.tolist()


def scored(qrels: Any, run: Any, **options: Any) -> Any:
    return rm.evaluate(qrels, run, MEASURES, **options).scores.tolist()


@pytest.mark.parametrize(
    "groups",
    [
        [3, 2],
        np.array([3, 2], dtype=np.uint8),
        (3, 2),
        [7, 7, 7, 2, 2],
        ["b", "b", "b", "a", "a"],
        [7.0, 7.0, 7.0, 2.0, 2.0],
        np.array([7, 7, 7, "x", "x"], dtype=object),
    ],
    ids=str,
)
def test_groups_are_sizes_or_an_id_for_each_row(groups: Any) -> None:
    assert scored(LABELS, SCORES, groups=groups) == WANTED
    ev = rm.evaluate(LABELS, SCORES, MEASURES, groups=groups)
    assert ev.settings["run"] == {"form": "flat array", "holds": "scores", "rows": 5, "groups": 2}


def test_queries_are_called_by_their_ids_or_numbered() -> None:
    assert rm.Qrels(LABELS, groups=[3, 2]).query_ids == ("0", "1")
    assert rm.Qrels(LABELS, groups=[7, 7, 7, 2, 2]).query_ids == ("7", "2")
    assert rm.Qrels(LABELS, groups=np.array([7.0, 7.0, 7.0, 2.0, 2.0])).query_ids == ("7", "2")


def test_rows_of_a_query_need_not_stand_together() -> None:
    scattered = [3, 0, 4, 1, 2]
    groups = np.array(["b", "b", "b", "a", "a"])[scattered]
    ev = rm.evaluate(LABELS[scattered], SCORES[scattered], MEASURES, groups=groups)
    assert ev.queries == ("a", "b")
    assert ev.scores.tolist() == WANTED[::-1]
    prepared = rm.Qrels(LABELS[scattered], groups=groups)
    assert scored(prepared, SCORES[scattered]) == WANTED[::-1]


def test_scores_without_groups_take_those_of_the_judgments() -> None:
    qrels = rm.Qrels(LABELS, groups=[3, 2])
    ev = rm.evaluate(qrels, SCORES, MEASURES)
    assert ev.scores.tolist() == WANTED
    assert ev.settings["run"] == {"form": "flat array", "holds": "scores", "rows": 5}
    for other in (SCORES[:4], np.append(SCORES, 1.0)):
        with pytest.raises(
            rm.SchemaError,
            match=f"{len(other)} scores in one dimension need groups=, sizes",
        ):
            rm.evaluate(qrels, other)
    with pytest.raises(rm.SchemaError, match="5 scores in one dimension need groups=, sizes"):
        rm.evaluate(QRELS, SCORES)


def test_places_in_groups_meet_ids_that_are_numbers() -> None:
    assert scored(rm.Qrels(LABELS, groups=[3, 2]), RUN) == WANTED
    assert scored(QRELS, rm.Run(SCORES, groups=[3, 2])) == WANTED
    named = rm.Run(SCORES, groups=["0", "0", "0", "1", "1"])
    assert scored(QRELS, named) == WANTED


def test_a_group_of_no_rows_is_a_query_without_documents() -> None:
    ev = rm.evaluate(LABELS, SCORES, "RR", groups=[3, 0, 2])
    assert ev.per_query("RR") == {"0": 0.5, "1": 0.0, "2": 1.0}
    qrels = rm.Qrels(LABELS, groups=[3, 0, 2])
    assert rm.evaluate(qrels, {"0": ["0"]}, "RR").per_query("RR") == {"0": 1.0, "1": 0.0, "2": 0.0}


def test_whole_numbers_that_may_be_sizes_or_ids_are_not_guessed() -> None:
    for groups in ([1, 1, 1, 1, 1], [0, 0, 1, 2, 2]):
        with pytest.raises(rm.SchemaError, match="may be sizes or a query id for each row; give"):
            rm.Qrels(LABELS, groups=groups)
        assert len(rm.Qrels(LABELS, groups=list(map(str, groups))).query_ids) == len(set(groups))


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ([3, 3], "groups holds 2 entries that sum to 6; need sizes that sum to 5, or 5 query ids"),
        ([6, -1], "groups holds 2 entries that sum to 5; need sizes"),
        (["a", "b"], "groups holds 2 entries; need sizes that sum to 5, or 5 query ids"),
        ([3.0, 2.0], "groups holds 2 entries; need sizes"),
        ([1.5] * 5, r"groups: row 0 \(from 0\) is 1\.5; ids are text or whole numbers"),
        (
            [1.0, 1.0, np.nan, 2.0, 2.0],
            r"groups: row 2 \(from 0\) is nan; ids are text or whole numbers",
        ),
        (
            np.array(["a", None] * 2 + ["a"], dtype=object),
            r"groups: row 1 \(from 0\) is None; ids are text or whole numbers",
        ),
        ([True] * 5, "groups is an array of bool; ids are text or whole numbers"),
        ([[3, 2]], "groups has 2 dimensions; need one"),
    ],
    ids=str,
)
def test_groups_that_do_not_fit_are_refused(groups: Any, found: str) -> None:
    with pytest.raises(rm.SchemaError, match=found):
        rm.Qrels(LABELS, groups=groups)


def test_groups_that_differ_are_refused_with_both() -> None:
    qrels = rm.Qrels(LABELS, groups=[3, 2])
    found = r"run has 5 rows in 2 groups, the qrels have 5 .* group 0 \(from 0\) has 2 and 3"
    with pytest.raises(rm.SchemaError, match=found):
        rm.evaluate(qrels, rm.Run(SCORES, groups=[2, 3]))
    with pytest.raises(
        rm.SchemaError, match="run has 5 rows in 1 groups, the qrels have 5 rows in 2"
    ):
        rm.evaluate(qrels, rm.Run(SCORES, groups=[5]))
    named = rm.Qrels(LABELS, groups=["a", "a", "a", "b", "b"])
    with pytest.raises(rm.SchemaError, match="of other queries or in another order; give both"):
        rm.evaluate(named, rm.Run(SCORES, groups=["b", "b", "b", "a", "a"]))


def test_flat_and_dense_never_meet() -> None:
    with pytest.raises(
        rm.SchemaError, match="the run has 1 x 5 values, the qrels have 5 rows in 2"
    ):
        rm.evaluate(rm.Qrels(LABELS, groups=[3, 2]), SCORES[None, :])


def test_a_masked_flat_array_is_refused() -> None:
    with pytest.raises(
        rm.SchemaError,
        match=r"values of a flat array are masked; drop them and their groups: compressed\(\)",
    ):
        rm.Qrels(np.ma.array(LABELS, mask=[0, 0, 0, 0, 1]), groups=[3, 2])


def test_nan_in_a_flat_array_is_refused_by_its_row() -> None:
    holey = SCORES.copy()
    holey[3] = np.nan
    with pytest.raises(rm.SchemaError, match=r"run <array>: row 3 \(from 0\): the score is NaN"):
        rm.evaluate(LABELS, holey, groups=[3, 2])
    scattered = ["a", "b", "a", "b", "a"]
    with pytest.raises(rm.SchemaError, match=r"row 3 \(from 0\): the score is NaN"):
        rm.evaluate(LABELS, holey, groups=scattered)


def test_whole_numbers_with_groups_are_scores() -> None:
    ranks = np.array([1, 3, 2, 1, 2])
    assert scored(LABELS, ranks, groups=[3, 2]) == WANTED


def test_no_rows_at_all_are_no_judgments() -> None:
    with pytest.raises(rm.InputError, match="qrels hold no judgments; need one query at least"):
        rm.Qrels(np.array([]), groups=[])


def test_one_id_as_number_and_as_text_is_one_group() -> None:
    groups = np.array([7, "7", "x", "x", 7.0], dtype=object)
    assert rm.Qrels(LABELS, groups=groups).query_ids == ("7", "x")


def test_of_a_single_row_a_size_and_an_id_are_the_same_query() -> None:
    assert rm.evaluate(np.array([1]), np.array([0.5]), "RR", groups=[1])["RR"] == 1.0
    acc = rm.Accumulator("RR")
    acc.update(np.array([1]), np.array([0.5]), groups=np.array([1]))
    assert acc.result()["RR"] == 1.0
