"""nNRBP: NRBP divided by that of the greedy ranking."""

from __future__ import annotations

from typing import Final

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByPersistence


class NormalizedNoveltyAndRankBiasedPrecision(DiscountedByPersistence):
    """Novelty- and rank-biased precision divided by that of the greedy ranking.

    Formula: NRBP / NRBP of the ranking that takes at each rank the judged document with the
    greatest g_i, as in alpha-nDCG; sums of g_i beta^(i - 1). Values can exceed 1, but never e / (e
    - 1) = 1.582.
    Nothing relevant: 0; ndeval prints NaN.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``nNRBP``, ir_measures ``nNRBP``.
    Source: ndeval.c 4.5, computeNRBP, idealResult and renormalize.
    """

    name = "nNRBP"
    full_name = "normalized novelty- and rank-biased precision"
    aliases: Aliases = {"normalized_nrbp": {}}
    formula = "NRBP / NRBP of the greedy ranking"
    bounds = GREEDY_BOUNDS
    against_greedy = True


nNRBP: Final = NormalizedNoveltyAndRankBiasedPrecision()
