"""Intent-aware measures, averaged over subtopics: AP-IA, P-IA, ERR-IA and nERR-IA."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    Pairs,
    documents_of,
    found,
    num_relevant_of,
    num_subtopics,
)
from rankmark.measures.families.novelty import GREEDY_BOUNDS, DiscountedByRank, greedy
from rankmark.results.explanations.contributions import Contributions


class IntentAwareAveragePrecision(OverSubtopics):
    """Average precision for each subtopic, averaged over subtopics.

    Formula: mean, over the subtopics with a relevant document, of the AP for the subtopic: the sum
    of (documents relevant to it among the first i) / i over their ranks i, divided by the number of
    documents relevant to it.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``MAP-IA``, ir_measures ``AP_IA``. The paper weights subtopics by
    their probability; here all have the same weight, as in ndeval.
    Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009, section 5.3; ndeval.c 4.5,
    computeMAP.
    """

    name = "AP_IA"
    full_name = "intent-aware average precision"
    aliases: Aliases = {"MAP_IA": {}}
    formula = "(sum of AP for each subtopic) / S"
    latex = r"\frac{1}{S} \sum_{\text{subtopics}} \mathrm{AP}"

    def score(self, a: Alignment) -> Floats:
        pairs = found(self, a, None)
        precision = (pairs.seen + 1.0) / pairs.rank / self._num_relevant(pairs, a)
        # Sum in an order that does not depend on the names of subtopics.
        precision = precision[np.lexsort((precision, pairs.rank, pairs.query))]
        return ratio(pairs.sum(precision, a), num_subtopics(self, a))

    def ideal_ranking(self, a: Alignment) -> None:
        """Return None: no fast way to find it is known."""

    def contributions(self, a: Alignment) -> Contributions:
        pairs = found(self, a, None)
        # The fraction of the documents relevant to the subtopic that is found by then.
        recall = (pairs.seen + 1.0) / self._num_relevant(pairs, a)
        return Contributions(
            pairs.by_document(recall / pairs.rank, a),
            divisor=num_subtopics(self, a),
            columns={
                "relevant_to": pairs.by_document(np.ones(len(recall)), a),
                "recalls": pairs.by_document(recall, a),
            },
            written="{recalls}/{rank}",
        )

    def _num_relevant(self, pairs: Pairs, a: Alignment) -> Ints:
        """Count the documents relevant to the subtopic of each pair: (m,) int64."""
        numbers, relevant = num_relevant_of(self, a)
        return relevant[np.searchsorted(numbers, pairs.subtopic)]


AP_IA = IntentAwareAveragePrecision()


class IntentAwarePrecision(OverSubtopics):
    """Precision for each subtopic, averaged over subtopics.

    Formula: (pairs of one of the first k documents and a subtopic to which it is relevant) / (k S),
    where S is the number of subtopics with a relevant document; a ranking shorter than k is padded
    with documents relevant to none.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``P-IA@k`` (k to 20 only), ir_measures ``P_IA``, TF-Ranking
    ``precision_ia``.
    Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009, section 5; ndeval.c 4.5,
    computePrecision.
    """

    k: int | None = cutoff()

    name = "P_IA"
    full_name = "intent-aware precision"
    aliases: Aliases = {"precision_ia": {}}
    # The best order of tied documents depends on their subtopics, which merit ignores.
    tie_handling: TieHandling = ADDITIVE._replace(sorted_is_best=False)
    formula = "(sum of h_k / k for each subtopic) / S"
    latex = r"\frac{1}{S} \sum_{\text{subtopics}} \frac{h_k}{k}"

    def score(self, a: Alignment) -> Floats:
        hits = a.sum(self._relevant_to(a) * a.within(self.k))
        return ratio(hits, a.cutoff(self.k) * num_subtopics(self, a))

    def contributions(self, a: Alignment) -> Contributions:
        relevant_to, subtopics = self._relevant_to(a), num_subtopics(self, a)
        return Contributions(
            relevant_to * a.within(self.k),
            divisor=a.cutoff(self.k) * subtopics,
            columns={"relevant_to": relevant_to},
            written="{relevant_to}",
            frame="{sum} / ({k} * {subtopics})",
            numbers={"k": a.cutoff(self.k), "subtopics": subtopics},
        )

    def ideal_ranking(self, a: Alignment) -> Alignment:
        """Return documents by the number of subtopics to which they are relevant."""
        return greedy(self, a, self.k, alpha=0.0)

    def _relevant_to(self, a: Alignment) -> Floats:
        """Count the subtopics to which each document is relevant: (H,) float64."""
        documents = documents_of(self, a)
        starts, _ = documents.judged.relevant(self.rel)
        return np.diff(starts)[documents.document].astype(np.float64)


P_IA = IntentAwarePrecision()


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
