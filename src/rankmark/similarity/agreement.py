"""How much two rankings agree at each depth: the basis of RBO and average overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.data.alignment import positions, query_of_rows, segment_cumsum, segment_sum

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.alignment.ranking_pairs import AnyRanks as Ranks
    from rankmark.data.alignment.ranking_pairs import Pairing

Ties = Literal["a", "b", "w"]


class Depths:
    """The depths 1, 2, ... of Q pairs, pair after pair.

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
        self.starts: Ints = np.concatenate([[0], np.cumsum(counts)])
        self.depth: Ints = positions(self.starts)

    def rows(self, pair: Ints, rank: Ranks) -> Ints:
        """Return the rows of the ranks, (n,) of (n,) pairs, that are within the depths."""
        within = rank <= self.counts[pair]
        return self.starts[pair[within]] + rank[within] - 1

    def counted(self, pair: Ints, rank: Ranks) -> Floats:
        """Count the ranks down to each depth: (n,) ranks of (n,) pairs to (D,)."""
        counts = np.bincount(self.rows(pair, rank), minlength=len(self.depth))
        return segment_cumsum(counts, self.starts)


class Agreement(NamedTuple):
    """What the rankings of each pair have in common down to each of D depths.

    Parameters
    ----------
    depths
        The depths.
    overlap
        (D,) X_d, the number of common items down to depth d, tied items in part.
    size
        (D,) X_d if both rankings were the same, and as if they continued beyond their ends.
    common
        (Q,) float64, the number of common items.
    """

    depths: Depths
    overlap: Floats
    size: Floats
    common: Floats


class OnlyInLonger(NamedTuple):
    """The items that only the longer ranking of each pair contains, b if both are equally long.

    Parameters
    ----------
    begun, full
        (D,) How many of these items count at depth d at least in part, and how many in full.
    part
        (D,) How much an item counts at depth d if its tie extends beyond d.
    """

    begun: Floats
    full: Floats
    part: Floats


def agreement(pairs: Pairing, counts: Ints, ties: Ties) -> Agreement:
    """Compare each pair at depths 1, 2, ..., ``counts`` (Q,).

    From the last rank of its tie on, an item counts in full. From the first rank on, it counts in
    part: (d - first + 1) / (size of the tie), the probability that it is among the first d; with
    ``ties="w"``, in full. A depth cuts at most one tie of each list, so the overlap is a mean of
    four counts, weighted by these parts (Corsi and Urbano 2024, section 4).
    """
    depths = Depths(counts)
    common = pairs.at >= 0
    pair, row_b = query_of_rows(pairs.starts_a)[common], pairs.at[common]
    first_a, first_b = pairs.first_a[common], pairs.first_b[row_b]
    overlap = depths.counted(pair, np.maximum(first_a, first_b))
    size = depths.depth.astype(np.float64)
    found = Agreement(depths, overlap, size, segment_sum(common, pairs.starts_a))
    tied_a, tied_b = _tied(pairs, depths, of_a=True), _tied(pairs, depths, of_a=False)
    if not len(tied_a.rows) + len(tied_b.rows):
        return found
    if ties == "w":
        return found._replace(size=(tied_a.last_ranks(size) + tied_b.last_ranks(size)) / 2)
    part_a, part_b = tied_a.parts(depths), tied_b.parts(depths)
    partial = np.flatnonzero((part_a < 1) | (part_b < 1))
    a, b = part_a[partial], part_b[partial]
    last_a, last_b = pairs.last_a[common], pairs.last_b[row_b]

    def counted(rank: Ranks) -> Floats:
        return depths.counted(pair, rank)[partial]

    overlap[partial] = (
        a * b * overlap[partial]
        + a * (1 - b) * counted(np.maximum(first_a, last_b + 1))
        + (1 - a) * b * counted(np.maximum(last_a + 1, first_b))
        + (1 - a) * (1 - b) * counted(np.maximum(last_a, last_b) + 1)
    )
    if ties == "b":
        size = np.sqrt(tied_a.squares(depths) * tied_b.squares(depths))
    return found._replace(size=size)


def only_in_longer(pairs: Pairing, depths: Depths, ties: Ties) -> OnlyInLonger:
    """Count the items that only the longer ranking of each pair contains."""
    b_longer = pairs.sizes_a <= pairs.sizes_b
    pair_a, pair_b = query_of_rows(pairs.starts_a), query_of_rows(pairs.starts_b)
    of_a, of_b = (pairs.at < 0) & ~b_longer[pair_a], pairs.only_in_b() & b_longer[pair_b]
    pair = np.concatenate([pair_a[of_a], pair_b[of_b]])
    begun = depths.counted(pair, np.concatenate([pairs.first_a[of_a], pairs.first_b[of_b]]))
    if ties == "w" or not pairs.ties():
        return OnlyInLonger(begun, begun, np.ones(len(begun)))
    full = depths.counted(pair, np.concatenate([pairs.last_a[of_a], pairs.last_b[of_b]]) + 1)
    part_a, part_b = (_tied(pairs, depths, of_a=of_a).parts(depths) for of_a in (True, False))
    longer = np.repeat(b_longer, depths.counts)
    return OnlyInLonger(begun, full, np.where(longer, part_b, part_a))


class _Tied(NamedTuple):
    """The depths within ties of one ranking: their rows, and the ranks of the tie, (n,) each."""

    rows: Ints
    first: Ranks
    last: Ranks

    def last_ranks(self, depth: Floats) -> Floats:
        """Count the items down to each depth, ties whole."""
        counts = depth.copy()
        counts[self.rows] = self.last
        return counts

    def parts(self, depths: Depths) -> Floats:
        """Return how much each item of the tie at each depth counts there."""
        part = np.ones(len(depths.depth))
        part[self.rows] = self._covered(depths) / (self.last - self.first + 1)
        return part

    def squares(self, depths: Depths) -> Floats:
        """Sum the squares of how much each item counts at each depth."""
        squared = depths.depth.astype(np.float64)
        size = self.last - self.first + 1
        squared[self.rows] = self.first - 1 + self._covered(depths) ** 2 / size
        return squared

    def _covered(self, depths: Depths) -> Ints:
        """Count the ranks of each tie down to the depth."""
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
