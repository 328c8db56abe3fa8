"""Pairs of rankings are split into parts that hold what all of them held."""

import numpy as np
import pytest

from rankmark.data.alignment.ranking_pairs import Pairing

SIZES = [(3, 2), (1, 1), (0, 4), (9, 9), (2, 2), (1, 0)]


@pytest.fixture
def pairing() -> Pairing:
    """Give six pairs of rankings without ties, whose first items are the same in a and in b."""
    of_a, of_b = zip(*SIZES, strict=True)
    starts_a, starts_b = (np.append(0, np.cumsum(sizes)) for sizes in (of_a, of_b))
    rank_a, rank_b = (
        np.concatenate([np.arange(1, size + 1) for size in sizes]).astype(np.int32)
        for sizes in (of_a, of_b)
    )
    at = [
        begin + row if row < size_b else -1
        for (size_a, size_b), begin in zip(SIZES, starts_b, strict=False)
        for row in range(size_a)
    ]
    return Pairing(starts_a, starts_b, rank_a, rank_a, rank_b, rank_b, np.array(at))


def sizes(part: Pairing) -> list[tuple[int, int]]:
    """List the sizes of the two rankings of each pair."""
    return list(zip(part.sizes_a.tolist(), part.sizes_b.tolist(), strict=True))


@pytest.mark.parametrize(
    ("rows", "pairs", "numbers"),
    [
        (100, 1000, [6]),
        (11, 1000, [3, 1, 2]),  # the first three pairs have 11 rows, the fourth has 18
        (10, 1000, [2, 1, 1, 2]),
        (5, 1000, [1, 1, 1, 1, 2]),
        (1, 1000, [1, 1, 1, 1, 1, 1]),
        (100, 2, [2, 2, 2]),
    ],
)
def test_a_part_has_no_more_rows_and_pairs_than_asked_for(
    pairing: Pairing, rows: int, pairs: int, numbers: list[int]
) -> None:
    parts = list(pairing.parts(rows, pairs))
    assert [len(part) for part in parts] == numbers
    assert [one for part in parts for one in sizes(part)] == SIZES


def test_the_items_of_a_part_are_found_in_its_own_rows(pairing: Pairing) -> None:
    for part in pairing.parts(10):
        for pair in range(len(part)):
            own = slice(part.starts_a[pair], part.starts_a[pair + 1])
            size_a, size_b = sizes(part)[pair]
            assert part.first_a[own].tolist() == list(range(1, size_a + 1))
            both = part.at[own][: min(size_a, size_b)]
            assert both.tolist() == list(
                range(part.starts_b[pair], part.starts_b[pair] + len(both))
            )
            assert part.first_b[both].tolist() == list(range(1, len(both) + 1))
            assert (part.at[own][len(both) :] == -1).all()
