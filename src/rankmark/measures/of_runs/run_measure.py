"""A measure of a run: a formula over all of its lists, with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.alignment import query_of_rows
from rankmark.formulas import Formula

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints


class RunLists(NamedTuple):
    """The lists of a run, and the catalogue that they are made from.

    Parameters
    ----------
    starts
        (n + 1,) int64; items ``starts[i]`` to ``starts[i + 1]`` are the i-th list, best first.
    items
        (m,) int64, the numbers of the items; each stands once in a list.
    catalogue
        How many items the catalogue has. They have the first numbers; items that are not in it
        have higher ones.
    """

    starts: Ints
    items: Ints
    catalogue: int

    def first(self, k: int | None) -> tuple[Ints, Ints]:
        """Return the list and the number of each item at ranks up to k: (r,) int64 each."""
        of_list = query_of_rows(self.starts)
        if k is None:
            return of_list, self.items
        kept = np.arange(len(self.items)) - self.starts[of_list] < k
        return of_list[kept], self.items[kept]


class LeftOut(NamedTuple):
    """The value of all lists, and of the others as each list is left out: (n,) float64."""

    value: float
    without: Floats


@dataclass(frozen=True, slots=True, repr=False)
class RunMeasure(Formula):
    """A measure of a run with its parameters: compared, hashed and printed by value.

    ``ITEM_COVERAGE @ 10`` sets the cutoff.

    Parameters
    ----------
    name
        Its name in ``evaluate_lists``.
    over
        ``over(lists, ...)`` of RunLists returns LeftOut.
    formula
        In words.
    bounds
        The lowest and the highest value.
    aliases
        Other names.
    given
        The parameters that differ from their defaults.
    """

    name: str
    over: Callable[..., LeftOut]
    formula: str
    bounds: tuple[float, float]
    aliases: tuple[str, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()

    shown = ()

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        self.over(_NO_LISTS, **parameters)

    def of(self, lists: RunLists) -> LeftOut:
        """Return the value of all lists, and without each."""
        return self.over(lists, **dict(self.given))


_NO_LISTS = RunLists(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64), 1)
