"""Pairs of rankings without judgments: those of coefficients, and neighbours beside true ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark._core import neighbour_counts as counts_of_rows
from rankmark.arguments import whole
from rankmark.data.alignment.segments import query_of_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Ints

    AnyRanks = NDArray[np.int32] | NDArray[np.int64]
    from rankmark.array_types import Ranks

    Ids = NDArray[np.int32] | NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """Q pairs of rankings, a and b, with A and B items in total. Read-only.

    Parameters
    ----------
    starts_a, starts_b
        (Q + 1,) int64: pair q owns the rows ``starts_a[q]`` to ``starts_a[q + 1]`` of a.
    first_a, last_a, first_b, last_b
        (A,) and (B,), 1-based, rising within a pair: first and last rank of the item's tie, equal
        without a tie. Tied items are adjacent.
    at
        (A,) int64, the row of the item in b, or -1 if b does not contain it.
    """

    starts_a: Ints
    starts_b: Ints
    first_a: AnyRanks
    last_a: AnyRanks
    first_b: AnyRanks
    last_b: AnyRanks
    at: Ints

    def __len__(self) -> int:
        return len(self.starts_a) - 1

    @property
    def sizes_a(self) -> Ints:
        """The number of items of each a: (Q,) int64."""
        return np.diff(self.starts_a)

    @property
    def sizes_b(self) -> Ints:
        """The number of items of each b: (Q,) int64."""
        return np.diff(self.starts_b)

    def only_in_b(self) -> Bools:
        """Whether each row of b is an item that a does not contain: (B,) bool."""
        only_b = np.ones(len(self.first_b), dtype=np.bool_)
        only_b[self.at[self.at >= 0]] = False
        return only_b

    def ties(self) -> bool:
        """Return True if any items are tied."""
        return bool((self.first_a != self.last_a).any() or (self.first_b != self.last_b).any())

    def top(self, k: int | None) -> Pairing:
        """Cut after rank k; a tie that extends beyond k is kept whole, as it has no order."""
        k = None if k is None else whole("k", k)
        if k is None or max(self.sizes_a.max(initial=0), self.sizes_b.max(initial=0)) <= k:
            return self
        of_a, of_b = self.first_a <= k, self.first_b <= k
        # The new row of each row of b, -1 if it is cut; index -1, for no row, stays -1.
        moved = np.append(np.where(of_b, np.cumsum(of_b) - 1, -1), -1)
        return Pairing(
            _kept(self.starts_a, of_a),
            _kept(self.starts_b, of_b),
            self.first_a[of_a],
            self.last_a[of_a],
            self.first_b[of_b],
            self.last_b[of_b],
            moved[self.at[of_a]],
        )

    def parts(self, rows: int, pairs: int = 1000) -> Iterator[Pairing]:
        """Split into parts of at most so many rows and pairs, or of one pair with more rows."""
        ends = self.starts_a + self.starts_b
        begin = 0
        while begin < len(self):
            end = int(np.searchsorted(ends, ends[begin] + rows, side="right")) - 1
            end = min(max(end, begin + 1), begin + pairs, len(self))
            yield self._between(begin, end)
            begin = end

    def _between(self, begin: int, end: int) -> Pairing:
        a = slice(self.starts_a[begin], self.starts_a[end])
        b = slice(self.starts_b[begin], self.starts_b[end])
        at = self.at[a]
        return Pairing(
            self.starts_a[begin : end + 1] - a.start,
            self.starts_b[begin : end + 1] - b.start,
            self.first_a[a],
            self.last_a[a],
            self.first_b[b],
            self.last_b[b],
            np.where(at < 0, at, at - b.start),
        )


def _kept(starts: Ints, mask: Bools) -> Ints:
    """Return the starts after only the rows of the mask are kept."""
    counts = np.bincount(query_of_rows(starts)[mask], minlength=len(starts) - 1)
    return np.concatenate([[0], np.cumsum(counts)])


class NeighbourCounts(NamedTuple):
    """What the rows of found neighbours hold, (Q,) int32 each; an id counts once a row.

    Parameters
    ----------
    hits
        Found, and among the true ones in the first k columns.
    tied
        Found, and among the true ones before the row's end.
    expected
        True ones in the first k columns.
    found
        Found, in the first k columns.
    repeated, true_repeated
        Places in the first k columns that repeat an id, of the found and of the true ones.
    first
        (Q, places) bool, whether a place holds an id for the first time; (Q, 0) if not asked for.
    """

    hits: Ranks
    tied: Ranks
    expected: Ranks
    found: Ranks
    repeated: Ranks
    true_repeated: Ranks
    first: Bools


def neighbour_counts(
    truth: Ids,
    found: Ids,
    k: int,
    *,
    padding: int | None,
    ends: Ints | None = None,
    first: bool = False,
    threads: int = 1,
) -> NeighbourCounts:
    """Count the first k found ids of each row against the true ones.

    Parameters
    ----------
    truth, found
        (Q, columns) of one type, contiguous; ``truth`` has at least k columns.
    padding
        The id of empty places; None if there are none.
    ends
        (Q,) up to which column true neighbours count in ``tied``, from k on; None for k.
    first
        Whether the places of first occurrences are wanted.
    """
    rows: tuple[Any, Any] = truth, found  # the stub has a form for each type
    *counts, places = counts_of_rows(*rows, k, padding, ends, first, threads)
    return NeighbourCounts._make([*counts, places.view(np.bool_)])
