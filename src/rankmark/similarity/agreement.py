"""How far two rankings agree at each depth: what RBO and average overlap both weigh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.alignment.alignment import positions, query_of_rows, segment_cumsum, segment_sum

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import AnyRanks as Ranks
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats, Ints

Ties = Literal["a", "b", "w"]


class Depths:
    """The depths 1, 2, ... of Q pairs, as many for each as wanted, one pair's behind the other's.

    Attributes
    ----------
    counts, starts
        (Q,) int64, how many; (Q + 1,) int64: pair q owns the rows ``starts[q]`` to
        ``starts[q + 1]``.
    depth
        (D,) int64, from 1.
    """

    def __init__(self, counts: Ints) -> None:
        self.counts = counts
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.depth = positions(self.starts)

    def rows(self, pair: Ints, rank: Ranks) -> Ints:
        """Give the rows of ranks, (n,) of (n,) pairs, that are no deeper than the depths."""
        within = rank <= self.counts[pair]
        rows: Ints = self.starts[pair[within]] + rank[within] - 1
        return rows

    def come(self, pair: Ints, by: Ranks) -> Floats:
        """Count the items that have come by each depth: (n,) ranks of (n,) pairs to (D,)."""
        met = np.bincount(self.rows(pair, by), minlength=len(self.depth))
        return segment_cumsum(met, self.starts)


class Agreement(NamedTuple):
    """How much pairs have in common by each of D depths.

    Parameters
    ----------
    depths
        Which they are.
    overlap
        (D,) X_d, how much of what both hold has come by depth d.
    size
        (D,) what X_d would be if both were the same by then; at depths beyond a list, as if it
        went on.
    common
        (Q,) float64, how many items both hold.
    """

    depths: Depths
    overlap: Floats
    size: Floats
    common: Floats


class Alone(NamedTuple):
    """What only the longer ranking of each pair holds, or b of two that are as long: (D,) each.

    Parameters
    ----------
    begun, full
        How many of these items have come by depth d at least in part, and how many in full.
    part
        How much of an item has come by depth d whose tie in the longer one goes beyond d.
    """

    begun: Floats
    full: Floats
    part: Floats


def agreement(pairs: Pairing, counts: Ints, ties: Ties) -> Agreement:
    """Compare each pair at depths 1, 2, ..., as many as ``counts`` (Q,) says, whatever ties.

    An item has come in full by the last rank of its tie. Before, from its first rank on, it has
    come in part: (d - first + 1) / (size of the tie), which is how likely it is to stand there; or
    in full as well under ``ties="w"``. Only one tie of each list is at work at a time, so overlap
    is a mean of four counts, weighted by its parts (Corsi and Urbano 2024, section 4).
    """
    depths = Depths(counts)
    held = pairs.at >= 0
    pair, there = query_of_rows(pairs.starts_a)[held], pairs.at[held]
    first_a, first_b = pairs.first_a[held], pairs.first_b[there]
    overlap = depths.come(pair, np.maximum(first_a, first_b))
    size = depths.depth.astype(np.float64)
    seen = Agreement(depths, overlap, size, segment_sum(held, pairs.starts_a))
    tied_a, tied_b = _tied(pairs, depths, of_a=True), _tied(pairs, depths, of_a=False)
    if not len(tied_a.rows) + len(tied_b.rows):
        return seen
    if ties == "w":
        return seen._replace(size=(tied_a.last_ranks(size) + tied_b.last_ranks(size)) / 2)
    part_a, part_b = tied_a.parts(depths), tied_b.parts(depths)
    unfinished = np.flatnonzero((part_a < 1) | (part_b < 1))
    a, b = part_a[unfinished], part_b[unfinished]
    last_a, last_b = pairs.last_a[held], pairs.last_b[there]

    def come(by: Ranks) -> Floats:
        return depths.come(pair, by)[unfinished]

    overlap[unfinished] = (
        a * b * overlap[unfinished]
        + a * (1 - b) * come(np.maximum(first_a, last_b + 1))
        + (1 - a) * b * come(np.maximum(last_a + 1, first_b))
        + (1 - a) * (1 - b) * come(np.maximum(last_a, last_b) + 1)
    )
    if ties == "b":
        size = np.sqrt(tied_a.squares(depths) * tied_b.squares(depths))
    return seen._replace(size=size)


def alone(pairs: Pairing, depths: Depths, ties: Ties) -> Alone:
    """Count what only the longer ranking of each pair holds."""
    b_longer = pairs.sizes_a <= pairs.sizes_b
    pair_a, pair_b = query_of_rows(pairs.starts_a), query_of_rows(pairs.starts_b)
    of_a, of_b = (pairs.at < 0) & ~b_longer[pair_a], pairs.lone_b() & b_longer[pair_b]
    pair = np.concatenate([pair_a[of_a], pair_b[of_b]])
    begun = depths.come(pair, np.concatenate([pairs.first_a[of_a], pairs.first_b[of_b]]))
    if ties == "w" or not pairs.ties():
        return Alone(begun, begun, np.ones(len(begun)))
    full = depths.come(pair, np.concatenate([pairs.last_a[of_a], pairs.last_b[of_b]]) + 1)
    part_a, part_b = (_tied(pairs, depths, of_a=one).parts(depths) for one in (True, False))
    longer = np.repeat(b_longer, depths.counts)
    return Alone(begun, full, np.where(longer, part_b, part_a))


class _Tied(NamedTuple):
    """The depths at which one of the rankings has a tie: their rows, (n,), and its ranks."""

    rows: Ints
    first: Ranks
    last: Ranks

    def last_ranks(self, depth: Floats) -> Floats:
        """Count the items by each depth, those of a tie all at once."""
        held = depth.copy()
        held[self.rows] = self.last
        return held

    def parts(self, depths: Depths) -> Floats:
        """Say how much has come of each item of the tie that holds each depth."""
        part = np.ones(len(depths.depth))
        part[self.rows] = self._come(depths) / (self.last - self.first + 1)
        return part

    def squares(self, depths: Depths) -> Floats:
        """Add up the squares of how much of each item has come by each depth."""
        squared = depths.depth.astype(np.float64)
        size = self.last - self.first + 1
        squared[self.rows] = self.first - 1 + self._come(depths) ** 2 / size
        return squared

    def _come(self, depths: Depths) -> Ints:
        return depths.depth[self.rows] - self.first + 1


def _tied(pairs: Pairing, depths: Depths, *, of_a: bool) -> _Tied:
    starts, first, last = (
        (pairs.starts_a, pairs.first_a, pairs.last_a)
        if of_a
        else (pairs.starts_b, pairs.first_b, pairs.last_b)
    )
    tied = np.flatnonzero(first != last)
    pair = np.searchsorted(starts, tied, side="right") - 1
    rank = tied - starts[pair] + 1
    within = rank <= depths.counts[pair]
    tied = tied[within]
    return _Tied(depths.rows(pair, rank), first[tied], last[tied])
