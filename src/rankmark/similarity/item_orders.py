"""Pairs of rankings as two orders of the same items, with one rule for items in only one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import query_of_rows, segment_sum
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.errors import MismatchError, listed
from rankmark.formulas import choice
from rankmark.similarity.given_rankings import Rankable, Ranking, pairing_of, read_both

Missing = Literal["last", "drop", "error"]


class Orders(NamedTuple):
    """Q pairs of orders of the same items, n in all.

    ``x`` and ``y``, (n,) int64 from 1, are the positions of an item in either, equal within a tie.
    ``in_a`` and ``in_b``, (n,) bool, are true if the ranking contains it; items that it does not
    contain are tied below its last. Pair q owns the rows ``starts[q]`` to ``starts[q + 1]``.
    """

    x: Ints
    y: Ints
    in_a: Bools
    in_b: Bools
    starts: Ints

    @classmethod
    def of_common_items(cls, x: Ints, y: Ints, starts: Ints) -> Orders:
        """Build orders of items that both rankings of each pair contain."""
        contained = np.ones(len(x), dtype=np.bool_)
        return cls(x, y, contained, contained, starts)

    @property
    def sizes(self) -> Ints:
        """The number of items of each pair: (Q,) int64."""
        return np.diff(self.starts)

    def list_sizes(self) -> tuple[Floats, Floats]:
        """Count the items of a and of b, pair by pair: (Q,) float64 each."""
        return segment_sum(self.in_a, self.starts), segment_sum(self.in_b, self.starts)

    def exchanged(self) -> Orders:
        """Exchange a and b."""
        return Orders(self.y, self.x, self.in_b, self.in_a, self.starts)


def orders(pairs: Pairing, missing: Missing) -> Orders:
    """Order the items of each pair by both rankings: the items of a, then those only in b."""
    choice("missing", missing, "last", "drop", "error")
    common = pairs.at >= 0
    pair_a = query_of_rows(pairs.starts_a)
    if missing == "error":
        _refuse_unpaired(pairs, common)
    if missing != "last":
        x = pairs.first_a[common].astype(np.int64)
        y = pairs.first_b[pairs.at[common]].astype(np.int64)
        return Orders.of_common_items(x, y, _starts(len(pairs), pair_a[common]))
    only_b = pairs.only_in_b()
    pair = np.concatenate([pair_a, query_of_rows(pairs.starts_b)[only_b]])
    y_of_a = (pairs.sizes_b + 1)[pair_a]
    y_of_a[common] = pairs.first_b[pairs.at[common]]
    x = np.concatenate([pairs.first_a, (pairs.sizes_a + 1)[pair[len(pair_a) :]]])
    y = np.concatenate([y_of_a, pairs.first_b[only_b]])
    in_a = np.arange(len(pair)) < len(pair_a)
    in_b = np.concatenate([common, np.ones(len(pair) - len(pair_a), dtype=np.bool_)])
    starts = _starts(len(pairs), pair)
    by_pair = np.argsort(pair, kind="stable")  # both parts are already in order
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
    """Return the value of a coefficient for two rankings.

    Raises
    ------
    MismatchError
        If an item is in only one ranking and ``missing`` is "error".
    """
    return float(over(_paired(a, b, k, missing), k=k, missing=missing, **parameters)[0])


def orders_of_two(a: Rankable, b: Rankable, *, k: int | None, missing: Missing) -> Orders:
    """Order the items of two rankings, each cut after rank k; raises as ``of_two``."""
    return orders(_paired(a, b, k, missing).top(k), missing)


def items_of_two(a: Rankable, b: Rankable, *, k: int | None, missing: Missing) -> list[str]:
    """List the items of two rankings, in the order of ``orders_of_two``."""
    ranking_a, ranking_b = read_both(a, b)
    pairs = pairing_of(ranking_a, ranking_b).top(k)
    if missing == "last":
        kept, only_b = np.arange(len(pairs.at)), np.flatnonzero(pairs.only_in_b())
    else:
        kept, only_b = np.flatnonzero(pairs.at >= 0), np.zeros(0, dtype=np.int64)
    items = [ranking_a.ids[row] for row in kept.tolist()]
    return items + [ranking_b.ids[row] for row in only_b.tolist()]


def _paired(a: Rankable, b: Rankable, k: int | None, missing: Missing) -> Pairing:
    ranking_a, ranking_b = read_both(a, b)
    pairs = pairing_of(ranking_a, ranking_b)
    if missing == "error":
        _refuse_items_in_one(ranking_a, ranking_b, pairs.top(k))
    return pairs


def _refuse_items_in_one(a: Ranking, b: Ranking, pairs: Pairing) -> None:
    items = [a.ids[row] for row in np.flatnonzero(pairs.at < 0).tolist()]
    items += [b.ids[row] for row in np.flatnonzero(pairs.only_in_b()).tolist()]
    if items:
        raise MismatchError(
            f"items in only one of the two rankings: {listed(items)}",
            'remove them, or choose missing="last" or missing="drop"',
        )


def _refuse_unpaired(pairs: Pairing, common: Bools) -> None:
    count = int((~common).sum() + pairs.only_in_b().sum())
    if count:
        raise MismatchError(
            f"items in only one of the two rankings: {count:,}",
            'choose missing="last" or missing="drop"',
        )


def _starts(pairs: int, pair: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(pair, minlength=pairs))])


def keyed(pair: Ints, *orders: Ints) -> Ints:
    """Combine the number of the pair and positions in one number that sorts as they do: (n,)."""
    key = pair
    for order in orders:
        key = key * width_of(order) + order
    return key


def width_of(order: Ints) -> int:
    """Return the factor that ``keyed`` uses for an order; key % width is the last position."""
    return int(order.max(initial=0)) + 1


def in_order(keys: Ints) -> Ints:
    """Sort keys, (n,), unless they are in order, as those of rankings without ties are."""
    return keys if (keys[1:] >= keys[:-1]).all() else np.sort(keys)


def mean_ranks(order: Ints, starts: Ints) -> Floats:
    """Rank the items of each pair from 1, tied items at their mean rank: (n,) float64."""
    key = keyed(query_of_rows(starts), order)
    by_key = np.argsort(key, kind="stable")
    begins = run_starts(key[by_key])
    sizes = np.diff(np.append(begins, len(key)))
    ranks = np.empty(len(key))
    ranks[by_key] = np.repeat(begins + (sizes + 1) / 2, sizes)
    return ranks - np.repeat(starts[:-1], np.diff(starts))


def run_starts(values: Ints) -> Ints:
    """Return the first row, and the rows whose value differs from the one before."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
