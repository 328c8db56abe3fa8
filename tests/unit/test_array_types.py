"""Sets of whole numbers as arrays that rise, as NumPy finds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.array_types import are_among, by_appearance, distinct

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


@given(
    st.lists(st.integers(-3, 9) | st.just(4), max_size=60),
    st.sampled_from([np.int8, np.int32, np.int64, np.uint64]),
)
def test_whole_numbers_are_numbered_in_the_order_of_appearance(
    values: list[int], kind: type
) -> None:
    array = np.array(values).astype(kind)
    given_numbers = by_appearance(array)
    if given_numbers is None:
        low, high = (int(array.min()), int(array.max())) if values else (0, 0)
        assert not values or high - low > 2 * len(values) or high >= 2**63
        return
    numbers, found = given_numbers
    assert found.tolist() == [*dict.fromkeys(array.tolist())]
    assert found[numbers].tolist() == array.tolist()


def test_many_numbers_are_numbered_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmark.array_types._AT_ONCE", 7)
    array = np.random.default_rng(1).integers(100, 140, 500)
    numbers, found = by_appearance(array)  # type: ignore[misc]
    assert found.tolist() == [*dict.fromkeys(array.tolist())]
    assert found[numbers].tolist() == array.tolist()
