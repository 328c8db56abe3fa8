"""NumNonrelJudgedRet: the number of retrieved documents that were judged not relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.measures.base.measure import Aggregate, Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, judgment, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.data.alignment import Alignment


class NumberNonrelevantJudgedRetrieved(Measure):
    """The number of documents among the first k that were judged not relevant.

    Formula: N_k, the documents among the first k with a label from ``judged`` to below ``rel``,
    summed over queries. Without a cutoff, among all retrieved.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: not counted, nor are labels below ``judged``, as in trec_eval.
    Elsewhere: trec_eval ``num_nonrel_judged_ret``.
    Source: trec_eval 10.0, m_num_nonrel_judged_ret.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    judged: float = judgment()

    name = "NumNonrelJudgedRet"
    full_name = "number of documents retrieved that are judged not relevant"
    aliases: Aliases = {"num_nonrel_judged_ret": {}}
    formula = "N_k"
    latex = r"N_k"
    depends_on: DependsOn = "counts"
    bounds: tuple[float, float] = (0.0, float("inf"))
    nothing_relevant: float | None = None
    grows_with_k = True
    promoting_helps = False
    tie_handling = ADDITIVE
    more_is_better = False
    aggregate: Aggregate = "sum"

    def merit(self, label: Floats) -> Floats:
        """Return the lowest merit for the documents that count."""
        return np.where((label >= self.judged) & (label < self.rel), 0.0, 1.0)

    def score(self, a: Alignment) -> Floats:
        return a.count(self._judged_nonrelevant(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(self._judged_nonrelevant(a).astype(np.float64))

    def _judged_nonrelevant(self, a: Alignment) -> Bools:
        nonrelevant: Bools = a.nonrelevant(self.rel, self.judged) & a.within(self.k)
        return nonrelevant

    def needs(self) -> Needs:
        """Use all judged documents."""
        return Needs(lowest=min(self.rel, self.judged), deepest=self.k)


NumNonrelJudgedRet: Final = NumberNonrelevantJudgedRetrieved()
