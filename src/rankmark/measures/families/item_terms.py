"""Values of lists as sums over their items, so that each item has a part of the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.measures.families.rank_weights import weights_of

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import Lists


class Terms(NamedTuple):
    """What each of m items adds to the value of its list: the sum of the terms / divisor + rest.

    Parameters
    ----------
    lists
        The items that count.
    added
        (m,) float64.
    divisor
        (n,) float64, 0 for lists without a value.
    columns
        {heading: (m,) float64} that explain the terms.
    written, frame
        As in ``Contributions``: the formats of a term and of the formula.
    rest, rest_is
        What is added besides, and what it is.
    """

    lists: Lists
    added: Floats
    divisor: Floats
    columns: Mapping[str, Floats]
    written: str = "1"
    frame: str = ""
    rest: float = 0.0
    rest_is: str = ""

    def value(self) -> Floats:
        """Return the value of each list: (n,) float64, NaN if it has none."""
        found = self.lists.sum(self.added) / self.divisor
        return np.where(self.divisor > 0, self.rest + found if self.rest else found, np.nan)


def weighted_terms(
    lists: Lists,
    values: Floats,
    weights: str | float,
    k: int | None,
    columns: Mapping[str, Floats],
) -> Terms:
    """Return the terms of the weighted mean of the values of each list; empty ones have none.

    With ``k``, ranks to k that a list does not have count as 0. The first of the columns has what
    the values are made of.
    """
    weight = weights_of(weights, lists.rank)
    total = lists.sum(weight)
    if k is not None:
        total = np.where(total > 0, weights_of(weights, np.arange(1, k + 1)).sum(), 0.0)
    written = f"{{{next(iter(columns))}}}"
    if weights != "equal":
        columns, written = {**columns, "weight": weight}, written + " * {weight}"
    return Terms(lists, weight * values, total, columns, written)
