"""G: gain, discounted by the gain missed so far instead of the rank."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, query_of_rows, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.gains import Graded
from rankmark.results.explanations.contributions import Contributions


class NormalizedGain(Graded):
    """The gain of each document, discounted by how much more gain an ideal ranking has by then.

    Formula: sum of g_i / log2(2 + C_i - cg_i) over the ranks i, divided by the sum of the gains of
    all judged documents: cg_i is the gain up to rank i, C_i that of an ideal ranking, in which
    gains below 1 count as 1. ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: trec_eval and pytrec_eval ``G``. With gains of 0 and 1 it is binG. An ideal ranking
    scores less than 1 if some gain is between 0 and 1.
    Source: trec_eval 10.0, m_G.c.
    """

    name = "G"
    full_name = "graded G measure"
    aliases: Aliases = {"normalized_gain": {}}
    formula = (
        "(sum of g_i / log2(2 + C_i - cg_i) over the ranks i) / (sum of the gains of all "
        "judged documents)"
    )
    latex = (
        r"\frac{\sum_i g_i / \log_2(2 + C_i - \mathrm{cg}_i)}{\text{sum of the gains of all "
        r"judged documents}}"
    )
    depends_on: DependsOn = "grades"
    # If the ideal ranking gains little more, a small gain may better come first.
    tie_handling: TieHandling = TieHandling(sorted_is_best=False)

    def score(self, a: Alignment) -> Floats:
        gains, ideal = self.gains(a.label), self.ideal_gains(a)
        possible, gained = self._so_far(a, gains, ideal)
        return ratio(a.sum(gains / np.log2(2.0 + possible - gained)), a.ideal_sum(ideal))

    def contributions(self, a: Alignment) -> Contributions:
        gains, ideal = self.gains(a.label), self.ideal_gains(a)
        possible, gained = self._so_far(a, gains, ideal)
        return Contributions(
            gains / np.log2(2.0 + possible - gained),
            divisor=a.ideal_sum(ideal),
            columns={"gain": gains, "possible": possible, "gained": gained},
            written="{gain}/log2(2 + {possible} - {gained})",
        )

    def _so_far(self, a: Alignment, gains: Floats, ideal: Floats) -> tuple[Floats, Floats]:
        """Return the gain up to each rank of an ideal ranking, and of this one: (H,) each."""
        judged = np.diff(a.ideal_starts)
        least = np.maximum(ideal, 1.0)
        possible = a.ideal_upto(least, query_of_rows(a.starts), a.rank.astype(np.int64))
        possible += np.maximum(a.rank - a.spread(judged), 0)  # at ranks after the judged documents
        return possible, a.cumsum(gains)


G = NormalizedGain()
