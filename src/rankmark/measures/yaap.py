"""yaAP: average precision, stretched so that its mean treats all queries alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.measure import Measure
from rankmark.measures.parameters import threshold

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class YetAnotherAveragePrecision(Measure):
    """The logarithm of the odds of AP, one document being added to either side.

    Formula: ln((1 + S) / (1 + R - S)), S being the sum of h_i / i over the relevant ranks i: R AP.
    Nothing relevant: 0, which is the value of AP = 1/2 as well.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``yaap``, which pytrec_eval leaves out.
    Source: Robertson, ECIR 2012, LNCS 7224, pages 158-169; trec_eval 10.0, m_yaap.c.
    """

    rel: float = threshold()

    name = "yaAP"
    aliases = {"yet_another_average_precision": {}}
    formula = "ln((1 + S) / (1 + R - S)), S = R AP"
    sees = "order"
    bounds = (float("-inf"), float("inf"))
    source = "Robertson 2012, ECIR, LNCS 7224, pages 158-169; trec_eval 10.0, m_yaap.c"

    def score(self, a: Alignment) -> Floats:
        hit = a.relevant(self.rel).astype(np.float64)
        earned = a.sum(hit * a.cumsum(hit) / a.rank)
        odds: Floats = np.log((1.0 + earned) / (1.0 + a.num_relevant(self.rel) - earned))
        return odds


yaAP = YetAnotherAveragePrecision()
