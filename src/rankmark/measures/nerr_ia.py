"""nERR-IA: intent-aware ERR divided by that of the greedy ranking."""

from __future__ import annotations

from typing import Final

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByRank


class NormalizedIntentAwareExpectedReciprocalRank(DiscountedByRank):
    """Intent-aware expected reciprocal rank divided by that of the greedy ranking.

    Formula: sum of ng_i / i over ranks i <= k, divided by that of the ranking that takes at each
    rank the judged document with the greatest ng_i, as in alpha-nDCG. Values can exceed 1, but
    never e / (e - 1) = 1.582.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``nERR-IA@k`` (k to 20 only), ir_measures ``nERR_IA``.
    Source: ndeval.c 4.5, computeERR, idealResult and renormalize.
    """

    name = "nERR_IA"
    full_name = "normalised intent-aware expected reciprocal rank"
    aliases: Aliases = {"normalized_err_ia": {}}
    formula = "(sum of ng_i / i over the ranks i <= k) / (the same of the greedy ranking)"
    latex = r"\frac{\sum_{i \le k} \mathrm{ng}_i / i}{\text{the same of the greedy ranking}}"
    bounds = GREEDY_BOUNDS
    against_greedy = True


nERR_IA: Final = NormalizedIntentAwareExpectedReciprocalRank()
