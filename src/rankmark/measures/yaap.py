"""yaAP: the log-odds of average precision."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import threshold
from rankmark.results.explanations.contributions import Contributions


class YetAnotherAveragePrecision(Measure):
    """The logarithm of the odds of AP, with one document added on either side.

    Formula: ln((1 + R * AP) / (1 + R - R * AP)), R * AP being the sum of h_i / i over the relevant
    ranks i.
    Nothing relevant: 0, as for AP = 1/2.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``yaap``, which pytrec_eval omits.
    Source: Robertson, ECIR 2012, LNCS 7224, pages 158-169; trec_eval 10.0, m_yaap.c.
    """

    rel: float = threshold()

    name = "yaAP"
    full_name = "yet another average precision"
    aliases: Aliases = {"yet_another_average_precision": {}}
    formula = "ln((1 + R * AP) / (1 + R - R * AP))"
    latex = r"\ln \frac{1 + R \cdot \mathrm{AP}}{1 + R - R \cdot \mathrm{AP}}"
    depends_on: DependsOn = "order"
    bounds: tuple[float, float] = (float("-inf"), float("inf"))

    def score(self, a: Alignment) -> Floats:
        hit, found = self._steps(a)
        return self._odds(a, a.sum(hit * found / a.rank))

    def contributions(self, a: Alignment) -> Contributions:
        hit, found = self._steps(a)
        each = hit * found / a.rank
        earned = a.sum(each)
        nothing = self._odds(a, np.zeros(len(earned)))
        # A logarithm is not a sum; its increase is divided in proportion to contributions to AP.
        stretched = ratio(self._odds(a, earned) - nothing, earned)
        return Contributions(
            each * a.spread(stretched),
            rest=nothing,
            rest_is="if nothing is found",
            columns={"found": found, "precision": found / a.rank},
            written="{found}/{rank}",
            frame="ln((1 + {sum}) / (1 + {relevant} - {earned}))",
            numbers={"relevant": a.num_relevant(self.rel), "earned": earned},
        )

    def _steps(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return which documents are hits, and how many are found by each rank: (H,) each."""
        hit = a.relevant(self.rel).astype(np.float64)
        return hit, a.cumsum(hit)

    def _odds(self, a: Alignment, earned: Floats) -> Floats:
        return np.log((1.0 + earned) / (1.0 + a.num_relevant(self.rel) - earned))


yaAP: Final = YetAnotherAveragePrecision()
