"""alpha-nDCG: alpha-DCG against that of a good ranking of all judged documents."""

from __future__ import annotations

from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByLogarithm


class AlphaNormalizedDiscountedCumulativeGain(DiscountedByLogarithm):
    """The discounted gains of the first k documents over those of a greedy ranking.

    Formula: alpha-DCG_k / alpha-IDCG_k, both undivided sums of g_i / log2(i + 1), g_i being the sum
    of (1 - alpha)^s over the subtopics to which document i is relevant, s documents above being so
    too. The ideal takes at each rank the judged document with the greatest g_i; of several the one
    with the greatest id, in a bare list the first. The best ranking would take exponential time to
    find, and this one may be worse, so a value may exceed 1, but never e / (e - 1) = 1.582.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``alpha-nDCG@k`` (k to 20 only; alpha is one for all measures),
    ir_measures ``alpha_nDCG@k``.
    Source: Clarke et al., SIGIR 2008, section 5; ndeval.c 4.5, idealResult and renormalize.
    """

    name = "alpha_nDCG"
    aliases = {"α-nDCG": {}}
    formula = "alpha-DCG_k / alpha-DCG_k of the greedy ranking"
    bounds = GREEDY_BOUNDS
    against_greedy = True


alpha_nDCG = AlphaNormalizedDiscountedCumulativeGain()
