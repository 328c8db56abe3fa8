"""Novelty- and rank-biased precision, and the same divided by that of the greedy ranking."""

from __future__ import annotations

from typing import Final

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.by_subtopic import num_subtopics
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByPersistence
from rankmark.results.explanations.contributions import Contributions


class NoveltyAndRankBiasedPrecision(DiscountedByPersistence):
    """The expected novelty gain of a user who continues with probability beta.

    Formula: (1 - (1 - alpha) beta) / S * sum of ng_i beta^(i-1) over the ranks i, where ng_i is the
    sum, over the subtopics to which document i is relevant, of (1 - alpha)^(documents above
    relevant to it), and S is the number of subtopics with a relevant document. An infinite ranking
    of documents relevant to every subtopic scores 1.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``NRBP``, ir_measures ``NRBP``.
    Source: Clarke, Kolla and Vechtomova, ICTIR 2009, equation 8; ndeval.c 4.5, computeNRBP.
    """

    name = "NRBP"
    full_name = "novelty- and rank-biased precision"
    aliases: Aliases = {"novelty_and_rank_biased_precision": {}}
    formula = "(1 - (1 - alpha) beta) / S * sum of ng_i beta^(i-1) over the ranks i"
    latex = r"\frac{1 - (1 - \alpha)\, \beta}{S} \sum_i \mathrm{ng}_i\, \beta^{i - 1}"

    def score(self, a: Alignment) -> Floats:
        earned = self._factor() * self.earned(a)
        return ratio(earned, num_subtopics(self, a))

    def contributions(self, a: Alignment) -> Contributions:
        terms = self.earned_by_document(a)
        return terms._replace(
            ranked=self._factor() * terms.ranked,
            divisor=num_subtopics(self, a),
            frame=f"(1 - (1 - {self.alpha:g}) * {self.beta:g}) / {{divisor}} * {{sum}}",
        )

    def _factor(self) -> float:
        return 1.0 - (1.0 - self.alpha) * self.beta


NRBP = NoveltyAndRankBiasedPrecision()


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
