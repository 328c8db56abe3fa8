"""``evaluate_lists``: numbers that all lists of a run have together."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.measures.of_runs import ALL, ITEM_COVERAGE
from rankmark.measures.of_runs.run_measure import RunLists

LISTS = {
    "u1": ["c", "d", "e"],
    "u2": ["b", "d", "e"],
    "u3": ["d", "c", "e"],
    "u4": ["b", "c", "e"],
    "u5": ["a", "d", "e"],
}
ROWS = [(user, item, 3 - at) for user, items in LISTS.items() for at, item in enumerate(items)]


def run_file(folder: Path) -> Path:
    path = folder / "run.txt"
    path.write_text("".join(f"{u} Q0 {i} {4 - s} {s} r\n" for u, i, s in ROWS), encoding="utf-8")
    return path


def forms(folder: Path) -> dict[str, Any]:
    """Give the lists in several forms."""
    columns = ("query_id", "doc_id", "score")
    return {
        "lists": LISTS,
        "scores": {u: {i: s for v, i, s in ROWS if v == u} for u in LISTS},
        "frame": pd.DataFrame(ROWS, columns=columns),
        "shuffled frame": pd.DataFrame(ROWS, columns=columns).sample(frac=1, random_state=1),
        "file": run_file(folder),
        "prepared": rm.Run(LISTS),
    }


@pytest.mark.parametrize("form", ["lists", "scores", "frame", "shuffled frame", "file", "prepared"])
def test_every_form_has_the_coverage_of_the_reference(form: str, tmp_path: Path) -> None:
    found = rm.evaluate_lists(
        forms(tmp_path)[form], ["ItemCoverage@2", "ItemCoverage@3"], catalogue="abcde"
    )
    assert dict(found) == {"ItemCoverage@2": 0.8, "ItemCoverage@3": 1.0}


def test_items_outside_the_catalogue_are_counted_and_count_nowhere() -> None:
    found = rm.evaluate_lists(LISTS, "ItemCoverage@3", catalogue=["a", "b", "z"])
    assert found["ItemCoverage@3"] == 2 / 3
    assert (found.audit.outside, found.audit.catalogue) == (3, 3)
    assert "3 items of the lists not in it" in str(found)


def test_the_catalogue_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_text("a\nb\nc\nd\ne\n")
    assert rm.evaluate_lists(LISTS, "ItemCoverage@2", catalogue=path)["ItemCoverage@2"] == 0.8


def test_ids_may_be_whole_numbers() -> None:
    found = rm.evaluate_lists({1: [7, 8], 2: [8, 9]}, "ItemCoverage", catalogue=range(7, 11))
    assert found["ItemCoverage"] == 0.75


def test_ties_are_broken_as_evaluate_breaks_them() -> None:
    tied = {"u": {"a": 1.0, "b": 1.0}, "v": {"a": 1.0}}
    last = rm.evaluate_lists(tied, "ItemCoverage@1", catalogue="ab")
    first = rm.evaluate_lists(tied, "ItemCoverage@1", catalogue="ab", ties="docid-asc")
    assert (last["ItemCoverage@1"], first["ItemCoverage@1"]) == (1.0, 0.5)


@given(
    lists=st.lists(st.lists(st.integers(0, 8), unique=True, max_size=6), min_size=1, max_size=8),
    k=st.none() | st.integers(1, 7),
)
def test_leaving_a_list_out_is_the_coverage_of_the_others(
    lists: list[list[int]], k: int | None
) -> None:
    def plain(some: list[list[int]]) -> float:
        return len({item for one in some for item in one[:k] if item < 6}) / 6

    starts = np.concatenate([[0], np.cumsum([*map(len, lists)])]).astype(np.int64)
    items = np.array([item for one in lists for item in one], dtype=np.int64)
    found = ITEM_COVERAGE(k=k).of(RunLists(starts, items, 6))
    assert found.value == plain(lists)
    others = [plain(lists[:at] + lists[at + 1 :]) for at in range(len(lists))]
    assert found.without.tolist() == others


def test_the_interval_is_the_jackknife_by_hand() -> None:
    row = rm.evaluate_lists(LISTS, "ItemCoverage@2", catalogue="abcde").row("ItemCoverage@2")
    without = np.array([0.8, 0.8, 0.8, 0.8, 0.6])  # a is in the list of u5 only
    error = math.sqrt(4 / 5 * ((without - without.mean()) ** 2).sum())
    assert row.low == pytest.approx(0.8 - 2.7764451051977987 * error, abs=1e-12)
    assert row.high == 1.0  # no coverage is higher


def test_there_is_no_interval_where_no_list_matters() -> None:
    found = rm.evaluate_lists({"u": ["a"], "v": ["a"]}, "ItemCoverage", catalogue="ab")
    assert math.isnan(found.row("ItemCoverage").low)
    assert "the same whichever list is left out" in str(found)
    assert "only one list" in str(rm.evaluate_lists({"u": ["a"]}, catalogue="ab"))


def test_json_has_what_is_shown() -> None:
    found = json.loads(rm.evaluate_lists(LISTS, "ItemCoverage@2", catalogue="abcde").to_json())
    assert found["audit"] == {
        "lists": 5,
        "catalogue": 5,
        "outside": 0,
        "outside_examples": [],
    }
    assert found["rows"][0]["value"] == 0.8


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"catalogue": ""}, rm.InputError, "the catalogue is empty"),
        ({"catalogue": 5}, rm.InputError, "need a list of ids"),
        ({"catalogue": np.array(5)}, rm.InputError, "need a list of ids"),
        ({"catalogue": {"a": 1}}, rm.InputError, "need a list of ids"),
        ({"catalogue": ["x"]}, rm.InputError, "are the ids of one kind"),
        ({"measures": "nDCG@10"}, rm.MeasureError, "choose from ItemCoverage"),
        ({"measures": "ItemCoverage@0"}, rm.MeasureError, "need a whole number from 1"),
        ({"measures": []}, rm.MeasureError, "no measure was requested"),
        ({"ties": "mean"}, rm.InputError, "need one of docid, docid-asc, input, rank"),
        ({"confidence": 1.0}, rm.InputError, "above 0 and below 1"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    more: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        rm.evaluate_lists(LISTS, **{"catalogue": "abcde", **more})


def test_evaluate_says_where_coverage_is_measured() -> None:
    with pytest.raises(rm.MeasureError, match="is ItemCoverage of"):
        rm.evaluate({"u1": {"c": 1}}, LISTS, "ItemCoverage@10")


def test_measures_are_listed_and_written_as_they_are_named() -> None:
    assert [str(one @ 5) for one in ALL] == ["ItemCoverage@5"]
