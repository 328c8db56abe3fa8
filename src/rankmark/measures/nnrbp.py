"""nNRBP: NRBP divided by that of the greedy ranking."""

from __future__ import annotations

from typing import Final

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByPersistence


class NormalizedNoveltyAndRankBiasedPrecision(DiscountedByPersistence):
    """Novelty- and rank-biased precision divided by that of the greedy ranking.

    Formula: sum of ng_i beta^(i-1) over ranks i, divided by that of the ranking that takes at each
    rank the judged document with the greatest ng_i, as in alpha-nDCG. Values can exceed 1, but
    never e / (e - 1) = 1.582.
    Nothing relevant: 0; ndeval prints NaN.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``nNRBP``, ir_measures ``nNRBP``.
    Source: ndeval.c 4.5, computeNRBP, idealResult and renormalize.
    """

    name = "nNRBP"
    full_name = "normalised novelty- and rank-biased precision"
    aliases: Aliases = {"normalized_nrbp": {}}
    formula = "(sum of ng_i beta^(i-1) over the ranks i) / (the same of the greedy ranking)"
    latex = r"\frac{\sum_i \mathrm{ng}_i\, \beta^{i - 1}}{\text{the same of the greedy ranking}}"
    bounds = GREEDY_BOUNDS
    against_greedy = True


nNRBP: Final = NormalizedNoveltyAndRankBiasedPrecision()
