"""Judged: the fraction of the retrieved documents that are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import Needs, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class JudgedShare(Measure):
    """The fraction of the first k documents that are judged, relevant or not.

    Formula: (judged documents among the first k) / min(k, n). An empty ranking: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: what it measures. Labels below 0 count as judged.
    Elsewhere: ir_measures ``Judged@k`` (which fails on an empty list); trec_eval's ``unj_k`` and
    BEIR's ``Hole@k`` are fractions of unjudged documents, divided by k: Unjudged and Hole.
    Source: ir_measures 0.4.3, judged_provider.py.
    """

    k: int | None = cutoff()

    name = "Judged"
    full_name = "share of documents judged"
    aliases: Aliases = {"judged_share": {}}
    formula = "(documents judged among the first k) / min(k, n)"
    latex = r"\frac{\text{documents judged among the first } k}{\min(k, n)}"
    depends_on: DependsOn = "judged"
    nothing_relevant: float | None = None
    promoting_helps = False
    tie_handling = ADDITIVE
    term_of: TermOf | None = "label"

    def needs(self) -> Needs:
        """Use only documents that were retrieved."""
        return Needs(deepest=self.k, ideal=1)

    def score(self, a: Alignment) -> Floats:
        return ratio(a.count(a.within(self.k)), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(a.within(self.k).astype(np.float64), divisor=self._divisor(a))

    def _divisor(self, a: Alignment) -> Floats:
        return np.minimum(a.retrieved, a.cutoff(self.k))


Judged: Final = JudgedShare()
