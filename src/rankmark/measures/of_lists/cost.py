"""What the documents of a list cost."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.arguments import COSTS
from rankmark.array_types import Bools, Floats, Ints, Ranks
from rankmark.data.alignment import Alignment
from rankmark.errors import InputError, MeasureError, counted
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.of_lists.list_measure import ListMeasure


class OfCosts(ListMeasure):
    """A measure of what documents cost; a subclass has ``score``."""

    of: str = choice("what documents cost", *COSTS)

    bounds = (0.0, np.inf)
    more_is_better = False

    @property
    def costs(self) -> tuple[str, ...]:
        return (self.of, *super().costs)

    def cost(self, a: Alignment) -> Floats:
        """Return what each document costs: (H,) float64."""
        view = a.views.get("costs")
        if view is None:
            raise MeasureError(
                f"{self} needs what documents cost, which is not known here",
                "ask for it in evaluate, compare or gate",
            )
        return view.judged[view.document]

    def told(self, values: Floats, retrieved: Ints) -> str:
        """Return what the reader must know of the values of all queries, or nothing.

        ``retrieved`` is how many documents each has.
        """
        raise NotImplementedError

    def parted(self, first: Ranks, last: Ranks) -> Bools:
        """Return whether the order of ties that have these ranks matters: (n,) bool."""
        return first < last


class CostOfList(OfCosts):
    """The cost of the documents of a list, such as their tokens, seconds or money.

    Formula: the sum of the costs of the first k documents; with a budget, of those that fit. With
    per="query", such as the seconds of a request, each row has the cost of its whole query, which
    counts once. A query without a list costs nothing, which a line tells.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: no tool has it.
    Source: own; what a budget is spent on.
    """

    k: int | None = cutoff()
    per: str = choice(
        "whether each row has a cost of its own, or that of its query", "row", "query"
    )

    name = "Cost"
    full_name = "cost of a list"
    formula = "total cost over the first k"
    latex = r"\sum_{i=1}^{k} c_i"
    may_lack_value = False

    def score(self, a: Alignment) -> Floats:
        cost = self.cost(a)
        if self.per == "row":
            return a.sum_to(self.k, cost)
        first = a.first(a.rank == 1, cost)
        differs = np.flatnonzero(cost != a.spread(first))
        if len(differs):
            query = a.queries[int(np.searchsorted(a.starts, differs[0], side="right")) - 1]
            raise InputError(
                f"the rows of query {query!r} have different {self.of}",
                'give each the cost of the query, or leave per="query" out',
            )
        return first

    def told(self, values: Floats, retrieved: Ints) -> str:
        said = f"{self}: {values.sum():,.6g} in total"
        if none := int((retrieved == 0).sum()):
            said += (
                f"; {none:,} of {counted(len(values), 'query', 'queries')} have no documents and "
                "cost 0, which looks cheap"
            )
        return said

    def parted(self, first: Ranks, last: Ranks) -> Bools:
        if self.k is None or self.per == "query":
            return np.zeros(len(first), dtype=np.bool_)
        return (first <= self.k) & (last > self.k)


Cost: Final = CostOfList()
