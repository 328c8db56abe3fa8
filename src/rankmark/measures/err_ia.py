"""ERR-IA: expected reciprocal rank for each subtopic, averaged and normalised."""

from __future__ import annotations

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.novelty import DiscountedByRank


class IntentAwareExpectedReciprocalRank(DiscountedByRank):
    """Expected reciprocal rank averaged over subtopics, divided by the highest conceivable value.

    Formula: sum of g_i / i over ranks i <= k, where g_i is the sum of (1 - alpha)^s over the
    subtopics to which document i is relevant, after s documents relevant to it; divided by the sum
    of a ranking in which every document is relevant to every subtopic with a relevant one. alpha is
    the probability that a relevant document satisfies the user; the paper's factor alpha cancels
    out.
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
    formula = "sum of g_i / i over the ranks i <= k, over the most that there could be"


ERR_IA = IntentAwareExpectedReciprocalRank()
