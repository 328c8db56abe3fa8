"""alpha-nDCG: alpha-DCG against that of a good ranking of all judged documents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark.measures.base.parameters import cutoff
from rankmark.measures.families.novelty import DiscountedByLogarithm

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats
    from rankmark.explanations.contributions import Contributions


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

    k: int | None = cutoff()

    name = "alpha_nDCG"
    aliases = {"α-nDCG": {}}
    formula = "alpha-DCG_k / alpha-DCG_k of the greedy ranking"
    bounds = (0.0, math.e / (math.e - 1.0))
    source = "Clarke et al. 2008, SIGIR, section 5; ndeval 4.5, idealResult"

    def score(self, a: Alignment) -> Floats:
        return self.against_greedy(a, self.k)

    def contributions(self, a: Alignment) -> Contributions:
        return self.contributions_against_greedy(a, self.k)


alpha_nDCG = AlphaNormalizedDiscountedCumulativeGain()
