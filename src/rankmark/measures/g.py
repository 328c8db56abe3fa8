"""G: gain, discounted by the gain that was missed before and not by the rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import query_of_rows, ratio
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.gains import Graded

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats


class NormalizedGain(Graded):
    """The gain of each document, worth less the more gain a perfect ranking had by then.

    Formula: sum of g_i / log2(2 + C_i - G_i) over the ranks i, over the sum of all gains judged:
    G_i is the gain up to and with rank i, C_i that of a perfect ranking, in which a document worth
    less than 1 counts as 1. ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: worth 0. Labels below 0 as well.
    Elsewhere: trec_eval and pytrec_eval ``G``. With gains of 0 and 1 it is binG. A perfect ranking
    scores less than 1 where some gain lies between 0 and 1.
    Source: trec_eval 10.0, m_G.c.
    """

    name = "G"
    aliases = {"normalized_gain": {}}
    formula = "sum of g_i / log2(2 + C_i - G_i), over the sum of all gains"
    depends_on = "grades"
    # Where little more is to be gained, a small gain may better come first.
    tie_handling = TieHandling(sorted_is_best=False)

    def score(self, a: Alignment) -> Floats:
        gains, ideal = self.gains(a.label), self.ideal_gains(a)
        possible, gained = self._so_far(a, gains, ideal)
        return ratio(a.sum(gains / np.log2(2.0 + possible - gained)), a.ideal_sum(ideal))

    def contributions(self, a: Alignment) -> Contributions:
        gains, ideal = self.gains(a.label), self.ideal_gains(a)
        possible, gained = self._so_far(a, gains, ideal)
        return Contributions(
            gains / np.log2(2.0 + possible - gained),
            over=a.ideal_sum(ideal),
            columns={"gain": gains, "possible": possible, "gained": gained},
            written="{gain}/log2(2 + {possible} - {gained})",
        )

    def _so_far(self, a: Alignment, gains: Floats, ideal: Floats) -> tuple[Floats, Floats]:
        """Give the gain of a perfect ranking to each document's rank, and that of this: (H,)."""
        judged = np.diff(a.ideal_starts)
        least = np.maximum(ideal, 1.0)
        possible = a.ideal_upto(least, query_of_rows(a.starts), a.rank.astype(np.int64))
        possible += np.maximum(a.rank - a.spread(judged), 0)  # ranks beyond the judged ones
        return possible, a.cumsum(gains)


G = NormalizedGain()
