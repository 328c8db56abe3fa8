"""Precision: the fraction of the retrieved documents that are relevant."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.possible_losses import dropped
from rankmark.results.explanations.contributions import Contributions


class Precision(Measure):
    """The fraction of the first k documents, or of all retrieved, that are relevant.

    Formula: h_k / k, h_k being the number of relevant documents among the first k; a shorter
    ranking is padded with non-relevant ones, unless ``norm="retrieved"``: h_k / min(k, n). Without
    a cutoff: h_n / n.
    Nothing relevant: 0. An empty ranking: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``P_k`` and ``set_P``, pytrec_eval and ir_measures ``P@k`` and ``SetP``,
    ranx ``precision@k``. XGBoost's ``pre@k``, LensKit, rax, rankeval and MLflow divide by
    min(k, n).
    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("what the count is divided by", "k", "retrieved")

    name = "P"
    full_name = "precision"
    aliases: Aliases = {
        "Precision": {},
        "Prec": {},
        "set_P": {},
        "SetP": {},
        "P_avgjg": {},
        "RetrievalPrecision": {},
        "retrieval_precision": {},
        "pre": {"norm": "retrieved"},
    }
    formula = "h_k / k"
    latex = r"\frac{h_k}{k}"
    depends_on: DependsOn = "documents"
    tie_handling = ADDITIVE
    term_of: TermOf | None = "found"

    def score(self, a: Alignment) -> Floats:
        return ratio(a.found(self.rel, self.k), self._divisor(a))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the share of the first k that was dropped."""
        if self.k is None or self.norm != "k":
            return None
        return dropped(moved, self.k) / self.k

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(a.hits(self.rel, self.k).astype(np.float64), divisor=self._divisor(a))

    def _divisor(self, a: Alignment) -> Floats:
        k = a.cutoff(self.k)
        return np.minimum(k, a.retrieved) if self.norm == "retrieved" else k


P = Precision()
