"""Ids and pairs of ids as numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark import _core


@given(
    st.lists(st.integers(-3, 9) | st.just(4), max_size=60)
    | st.lists(st.integers(0, 1) | st.just(127), max_size=9),
    st.sampled_from([np.int8, np.int32, np.int64, np.uint16, np.uint64]),
    st.sampled_from([0, 2**63 - 200]),
)
def test_whole_numbers_are_numbered_in_the_order_of_appearance(
    values: list[int], kind: type, more: int
) -> None:
    array = np.array(values, dtype=np.int64).astype(kind)
    array += array.dtype.type(more if np.dtype(kind).itemsize == 8 else 0)
    codes, ids = _core.numbered(_core.table_from_columns(["id"], [array]), 0)
    named = [ids[code] for code in range(len(ids))]
    assert named == [*map(str, dict.fromkeys(array.tolist()))]
    assert [named[code] for code in codes.tolist()] == [*map(str, array.tolist())]


@pytest.mark.parametrize("ends", [(-(2**63), 2**63 - 1), (-(2**63), -(2**63) + 5)])
def test_numbers_at_the_limits_are_ids(ends: tuple[int, int]) -> None:
    array = np.array([*ends, ends[0]], dtype=np.int64)
    codes, ids = _core.numbered(_core.table_from_columns(["id"], [array]), 0)
    assert codes.tolist() == [0, 1, 0]
    assert [ids[0], ids[1]] == [*map(str, ends)]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8)), max_size=60))
def test_distinct_pairs_are_in_order(pairs: list[tuple[int, int]]) -> None:
    columns = np.array(pairs, dtype=np.uint32).reshape(-1, 2).T
    first, second = map(np.ascontiguousarray, columns)
    starts, seconds = _core.distinct_pairs(first, second, 6, 9)
    of_row = np.repeat(np.arange(6), np.diff(starts))
    assert [*zip(of_row.tolist(), seconds.tolist(), strict=True)] == sorted({*pairs})


def test_numbers_of_pairs_are_checked() -> None:
    zero, one = np.zeros(1, np.uint32), np.ones(1, np.uint32)
    for pair in ((zero, one), (one, zero)):
        with pytest.raises(IndexError):
            _core.distinct_pairs(*pair, 1, 1)
    with pytest.raises(ValueError, match="equally long"):
        _core.distinct_pairs(zero, zero[:0], 1, 1)


def test_without_labels_that_of_a_row_is_its_place() -> None:
    scores = np.random.default_rng(3).integers(0, 4, 60) / 4
    starts = np.array([0, 7, 7, 60])
    rule = _core.RankingOptions(
        "docid",
        2**63 - 1,
        False,
        False,
        "error",
        False,
        -np.inf,
        5,
    )
    given_places = _core.align_rows(np.arange(60), scores, starts, None, rule, 1)
    for mine, theirs in zip(
        _core.align_rows(None, scores, starts, None, rule, 1), given_places, strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_doubles_in_one_piece_are_not_copied() -> None:
    numbers = np.arange(5.0)
    table = _core.table_from_columns(["number"], [numbers])
    found = _core.numbers(table, 0)
    assert np.shares_memory(found, numbers)
    assert not found.flags.writeable  # type: ignore[union-attr]
    del table
    assert found.tolist() == numbers.tolist()
