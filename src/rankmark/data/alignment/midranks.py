"""Tied documents at the middle of their ranks, which may lie between two."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment.aligned_run import Alignment, last_rank
from rankmark.data.alignment.segments import query_of_rows
from rankmark.data.alignment.tie_probabilities import tie_columns


class MidrankAlignment(Alignment):
    """An alignment whose ranks are float64, and several documents may have the same.

    Formulas over it may count and add up documents by their ranks, but not ask how many came
    before one.
    """

    __slots__ = ()

    def hits(self, rel: float, k: int | None) -> Bools:
        """Whether each document is relevant and among the first ``k``: (H,) bool."""
        return self.once(("hits", rel, k), lambda: self.relevant(rel) & self.within(k))

    def within(self, k: int | None) -> Bools:
        """Whether each document is among the first ``k``: (H,) bool, all true for None."""
        return self.once(("within", k), lambda: self.rank <= last_rank(k))

    def found(self, rel: float, k: int | None) -> Floats:
        """Count the relevant documents among the first ``k``: (Q,) float64."""
        return self.count(self.hits(rel, k))

    def first_rank(self, rel: float, k: int | None) -> Floats:
        """Return the rank of the first relevant document among the first ``k``: (Q,) float64.

        Infinity if there is none.
        """
        ranks: Any = self.rank
        return self.first(self.hits(rel, k), ranks, absent=np.inf)

    def sum_to(self, k: int | None, values: Floats) -> Floats:
        """Sum the rows of each query among the first ``k``: (H,) to (Q,) float64."""
        return self.sum_where(self.within(k), values)


def at_midranks(a: Alignment) -> Alignment:
    """Place tied documents at the middle of their ranks; those beyond ``a.retrieved`` are left out.

    An alignment in which nothing is tied is returned as it is.
    """
    if a.tie_first is None:
        return a
    return a.once("midranks", lambda: _at_midranks(a))


def _at_midranks(a: Alignment) -> Alignment:
    first, last = tie_columns(a)
    middle = (first.astype(np.float64) + last) / 2.0
    kept = middle <= a.spread(a.retrieved.astype(np.float64))
    counts = np.bincount(query_of_rows(a.starts)[kept], minlength=len(a.retrieved))
    rank: Any = middle[kept]
    return MidrankAlignment(
        a.queries,
        np.append(0, np.cumsum(counts)),
        rank,
        a.label[kept],
        a.retrieved,
        a.ideal_starts,
        a.ideal_label,
        views=a.views_at(np.flatnonzero(kept)),
        _ideal=a._ideal,
    )
