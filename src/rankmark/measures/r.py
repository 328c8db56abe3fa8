"""Recall: the fraction of the relevant documents that were retrieved."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.possible_losses import dropped
from rankmark.results.explanations.contributions import Contributions


class Recall(Measure):
    """The fraction of the relevant documents that are among the first k.

    Formula: h_k / R, R being all relevant documents, retrieved or not; with ``norm="min"`` h_k /
    min(R, k), which is 1 for a perfect ranking. Without a cutoff, k is the number retrieved.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``recall_k`` and ``set_recall``, ranx ``recall@k``, ir_measures ``R@k``.
    ``norm="min"`` is trec_eval's ``relative_P``, BEIR's ``R_cap@k`` and what LensKit calls recall.
    Haystack's recall with ``mode="multi_hit"`` is R, and with "single_hit", its default, Success.
    DPR papers call Success@k "recall@k".
    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("what the count is divided by", "relevant", "min")

    name = "R"
    full_name = "recall"
    aliases: Aliases = {
        "Recall": {},
        "set_recall": {},
        "SetR": {},
        "RetrievalRecall": {},
        "retrieval_recall": {},
        "relative_P": {"norm": "min"},
        "set_relative_P": {"norm": "min"},
        "SetRelP": {"norm": "min"},
        "R_cap": {"norm": "min"},
        "recall_cap": {"norm": "min"},
    }
    formula = "h_k / R"
    latex = r"\frac{h_k}{R}"
    depends_on: DependsOn = "documents"
    grows_with_k = True
    tie_handling = ADDITIVE
    term_of: TermOf | None = "found"

    def score(self, a: Alignment) -> Floats:
        return ratio(a.found(self.rel, self.k), self._divisor(a))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return 1 where a document was dropped, as the relevant ones may be those dropped."""
        return np.minimum(dropped(moved, self.k), 1.0)

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(a.hits(self.rel, self.k).astype(np.float64), divisor=self._divisor(a))

    def _divisor(self, a: Alignment) -> Floats:
        relevant = a.num_relevant(self.rel)
        return np.minimum(relevant, a.cutoff(self.k)) if self.norm == "min" else relevant


R = Recall()
