"""alpha-nDCG: alpha-DCG divided by that of the greedy ranking."""

from __future__ import annotations

from typing import Final

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByLogarithm


class AlphaNormalizedDiscountedCumulativeGain(DiscountedByLogarithm):
    """The alpha-DCG of the first k documents divided by that of the greedy ranking.

    Formula: sum of ng_i / log2(i + 1) over ranks i <= k, divided by that of the greedy ranking;
    ng_i is the sum, over the subtopics to which document i is relevant, of (1 - alpha)^(documents
    above relevant to it). The greedy ranking takes at each rank the judged document with the
    greatest ng_i; of equal ones that with the greatest id, in a list without ids the first. Finding
    the best ranking would take exponential time; the greedy one may be worse, so values can exceed
    1, but never e / (e - 1) = 1.582.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``alpha-nDCG@k`` (k to 20 only; alpha is one for all measures),
    ir_measures ``alpha_nDCG@k``.
    Source: Clarke et al., SIGIR 2008, section 5; ndeval.c 4.5, idealResult and renormalize.
    """

    name = "alpha_nDCG"
    full_name = "alpha normalised discounted cumulative gain"
    aliases: Aliases = {"α-nDCG": {}}
    formula = "(sum of ng_i / log2(i + 1) over the ranks i <= k) / (the same of the greedy ranking)"
    latex = (
        r"\frac{\sum_{i \le k} \mathrm{ng}_i / \log_2(i + 1)}{\text{the same of the greedy "
        r"ranking}}"
    )
    bounds = GREEDY_BOUNDS
    against_greedy = True


alpha_nDCG: Final = AlphaNormalizedDiscountedCumulativeGain()
