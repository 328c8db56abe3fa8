"""NumRet: the number of documents retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.measures.base.measure import Aggregate, Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class NumberRetrieved(Measure):
    """The number of documents retrieved, at most k for a query.

    Formula: min(n, k), summed over queries.
    Nothing relevant: counted as well.
    Ties: do not matter.
    Unjudged documents: counted.
    Elsewhere: trec_eval ``num_ret``, ir_measures ``NumRet`` (its ``NumRet(rel=1)`` is NumRelRet).
    Source: trec_eval 10.0, m_num_ret.c.
    """

    k: int | None = cutoff()

    name = "NumRet"
    full_name = "number of documents retrieved"
    aliases: Aliases = {"num_ret": {}}
    formula = "min(n, k)"
    latex = r"\min(n, k)"
    depends_on: DependsOn = "counts"
    bounds: tuple[float, float] = (0.0, float("inf"))
    nothing_relevant: float | None = None
    grows_with_k = True
    aggregate: Aggregate = "sum"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        return np.minimum(a.retrieved, a.cutoff(self.k))

    def contributions(self, a: Alignment) -> Contributions:
        cutoff = a.cutoff(self.k)
        return Contributions(
            a.within(self.k).astype(np.float64),
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{retrieved}" if self.k is None else f"min({{retrieved}}, {self.k})",
            numbers={"retrieved": a.retrieved.astype(np.float64)},
        )

    def needs(self) -> Needs:
        """Use no labels."""
        return Needs(lowest=np.inf, deepest=self.k)


NumRet: Final = NumberRetrieved()
