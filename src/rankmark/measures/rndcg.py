"""Rndcg: nDCG where a perfect ranking passes from one gain to the next, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment import positions, ratio
from rankmark.measures.gains import Graded, costs
from rankmark.measures.parameters import discount

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class NormalizedDiscountedCumulativeGainAtLevels(Graded):
    """The mean of nDCG at the ranks where a perfect ranking ends a gain, and at the last rank.

    Formula: the mean of nDCG_i over the ranks i where a perfect ranking has had all documents of
    one gain above 0, and over n where n is greater than all of these. ``gain`` and ``discount`` as
    in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: worth 0. Labels below 0 as well.
    Elsewhere: trec_eval and pytrec_eval ``Rndcg``, which leave n out where it is one more than the
    documents with a gain, and give 0 where no label reaches the level of ``-l``.
    Source: trec_eval 10.0, m_Rndcg.c.
    """

    discount: Any = discount()

    name = "Rndcg"
    aliases = {"R-nDCG": {}}
    formula = "mean of nDCG_i over the ranks i that end a gain in a perfect ranking, and n"
    sees = "grades"
    adds_up = True
    source = "trec_eval 10.0, m_Rndcg.c"

    def score(self, a: Alignment) -> Floats:
        earned = self.gains(a.label) / costs(a.rank, self.discount)
        gains = self.ideal_gains(a)
        ideal = gains / costs(positions(a.ideal_starts), self.discount)
        following = np.append(gains[1:], 0.0)
        ends = a.ideal_starts[1:]
        following[ends[ends > 0] - 1] = 0.0
        at = np.flatnonzero((gains > 0) & (gains != following))
        query, rank = a.ideal_query()[at], a.ideal_rank()[at]
        queries = len(a.retrieved)
        levels = ratio(a.upto(earned, query, rank), a.ideal_upto(ideal, query, rank))
        gained = np.bincount(a.ideal_query()[gains > 0], minlength=queries)
        beyond = (a.retrieved > gained) & (gained > 0)
        total = np.zeros(queries)
        points = beyond.astype(np.float64)
        np.add.at(total, query, levels)
        np.add.at(points, query, 1.0)
        total += np.where(beyond, ratio(a.sum(earned), a.ideal_sum(ideal)), 0.0)
        return ratio(total, points)


Rndcg = NormalizedDiscountedCumulativeGainAtLevels()
