"""ERR-IA: expected reciprocal rank for each subtopic, averaged and normalised."""

from __future__ import annotations

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import DiscountedByRank


class IntentAwareExpectedReciprocalRank(DiscountedByRank):
    """Expected reciprocal rank averaged over subtopics, divided by the highest conceivable value.

    Formula: sum of ng_i / i over ranks i <= k, where ng_i is the sum, over the subtopics to which
    document i is relevant, of (1 - alpha)^(documents above relevant to it); divided by the sum of a
    ranking in which every document is relevant to every subtopic with a relevant one. alpha is the
    probability that a relevant document satisfies the user; the paper's factor alpha cancels out.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``ERR-IA@k`` (not divided at k = 1, and k to 20 only),
    ir_measures ``ERR_IA``.
    Source: Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu, Information Retrieval 14(6), 2011;
    ndeval.c 4.5, computeERR.
    """

    name = "ERR_IA"
    full_name = "intent-aware expected reciprocal rank"
    aliases: Aliases = {"intent_aware_err": {}}
    formula = "(sum of ng_i / i) / (S * sum of (1 - alpha)^(i-1) / i) over the ranks i <= k"
    latex = r"\frac{\sum_{i \le k} \mathrm{ng}_i / i}{S \sum_{i \le k} (1 - \alpha)^{i - 1} / i}"


ERR_IA = IntentAwareExpectedReciprocalRank()
