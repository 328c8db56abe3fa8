"""How far two rankings agree at each depth: what RBO and average overlap both weigh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.similarity.pairing import places

if TYPE_CHECKING:
    from rankmark.similarity.rankings import Floats, Ints, Ranking

Ties = Literal["a", "b", "w"]


class Agreement(NamedTuple):
    """Two rankings by depth, the shorter one first; arrays are (depths,) for d = 1, 2, ...

    Parameters
    ----------
    overlap
        X_d, how much of what both hold has come by depth d.
    size
        What X_d would be if both were the same by then; at depths beyond a list, as if it went on.
    common
        How many items both hold.
    alone, alone_full
        Of the items that only the longer one holds, how many have come by depth d at least in
        part, and how many in full.
    part
        How much of an item has come by depth d whose tie in the longer one goes beyond d.
    """

    overlap: Floats
    size: Floats
    common: int
    alone: Ints
    alone_full: Ints
    part: Floats


def agreement(short: Ranking, long: Ranking, depths: int, ties: Ties) -> Agreement:
    """Compare two rankings at depths 1, 2, ... in O(n), whatever ties.

    An item has come in full by the last rank of its tie. Before, from its first rank on, it has
    come in part: (d - first + 1) / (size of the tie), which is how likely it is to stand there; or
    in full as well under ``ties="w"``. Only one tie of each list is at work at a time, so overlap
    is a mean of four counts, weighted by its parts (Corsi and Urbano 2024, section 4).
    """
    at = places(short, long)
    common = at >= 0
    first_s, last_s = short.first[common], short.last[common]
    first_l, last_l = long.first[at[common]], long.last[at[common]]
    part_s, part_l = _parts(short, depths, ties), _parts(long, depths, ties)
    overlap: Floats = (
        part_s * part_l * _come(np.maximum(first_s, first_l), depths)
        + part_s * (1 - part_l) * _come(np.maximum(first_s, last_l + 1), depths)
        + (1 - part_s) * part_l * _come(np.maximum(last_s + 1, first_l), depths)
        + (1 - part_s) * (1 - part_l) * _come(np.maximum(last_s + 1, last_l + 1), depths)
    )
    alone = np.ones(len(long), dtype=np.bool_)
    alone[at[common]] = False
    return Agreement(
        overlap,
        _size(short, long, depths, ties),
        int(common.sum()),
        _come(long.first[alone], depths),
        _come(long.last[alone] + 1, depths),
        part_l,
    )


def _come(by: Ints, depths: int) -> Ints:
    """Count the items that have come by each depth: (n,) ranks to (depths,)."""
    return np.cumsum(np.bincount(np.minimum(by, depths + 1), minlength=depths + 2))[1:-1]


def _parts(one: Ranking, depths: int, ties: Ties) -> Floats:
    """Say how much has come of each item of the tie that holds rank d; 1 beyond the list."""
    part = np.ones(depths)
    if ties != "w":
        first, last = one.first[:depths], one.last[:depths]
        depth = np.arange(1, len(first) + 1)
        part[: len(first)] = (depth - first + 1) / (last - first + 1)
    return part


def _size(short: Ranking, long: Ranking, depths: int, ties: Ties) -> Floats:
    depth = np.arange(1.0, depths + 1)
    if ties == "a":
        return depth
    if ties == "w":
        return (_held(short, depth) + _held(long, depth)) / 2
    return np.sqrt(_squared(short, depth) * _squared(long, depth))


def _held(one: Ranking, depth: Floats) -> Floats:
    """Count the items by each depth, those of a tie all at once."""
    held = depth.copy()
    held[: len(one)] = one.last[: len(depth)]
    return held


def _squared(one: Ranking, depth: Floats) -> Floats:
    """Add up the squares of how much of each item has come by each depth."""
    squared = depth.copy()
    first, last = one.first[: len(depth)], one.last[: len(depth)]
    squared[: len(one)] = first - 1 + (depth[: len(one)] - first + 1) ** 2 / (last - first + 1)
    return squared
