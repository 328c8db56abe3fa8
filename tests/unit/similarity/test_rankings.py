"""What a ranking may be given as, and what is refused, in words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.similarity import Ranking, kendall_tau, ranking


def ranks(one: Ranking) -> list[tuple[str, int, int]]:
    """Write a ranking as (item, first rank, last rank)."""
    return list(zip(one.ids, one.first.tolist(), one.last.tolist(), strict=True))


@pytest.mark.parametrize(
    "source",
    [
        ["b", "a", "c"],
        ("b", "a", "c"),
        iter(["b", "a", "c"]),
        np.array(["b", "a", "c"]),
        np.array(["b", "a", "c"], dtype=object),
        {"a": 0.5, "b": 0.9, "c": 0.1},
        {"a": 5, "b": np.float32(9), "c": -np.inf},
        pd.Series(["b", "a", "c"]).to_numpy(),
        pd.Series({"a": 2.0, "b": 3.0, "c": 1.0}).to_dict(),
        pl.Series(["b", "a", "c"]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_the_same_ranking_comes_in_many_forms(source) -> None:
    assert ranks(ranking(source)) == [("b", 1, 1), ("a", 2, 2), ("c", 3, 3)]


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        (np.array([0.5, 0.9, 0.5]), None),
        (np.array([5, 9, 5]), "scores"),
        ([0.5, 0.9, 0.5], "scores"),
        (np.array([2, 1, 2]), "ranks"),
        ([2.5, 1, 2.5], "ranks"),
        ({0: 7.0, 1: 9.0, 2: 7.0}, None),
        ({"0": 2, "1": 1, "2": 2}, "ranks"),
        ([1, {0, 2}], None),
        (["1", frozenset({"0", "2"})], "ids"),
    ],
)
def test_ties_are_kept_in_every_form(source, holds) -> None:
    assert ranks(ranking(source, contents=holds)) == [("1", 1, 1), ("0", 2, 3), ("2", 2, 3)]


def test_ids_meet_whatever_their_type() -> None:
    assert kendall_tau([1, 2, 3], ["1", "2", "3"]) == 1
    assert kendall_tau([np.int64(1), np.int32(2)], [np.str_("1"), 2]) == 1
    assert kendall_tau({1.0: 2.0, 2.0: 1.0}, [1, 2]) == 1
    assert kendall_tau(np.array([0.9, 0.1]), [0, 1]) == 1


def test_an_array_of_ids_says_so() -> None:
    assert ranking(np.array([7, 5]), contents="ids").ids == ("7", "5")


def test_a_ranking_is_taken_as_it_is() -> None:
    one = ranking(["a", {"b", "c"}])
    assert ranking(one) is one
    assert len(one) == 3
    assert repr(one) == "<Ranking of 3 items, 2 of them tied>"


def test_an_empty_ranking_is_a_ranking() -> None:
    for nothing in ([], (), {}, np.array([]), iter([])):
        assert len(ranking(nothing)) == 0


def test_what_is_given_stays_as_it_is() -> None:
    scores, listed = np.array([0.1, 0.9]), ["b", {"a"}]
    kendall_tau(scores, ranking([1, 0]))
    ranking(listed)
    assert scores.tolist() == [0.1, 0.9]
    assert listed == ["b", {"a"}]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("abc", "is 'abc'; need ids in order, {id: score} or an array of scores"),
        (b"abc", "is b'abc'; need ids in order"),
        (5, "is 5; need ids in order"),
        (None, "is None; need ids in order"),
        ({"a", "b"}, "a set has no order; need a list, or {id: score}"),
        ([0.5, 0.9], "found 0.5 in a list of ids; for scores or ranks, write ranking(list,"),
        ([True], "found True; need text or a whole number"),
        ([None], "found None; need text or a whole number"),
        ([b"a"], "found b'a'; need text or a whole number"),
        ([["a", "b"]], "found ['a', 'b']; need text or a whole number"),
        (["a", set()], "found an empty set, which is not a tie; remove it"),
        ({"a": "0.5"}, "no number for 'a'; need one for each item"),
        ({"a": 1.0, "b": float("nan"), "c": None}, "no number for 'b', 'c'; need one"),
        ({"q": {"d": 1.0}}, "no number for 'q'"),
        ({2.5: 1.0}, "found 2.5; need text or a whole number"),
        (
            np.array([2, 1]),
            'may hold ids, scores or ranks; say which: ranking(array, contents="ranks")',
        ),
        (np.array([True]), "found True; need text or a whole number"),
        (np.zeros((2, 2)), "the array has 2 dimensions; need one"),
        (np.array([0.5, np.nan]), "no number for '1'"),
        (
            pd.Series([0.5]),
            "is Series; need .to_dict(), if its index contains the ids, or .to_numpy()",
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_what_is_no_ranking_is_refused_in_words(source, message: str) -> None:
    with pytest.raises(SchemaError) as refused:
        ranking(source)
    assert message in str(refused.value)
    assert "the ranking" in str(refused.value)


@pytest.mark.parametrize(
    ("source", "named"),
    [
        (["x", "y", "x"], "'x'; keep"),
        (["a", "b", "c", "d"] * 2, "'a', 'b', 'c' and 1 more; keep"),
        ([1, "1"], "'1'; keep"),
        ({1: 0.5, "1": 0.4}, "'1'; keep"),
        (["a", {"a", "b"}], "'a'; keep"),
    ],
)
def test_items_that_stand_twice_are_named(source, named: str) -> None:
    with pytest.raises(DuplicateError) as refused:
        ranking(source)
    assert f"some items appear more than once: {named}" in str(refused.value)


def test_what_numbers_hold_is_one_of_three() -> None:
    with pytest.raises(
        InputError, match='contents is \'rank\'; need one of "ids", "scores", "ranks"'
    ):
        ranking([1, 2], contents="rank")
    with pytest.raises(
        SchemaError, match="a mapping has scores or ranks, not ids; pass a list for ids"
    ):
        ranking({"a": 1}, contents="ids")


def test_the_message_names_the_ranking_that_is_wrong() -> None:
    with pytest.raises(SchemaError, match=r"^b: a set has no order"):
        kendall_tau(["a"], {"a"})
