"""An alignment of expected numbers of documents, over all orders of those that are tied."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment.aligned_run import Alignment
from rankmark.data.alignment.segments import query_of_rows


@dataclass(slots=True, eq=False)
class ExpectedAlignment(Alignment):
    """Ranks that documents may have, each row with the expected number of documents there.

    ``sum`` and ``count`` return expected values if all orders of tied documents are equally likely.
    Methods that need the order of one ranking are refused.

    Parameters
    ----------
    chance
        (H,) float64, the expected number of documents with the row's label at the row's rank.
    """

    chance: Floats = field(kw_only=True)

    def sum(self, values: Floats) -> Floats:
        """Sum the expected values of the rows of each query."""
        return Alignment.sum(self, values * self.chance)

    def sum_where(self, mask: Bools, values: Floats) -> Floats:
        """Sum the expected values of the true rows of each query."""
        return Alignment.sum_where(self, mask, values * self.chance)

    def sum_to(self, k: int | None, values: Floats) -> Floats:
        """Sum the expected values of the rows of each query among the first ``k``."""
        return Alignment.sum_to(self, k, values * self.chance)

    def count(self, mask: Bools) -> Floats:
        """Count the expected documents at the true rows of each query."""
        return Alignment.sum_where(self, mask, self.chance)

    def found(self, rel: float, k: int | None) -> Floats:
        """Count the relevant documents expected among the first ``k``."""
        return self.count(self.hits(rel, k))

    def upto(self, values: Floats, query: Ints, rank: Ints) -> Floats:
        """Sum the expected values of the rows of each ``query`` down to ``rank``."""
        order = np.lexsort((self.rank, query_of_rows(self.starts)))
        in_order = Alignment(
            self.queries,
            self.starts,
            self.rank[order],
            self.label[order],
            self.retrieved,
            self.ideal_starts,
            self.ideal_label,
        )
        return in_order.upto((values * self.chance)[order], query, rank)

    def cumsum(self, values: Floats) -> NoReturn:
        """Refuse, as the rows have no order."""
        raise _no_order("cumsum", values)

    def cumcount(self, mask: Bools) -> NoReturn:
        """Refuse, as the rows have no order."""
        raise _no_order("cumcount", mask)

    def cumprod(self, values: Floats) -> NoReturn:
        """Refuse, as the rows have no order."""
        raise _no_order("cumprod", values)

    def first_rank(self, rel: float, k: int | None) -> NoReturn:
        """Refuse, as the rows have no order."""
        raise _no_order("first_rank", (rel, k))

    def first(self, mask: Bools, values: Floats, *, absent: float = 0.0) -> NoReturn:
        """Refuse, as the rows have no order."""
        raise _no_order("first", (mask, values, absent))


def _no_order(name: str, _asked: object) -> TypeError:
    return TypeError(
        f"{name} needs the order of one ranking, and tied documents have none: a measure that uses "
        "it must not set adds_up"
    )
