"""Whether all relevant documents were retrieved."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment
from rankmark.data.alignment.tie_probabilities import chance_of_all
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.results.explanations.contributions import Contributions


class EveryRelevant(Measure):
    """1 if all relevant documents are among the first k, else 0.

    Formula: 1 if h_k = R and R > 0, else 0. Without a cutoff, among all retrieved. A query with
    more than k relevant documents has 0, whatever the ranking.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: LongMemEval ``recall_all@k``, which is 1 where nothing is relevant; the recall of
    both passages in multi-hop question answering, as MDR reports it for HotpotQA. MTEB and BEIR
    have no name for it: their capped recall divides by min(R, k).
    Source: Wu and others, LongMemEval, ICLR 2025, eval_utils.py.
    """

    k: int | None = cutoff()
    rel: float = threshold()

    name = "AllRelevant"
    full_name = "all relevant documents found"
    aliases: Aliases = {
        "recall_all": {},
        "full_recall": {},
        "perfect_recall": {},
        "joint_recall": {},
    }
    formula = "1 if h_k = R > 0, else 0"
    latex = r"1 \text{ if } h_k = R > 0, \text{ else } 0"
    depends_on: DependsOn = "documents"
    grows_with_k = True
    reaches_bound = False  # with more than k relevant documents

    def score(self, a: Alignment) -> Floats:
        relevant = a.num_relevant(self.rel)
        return ((relevant > 0) & (a.found(self.rel, self.k) == relevant)).astype(np.float64)

    def contributions(self, a: Alignment) -> Contributions:
        hit = a.hits(self.rel, self.k).astype(np.float64)
        found = a.cumsum(hit)
        return Contributions(
            hit * (found == a.spread(a.num_relevant(self.rel))), columns={"found": found}
        )

    def out_of_reach(self, a: Alignment) -> Bools | None:
        """Return which queries have more than k relevant documents: (Q,) bool."""
        return None if self.k is None else a.num_relevant(self.rel) > self.k

    def _expected(self, a: Alignment) -> Floats:
        """Return the probability that all relevant documents are among the first k."""
        relevant = a.num_relevant(self.rel)
        whole = (relevant > 0) & (a.count(a.relevant(self.rel)) == relevant)
        return np.where(whole, chance_of_all(a, self.rel, self.k), 0.0)

    tie_handling: TieHandling = TieHandling(_expected)


AllRelevant: Final = EveryRelevant()
