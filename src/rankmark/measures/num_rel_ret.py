"""NumRelRet: the number of relevant documents retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class NumberRelevantRetrieved(Measure):
    """The number of relevant documents among the first k.

    Formula: h_k, summed over queries; with ``aggregate="mean"`` averaged. Without a cutoff, among
    all retrieved.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``num_rel_ret``, ir_measures ``NumRelRet``; ranx ``hits`` is
    aggregate="mean".
    Source: trec_eval 10.0, m_num_rel_ret.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    aggregate: Any = choice("how query scores are combined", "sum", "mean")

    name = "NumRelRet"
    full_name = "number of relevant documents retrieved"
    aliases: Aliases = {"num_rel_ret": {}}
    formula = "h_k"
    latex = r"h_k"
    depends_on: DependsOn = "counts"
    bounds: tuple[float, float] = (0.0, float("inf"))
    nothing_relevant: float | None = None
    grows_with_k = True
    tie_handling = ADDITIVE
    term_of: TermOf | None = "found"

    def score(self, a: Alignment) -> Floats:
        return a.found(self.rel, self.k)

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(a.hits(self.rel, self.k).astype(np.float64))


NumRelRet: Final = NumberRelevantRetrieved()
