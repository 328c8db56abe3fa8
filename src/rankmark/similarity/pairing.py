"""Two rankings brought together: one order of all their items by each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.errors import MismatchError, SchemaError, listed
from rankmark.similarity.parameters import choice
from rankmark.similarity.rankings import Rankable, Ranking, read

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.similarity.rankings import Floats, Ints

    Bools = NDArray[np.bool_]

Missing = Literal["last", "drop", "error"]


class Orders(NamedTuple):
    """Two orders of the same n items.

    ``x`` and ``y``, (n,) int64, say where an item stands in either: the lower, the better, and
    equal where it ties. ``in_a`` and ``in_b``, (n,) bool, say which ranking holds it; those that
    one does not hold tie behind its last.
    """

    x: Ints
    y: Ints
    in_a: Bools
    in_b: Bools


def both(a: Rankable, b: Rankable, k: int | None = None) -> tuple[Ranking, Ranking]:
    """Take two rankings, each cut behind rank k.

    Raises
    ------
    SchemaError
        If both are arrays, whose items are their places, of different lengths.
    """
    one, other = read(a, "a"), read(b, "b")
    if one.by_place and other.by_place and len(one) != len(other):
        raise SchemaError(
            f"a has {len(one)} numbers and b {len(other)}; an item is a place, so both need as many"
        )
    return one.top(k), other.top(k)


def places(a: Ranking, b: Ranking) -> Ints:
    """Give where in b each item of a stands: (len(a),) int64, from 0, and -1 where b lacks it."""
    place = {item: at for at, item in enumerate(b.ids)}
    return np.fromiter((place.get(item, -1) for item in a.ids), dtype=np.int64, count=len(a))


def orders(a: Rankable, b: Rankable, k: int | None, missing: Missing) -> Orders:
    """Order the items of both rankings by each, under one rule for those that only one holds."""
    choice("missing", missing, "last", "drop", "error")
    one, other = both(a, b, k)
    at = places(one, other)
    common = at >= 0
    lone = np.ones(len(other), dtype=np.bool_)
    lone[at[common]] = False
    if missing == "error" and (lone.any() or not common.all()):
        items = [one.ids[i] for i in np.flatnonzero(~common).tolist()]
        items += [other.ids[i] for i in np.flatnonzero(lone).tolist()]
        raise MismatchError(
            f"only one of the two rankings holds {listed(items)}; remove them, or choose "
            'missing="last" or missing="drop"'
        )
    x, y = one.first[common], other.first[at[common]]
    n = len(x)
    if missing != "last":
        return Orders(x, y, np.ones(n, dtype=np.bool_), np.ones(n, dtype=np.bool_))
    only_a, only_b = one.first[~common], other.first[lone]
    behind_a, behind_b = len(one) + 1, len(other) + 1
    return Orders(
        np.concatenate([x, only_a, np.full(len(only_b), behind_a)]),
        np.concatenate([y, np.full(len(only_a), behind_b), only_b]),
        np.repeat([True, True, False], [n, len(only_a), len(only_b)]),
        np.repeat([True, False, True], [n, len(only_a), len(only_b)]),
    )


def mean_ranks(order: Ints) -> Floats:
    """Rank items from 1, those that tie at the mean of their ranks: (n,) to (n,) float64."""
    _, of, sizes = np.unique(order, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(sizes) - (sizes - 1) / 2)[of]
    return ranks


def earlier_and_lower(values: Ints) -> Ints:
    """Count, for each place, the places before it that hold less: (n,), a permutation of 0 to n-1.

    In O(n log n): places are parted by the highest bit of their value, then by the next, and keep
    their order in each part. Who has the bit counts those before it in its part that have not.
    """
    n = len(values)
    counts = np.zeros(n, dtype=np.int64)
    place, value, index = np.arange(n), values, np.arange(n)
    for bit in reversed(range(max(n - 1, 0).bit_length())):
        has = ((value >> bit) & 1).astype(np.bool_)
        part = (value >> (bit + 1)) << (bit + 1)  # where its part begins, as values are 0 to n-1
        lacking = np.append(0, np.cumsum(~has))
        before = lacking[:-1] - lacking[part]
        counts[place[has]] += before[has]
        to = ((value >> bit) << bit) + np.where(has, index - part - before, before)
        parted_place, parted_value = np.empty_like(place), np.empty_like(value)
        parted_place[to], parted_value[to] = place, value
        place, value = parted_place, parted_value
    return counts


def in_order(*keys: Ints) -> Ints:
    """Give each item its place, from 0, by the first key, then the next, then as they stand."""
    numbers = np.empty(len(keys[0]), dtype=np.int64)
    numbers[np.lexsort(keys[::-1])] = np.arange(len(numbers))
    return numbers
