"""P-IA: precision for each subtopic, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment import ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling
from rankmark.measures.families.by_subtopic import OverSubtopics, documents_of, num_subtopics
from rankmark.measures.families.novelty import greedy
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


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
        counts: Floats = np.diff(starts)[documents.document].astype(np.float64)
        return counts


P_IA = IntentAwarePrecision()
