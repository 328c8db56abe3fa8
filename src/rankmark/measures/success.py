"""Success: whether a relevant document was retrieved."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.data.alignment.tie_probabilities import first_places
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import cutoff, threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.possible_losses import dropped
from rankmark.results.explanations.contributions import Contributions


class SuccessRate(Measure):
    """1 if a relevant document is among the first k, else 0.

    Formula: 1 if h_k > 0, else 0. Without a cutoff, among all retrieved.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``success_k``, ranx ``hit_rate@k``, BEIR ``Accuracy@k``, RecTools and
    RePlay ``HitRate``, knowledge graphs ``Hits@k``, LongMemEval ``recall_any@k``, Haystack's recall
    with ``mode="single_hit"``. ranx's ``hits`` counts the relevant documents instead, which is
    NumRelRet here; ir_measures' ``Accuracy`` is a pairwise measure.
    Source: trec_eval 10.0, m_success.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()

    name = "Success"
    full_name = "success rate"
    aliases: Aliases = {
        "Accuracy": {},
        "HitRate": {},
        "hit_rate": {},
        "Hits": {},
        "Hit": {},
        "HR": {},
        "hit_ratio": {},
        "HitRatio": {},
        "recall_any": {},
        "RetrievalHitRate": {},
        "retrieval_hit_rate": {},
    }
    formula = "1 if h_k > 0, else 0"
    latex = r"1 \text{ if } h_k > 0, \text{ else } 0"
    depends_on: DependsOn = "documents"
    grows_with_k = True
    term_of: TermOf | None = "found"

    def score(self, a: Alignment) -> Floats:
        return (a.found(self.rel, self.k) > 0).astype(float)

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return 1 where a document was dropped, as it may be the only relevant one."""
        return np.minimum(dropped(moved, self.k), 1.0)

    def contributions(self, a: Alignment) -> Contributions:
        hit = a.hits(self.rel, self.k).astype("float64")
        return Contributions(hit * (a.cumsum(hit) == 1.0))

    def _expected(self, a: Alignment) -> Floats:
        """Return the probability that a relevant document is among the first k."""
        _, none = first_places(a, self.rel, self.k)
        return 1.0 - none

    tie_handling: TieHandling = TieHandling(_expected, at_midranks=True)


Success: Final = SuccessRate()
