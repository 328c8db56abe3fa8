"""Which intervals meet, found by sorted starts and by comparing all with all."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.measures.spans.span_intervals import Intervals, overlapping, pairs

Row = tuple[int, int, int, int]
ROWS = st.lists(
    st.tuples(*[st.integers(0, 1)] * 2, st.integers(0, 9), st.integers(0, 4)), max_size=9
)


def intervals(rows: list[Row], least: int = 0) -> Intervals:
    ordered = sorted(rows, key=lambda row: row[0])
    query, document, start, length = np.array(ordered, dtype=np.int64).reshape(-1, 4).T
    return Intervals(query, document, start * 1.0, (start + np.maximum(length, least)) * 1.0)


@given(one=ROWS, other=ROWS)
@pytest.mark.parametrize("touching", [False, True])
@pytest.mark.parametrize("by_query", [False, True])
def test_those_are_paired_that_meet(
    one: list[Row], other: list[Row], by_query: bool, touching: bool
) -> None:
    rows, others = intervals(one, least=1), intervals(other)
    expected = []
    for at, (query, document, start, end) in enumerate(zip(*rows, strict=True)):
        for to, (of, within, first, last) in enumerate(zip(*others, strict=True)):
            overlap = min(end, last) - max(start, first)
            is_near = document == within and (query == of or not by_query)
            if is_near and (overlap >= 0 if touching else overlap > 0):
                expected.append((at, to, overlap))
    found = pairs(rows, others, by_query=by_query, touching=touching)
    assert [*zip(*(column.tolist() for column in found), strict=True)] == expected


@given(rows=ROWS)
def test_an_interval_overlaps_another_if_both_cover_a_length(rows: list[Row]) -> None:
    found = intervals(rows, least=1)
    met = pairs(found, found)
    assert np.flatnonzero(overlapping(found)).tolist() == sorted(
        {*met.one[met.one != met.other].tolist()}
    )


def test_memory_does_not_grow_with_the_product_of_rows() -> None:
    number = 20_000
    start = np.arange(number) * 2.0
    none = np.zeros(number, dtype=np.int64)
    gold = Intervals(none, none, start, start + 1)
    chunks = Intervals(none, none, start, start + 3)
    tracemalloc.start()
    found = pairs(gold, chunks)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.one) == 2 * number - 1
    assert most < 2_000 * number  # of 400 million pairs, a byte each would be 20,000 a row
