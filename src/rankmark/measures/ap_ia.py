"""MAP-IA: average precision for each subtopic, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment import ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    Pairs,
    found,
    num_relevant_of,
    num_subtopics,
)
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.alignment import Alignment


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
        of_subtopic: Ints = relevant[np.searchsorted(numbers, pairs.subtopic)]
        return of_subtopic


AP_IA = IntentAwareAveragePrecision()
