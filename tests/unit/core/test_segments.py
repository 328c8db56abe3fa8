"""Per-query arithmetic against the loops that it stands for."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark import _core
from rankmark.data.alignment import Alignment

sizes_of_queries = st.lists(st.integers(0, 7), max_size=12)
chances = st.integers(0, 2**32).map(np.random.default_rng)


def starts_of(sizes: list[int]) -> Any:
    return np.cumsum([0, *sizes], dtype=np.int64)


def segments(values: Any, starts: Any) -> list[Any]:
    return [values[begin:end] for begin, end in pairwise(starts)]


def aligned(sizes: list[int]) -> Alignment:
    """Make an alignment of which only ``starts`` means something."""
    starts = starts_of(sizes)
    rows = np.zeros(starts[-1])
    return Alignment(
        queries=[str(i) for i in range(len(sizes))],
        starts=starts,
        rank=rows.astype(np.int32),
        label=rows,
        retrieved=np.zeros(len(sizes), np.int64),
        ideal_starts=starts,
        ideal_label=rows,
    )


def added(values: Any) -> float:
    """Add from first to last, as the core promises; NumPy adds pairwise."""
    total = 0.0
    for value in values.tolist():
        total += value
    return total


@given(sizes=sizes_of_queries, chance=chances)
def test_sums_are_added_up_from_first_to_last(sizes: list[int], chance: Any) -> None:
    a = aligned(sizes)
    values = chance.normal(size=a.starts[-1])
    parts = segments(values, a.starts)
    assert a.sum(values).tolist() == [added(part) for part in parts]
    assert a.ideal_sum(values).tolist() == [added(part) for part in parts]


@given(sizes=sizes_of_queries, chance=chances)
def test_running_sums_and_products_begin_anew_with_each_query(
    sizes: list[int], chance: Any
) -> None:
    a = aligned(sizes)
    values = chance.normal(size=a.starts[-1])
    parts = segments(values, a.starts)
    sums, products = a.cumsum(values), a.cumprod(values)
    assert sums.tolist() == [x for part in parts for x in np.cumsum(part).tolist()]
    assert products.tolist() == [x for part in parts for x in np.cumprod(part).tolist()]


@given(sizes=sizes_of_queries, chance=chances)
def test_counts_and_firsts_are_those_of_a_loop(sizes: list[int], chance: Any) -> None:
    a = aligned(sizes)
    values, mask = chance.normal(size=a.starts[-1]), chance.random(a.starts[-1]) < 0.3
    marked = segments(mask, a.starts)
    assert a.count(mask).tolist() == [float(part.sum()) for part in marked]
    firsts = [
        part[picked][0] if picked.any() else -7.0
        for part, picked in zip(segments(values, a.starts), marked, strict=True)
    ]
    assert a.first(mask, values, absent=-7.0).tolist() == firsts


@given(sizes=sizes_of_queries)
def test_spreading_and_numbering_follow_the_queries(sizes: list[int]) -> None:
    a = aligned(sizes)
    queries = np.arange(len(sizes), dtype=np.float64)
    assert a.spread(queries).tolist() == [float(q) for q, n in enumerate(sizes) for _ in range(n)]
    assert a.ideal_rank().tolist() == [i for n in sizes for i in range(1, n + 1)]


def test_empty_queries_are_zero_and_take_the_absent_value() -> None:
    a = aligned([0, 2, 0])
    values, mask = np.array([1.0, 2.0]), np.array([False, True])
    assert a.sum(values).tolist() == [0.0, 3.0, 0.0]
    assert a.count(mask).tolist() == [0.0, 1.0, 0.0]
    assert a.first(mask, values).tolist() == [0.0, 2.0, 0.0]


def test_no_queries_give_no_values() -> None:
    a = aligned([])
    nothing = np.array([])
    assert len(a.sum(nothing)) == len(a.cumsum(nothing)) == len(a.cumprod(nothing)) == 0
    assert len(a.count(nothing.astype(bool))) == len(a.first(nothing.astype(bool), nothing)) == 0


def test_whole_numbers_are_added_as_floats_whatever_their_type() -> None:
    a = aligned([2, 1])
    for kind in (np.int32, np.int64, np.float32, np.bool_):
        values = np.array([1, 1, 1]).astype(kind)
        assert a.sum(values).tolist() == [2.0, 1.0]
        assert a.cumsum(values).tolist() == [1.0, 2.0, 1.0]
        assert a.cumprod(values).tolist() == [1.0, 1.0, 1.0]


def test_values_that_do_not_lie_together_are_added_all_the_same() -> None:
    a = aligned([2, 1])
    assert a.sum(np.arange(6.0)[::2]).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinities_and_nan_stay_within_their_query(value: float) -> None:
    out = np.empty(3)
    _core.sum(np.array([1.0, value, 2.0]), np.array([0, 1, 2, 3]), out)
    assert out[0] == 1.0
    assert out[2] == 2.0
