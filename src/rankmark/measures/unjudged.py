"""Unjudged: the fraction of the retrieved documents that are unjudged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import Needs, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import choice, cutoff, judgment
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class UnjudgedShare(Measure):
    """The fraction of the first k documents that are unjudged.

    Formula: (unjudged documents among the first k) / k; a shorter ranking is padded with judged
    ones, unless ``norm="retrieved"``: divided by min(k, n). An empty ranking: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: what it measures. Labels below ``judged`` count as unjudged, as in
    trec_eval; Judged counts every label as judged.
    Elsewhere: trec_eval ``unj_k``. Hole counts documents that are not judged for any query.
    Source: trec_eval 10.0, m_unjudged.c.
    """

    k: int | None = cutoff()
    judged: float = judgment()
    norm: str = choice("what the count is divided by", "k", "retrieved")

    name = "Unjudged"
    full_name = "share of documents unjudged"
    aliases: Aliases = {"unj": {}, "unjudged_share": {}}
    formula = "(documents unjudged among the first k) / k"
    latex = r"\frac{\text{documents unjudged among the first } k}{k}"
    depends_on: DependsOn = "judged"
    nothing_relevant: float | None = None
    promoting_helps = False
    tie_handling = ADDITIVE
    more_is_better = False

    def score(self, a: Alignment) -> Floats:
        retrieved = np.minimum(a.retrieved, a.cutoff(self.k))
        return ratio(retrieved - a.found(self.judged, self.k), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        cutoff = a.cutoff(self.k)
        return Contributions(
            (a.within(self.k) & ~a.relevant(self.judged)).astype(np.float64),
            divisor=self._divisor(a),
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{unjudged} / {divisor}",
            numbers={"unjudged": np.minimum(a.retrieved, cutoff) - a.found(self.judged, self.k)},
        )

    def _divisor(self, a: Alignment) -> Floats:
        k = a.cutoff(self.k)
        return k if self.norm == "k" else np.minimum(a.retrieved, k)

    def needs(self) -> Needs:
        """Use all judged documents."""
        return Needs(lowest=self.judged, deepest=self.k)


Unjudged: Final = UnjudgedShare()
