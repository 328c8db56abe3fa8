"""Pairs of rankings as two orders of the same items, under one rule for what only one holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.alignment.alignment import query_of_rows, segment_sum
from rankmark.errors import MismatchError, listed
from rankmark.similarity.coefficient_parameters import choice
from rankmark.similarity.given_rankings import Rankable, Ranking, pairing_of, read_both

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Bools, Floats, Ints

Missing = Literal["last", "drop", "error"]


class Orders(NamedTuple):
    """Q pairs of orders of the same items, n in all.

    ``x`` and ``y``, (n,) int64 from 1, say where an item stands in either: the lower, the better,
    and equal where it ties. ``in_a`` and ``in_b``, (n,) bool, say which ranking holds it; those
    that one does not hold tie behind its last. Pair q owns the rows ``starts[q]`` to
    ``starts[q + 1]``.
    """

    x: Ints
    y: Ints
    in_a: Bools
    in_b: Bools
    starts: Ints

    @classmethod
    def of_one(cls, x: Ints, y: Ints) -> Orders:
        """Take one pair of orders, (n,) each, of items that both hold."""
        held = np.ones(len(x), dtype=np.bool_)
        return cls(x, y, held, held, np.array([0, len(x)]))

    @property
    def sizes(self) -> Ints:
        """How many items each pair has: (Q,) int64."""
        return np.diff(self.starts)

    def held(self) -> tuple[Floats, Floats]:
        """Count the items that a holds of each pair, and those that b holds: (Q,) float64 each."""
        return segment_sum(self.in_a, self.starts), segment_sum(self.in_b, self.starts)

    def turned(self) -> Orders:
        """Give the same with a and b changed."""
        return Orders(self.y, self.x, self.in_b, self.in_a, self.starts)


def orders(pairs: Pairing, missing: Missing) -> Orders:
    """Order the items of each pair by both rankings: those of a as a has them, then b's others."""
    choice("missing", missing, "last", "drop", "error")
    common = pairs.at >= 0
    pair_a = query_of_rows(pairs.starts_a)
    if missing == "error":
        _refuse_lone(pairs, common)
    if missing != "last":
        x = pairs.first_a[common].astype(np.int64)
        y = pairs.first_b[pairs.at[common]].astype(np.int64)
        held = np.ones(len(x), dtype=np.bool_)
        return Orders(x, y, held, held, _starts(len(pairs), pair_a[common]))
    lone = pairs.lone_b()
    pair = np.concatenate([pair_a, query_of_rows(pairs.starts_b)[lone]])
    y_of_a = (pairs.sizes_b + 1)[pair_a]
    y_of_a[common] = pairs.first_b[pairs.at[common]]
    x = np.concatenate([pairs.first_a, (pairs.sizes_a + 1)[pair[len(pair_a) :]]])
    y = np.concatenate([y_of_a, pairs.first_b[lone]])
    in_a = np.arange(len(pair)) < len(pair_a)
    in_b = np.concatenate([common, np.ones(len(pair) - len(pair_a), dtype=np.bool_)])
    starts = _starts(len(pairs), pair)
    by_pair = np.argsort(pair, kind="stable")  # both stretches are in order already
    return Orders(x[by_pair], y[by_pair], in_a[by_pair], in_b[by_pair], starts)


def of_two(
    over: Callable[..., Floats],
    a: Rankable,
    b: Rankable,
    *,
    k: int | None,
    missing: Missing,
    **parameters: Any,
) -> float:
    """Give the value of a coefficient that orders two rankings.

    Raises
    ------
    MismatchError
        If only one holds an item, under ``missing="error"``.
    """
    return float(over(_paired(a, b, k, missing), k=k, missing=missing, **parameters)[0])


def orders_of_two(a: Rankable, b: Rankable, *, k: int | None, missing: Missing) -> Orders:
    """Order the items of two rankings, each cut behind rank k; raises as ``of_two``."""
    return orders(_paired(a, b, k, missing).top(k), missing)


def _paired(a: Rankable, b: Rankable, k: int | None, missing: Missing) -> Pairing:
    one, other = read_both(a, b)
    pairs = pairing_of(one, other)
    if missing == "error":
        _refuse_items_of_one(one, other, pairs.top(k))
    return pairs


def _refuse_items_of_one(one: Ranking, other: Ranking, pairs: Pairing) -> None:
    items = [one.ids[row] for row in np.flatnonzero(pairs.at < 0).tolist()]
    items += [other.ids[row] for row in np.flatnonzero(pairs.lone_b()).tolist()]
    if items:
        raise MismatchError(
            f"only one of the two rankings holds {listed(items)}; remove them, or choose "
            'missing="last" or missing="drop"'
        )


def _refuse_lone(pairs: Pairing, common: Bools) -> None:
    lone = int((~common).sum() + pairs.lone_b().sum())
    if lone:
        raise MismatchError(
            f"items that only one of the two rankings holds: {lone:,}; choose "
            'missing="last" or missing="drop"'
        )


def _starts(pairs: int, pair: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(pair, minlength=pairs))])


def keyed(pair: Ints, *orders: Ints) -> Ints:
    """Write a pair's number and its items' places as one number, which sorts as they do: (n,)."""
    key = pair
    for order in orders:
        key = key * width_of(order) + order
    return key


def width_of(order: Ints) -> int:
    """Give what ``keyed`` multiplies by for an order: the remainder of a key is its last one."""
    return int(order.max(initial=0)) + 1


def in_order(keys: Ints) -> Ints:
    """Sort keys, (n,), unless they stand in order, as those of rankings without ties do."""
    return keys if (keys[1:] >= keys[:-1]).all() else np.sort(keys)


def mean_ranks(order: Ints, starts: Ints) -> Floats:
    """Rank items of each pair from 1, those that tie at the mean of their ranks: (n,) float64."""
    key = keyed(query_of_rows(starts), order)
    by_key = np.argsort(key, kind="stable")
    begins = run_starts(key[by_key])
    sizes = np.diff(np.append(begins, len(key)))
    ranks = np.empty(len(key))
    ranks[by_key] = np.repeat(begins + (sizes + 1) / 2, sizes)
    return ranks - np.repeat(starts[:-1], np.diff(starts))


def run_starts(values: Ints) -> Ints:
    """Give the rows at which the value is another than before, the first among them."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
