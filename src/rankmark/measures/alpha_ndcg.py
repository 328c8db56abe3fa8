"""alpha-nDCG: alpha-DCG divided by that of the greedy ranking."""

from __future__ import annotations

from typing import Final

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByLogarithm


class AlphaNormalizedDiscountedCumulativeGain(DiscountedByLogarithm):
    """The alpha-DCG of the first k documents divided by that of the greedy ranking.

    Formula: alpha-DCG_k / alpha-IDCG_k, both undivided sums of g_i / log2(i + 1), g_i being the sum
    of (1 - alpha)^s over the subtopics to which document i is relevant, after s documents relevant
    to it. The greedy ranking takes at each rank the judged document with the greatest g_i; of equal
    ones that with the greatest id, in a list without ids the first. Finding the best ranking would
    take exponential time; the greedy one may be worse, so values can exceed 1, but never e / (e -
    1) = 1.582.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``alpha-nDCG@k`` (k to 20 only; alpha is one for all measures),
    ir_measures ``alpha_nDCG@k``.
    Source: Clarke et al., SIGIR 2008, section 5; ndeval.c 4.5, idealResult and renormalize.
    """

    name = "alpha_nDCG"
    full_name = "alpha normalized discounted cumulative gain"
    aliases: Aliases = {"α-nDCG": {}}
    formula = "alpha-DCG_k / alpha-DCG_k of the greedy ranking"
    bounds = GREEDY_BOUNDS
    against_greedy = True


alpha_nDCG: Final = AlphaNormalizedDiscountedCumulativeGain()
