"""NumQ: the number of queries averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.measures.base.measure import Aggregate, Aliases, DependsOn, Measure
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class NumberOfQueries(Measure):
    """The number of queries averaged.

    Formula: 1 for each query, summed over queries.
    Nothing relevant: counted as well.
    Ties: do not matter.
    Unjudged documents: ignored.
    Elsewhere: trec_eval ``num_q``, ir_measures ``NumQ``.
    Source: trec_eval 10.0, m_num_q.c.
    """

    name = "NumQ"
    full_name = "number of queries"
    aliases: Aliases = {"num_q": {}}
    formula = "1 for each query"
    latex = r"1 \text{ for each query}"
    depends_on: DependsOn = "counts"
    bounds: tuple[float, float] = (1.0, 1.0)
    nothing_relevant: float | None = None
    aggregate: Aggregate = "sum"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        return np.ones(len(a.retrieved))

    def contributions(self, a: Alignment) -> Contributions:
        nothing = np.zeros(len(a.rank))
        return Contributions(nothing, rest=self.score(a), rest_is="the query itself", frame="1")

    def needs(self) -> Needs:
        """Use no labels."""
        return Needs(lowest=np.inf)


NumQ: Final = NumberOfQueries()
