"""Sets of whole numbers as arrays that rise, as NumPy finds them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankmark.array_types import are_among, distinct

numbers = st.lists(st.integers(-5, 5) | st.integers(-(2**63), 2**63 - 1), max_size=30)


@given(numbers)
def test_distinct_values_rise(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    assert distinct(array).tolist() == sorted({*values})
    assert distinct(array).dtype == array.dtype


@given(numbers, numbers)
def test_values_are_among_those_that_are_known(values: list[int], known: list[int]) -> None:
    found = are_among(np.array(values, np.int64), distinct(np.array(known, np.int64)))
    assert found.tolist() == [value in known for value in values]
