"""alpha-DCG, whose gains shrink each time a subtopic is repeated, and alpha-nDCG."""

from __future__ import annotations

from typing import Final

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByLogarithm
from rankmark.results.explanations.contributions import Contributions


class AlphaDiscountedCumulativeGain(DiscountedByLogarithm):
    """DCG with gains that shrink each time a subtopic is repeated, normalised.

    Formula: sum of ng_i / log2(i + 1) over ranks i <= k, where ng_i is the sum, over the subtopics
    to which document i is relevant, of (1 - alpha)^(documents above relevant to it). It is divided
    (``norm``) by "perfect" the sum of a ranking in which every document is relevant to every
    subtopic with a relevant document; "none" nothing.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``alpha-DCG@k`` (not divided at k = 1, and k to 20 only),
    ir_measures ``alpha_DCG``; TF-Ranking ``alpha_dcg`` is norm="none".
    Source: Clarke et al., SIGIR 2008, section 5, discount of equation 8; ndeval.c 4.5, computeDCG.
    """

    norm: str = choice("what the sum is divided by", "perfect", "none")

    name = "alpha_DCG"
    full_name = "alpha discounted cumulative gain"
    aliases: Aliases = {"α-DCG": {}}
    formula = (
        "(sum of ng_i / log2(i + 1)) / (S * sum of (1 - alpha)^(i-1) / log2(i + 1)) over the "
        "ranks i <= k"
    )
    latex = (
        r"\frac{\sum_{i \le k} \mathrm{ng}_i / \log_2(i + 1)}{S \sum_{i \le k} (1 - \alpha)^{i "
        r"- 1} / \log_2(i + 1)}"
    )
    bounds: tuple[float, float] = (0.0, float("inf"))

    def score(self, a: Alignment) -> Floats:
        return self.earned(a) if self.norm == "none" else super().score(a)

    def contributions(self, a: Alignment) -> Contributions:
        return self.earned_by_document(a) if self.norm == "none" else super().contributions(a)


alpha_DCG: Final = AlphaDiscountedCumulativeGain()


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
