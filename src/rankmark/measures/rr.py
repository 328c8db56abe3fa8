"""Reciprocal rank of the first relevant document."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import cutoff, threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.possible_losses import of_first
from rankmark.results.explanations.contributions import Contributions


class ReciprocalRank(Measure):
    """The reciprocal of the rank of the first relevant document.

    Formula: 1 / (rank of the first relevant document among the first k), or 0 if there is none.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; they can decide which document is the first relevant one.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``recip_rank`` (no cutoff), ir_measures ``RR@k``, ranx ``mrr@k``, MS MARCO
    ``MRR@10``. ir_measures' RR@k breaks ties by id ascending, its RR descending. cornac raises an
    exception if nothing is found.
    Source: Kantor and Voorhees, TREC-5 Confusion Track, 1997.
    """

    k: int | None = cutoff()
    rel: float = threshold()

    name = "RR"
    full_name = "reciprocal rank"
    aliases: Aliases = {
        "MRR": {},
        "recip_rank": {},
        "reciprocal_rank": {},
        "mean_reciprocal_rank": {},
        "RetrievalMRR": {},
        "retrieval_reciprocal_rank": {},
        "RecipRank": {},
    }
    formula = "1 / rank of the first relevant document"
    latex = r"\frac{1}{\text{rank of the first relevant document}}"
    depends_on: DependsOn = "order"
    grows_with_k = True
    term_of: TermOf | None = "found"

    def score(self, a: Alignment) -> Floats:
        return np.reciprocal(a.first_rank(self.rel, self.k))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the loss if the document that lost most is the only relevant one."""
        return of_first(moved, self.k)

    def contributions(self, a: Alignment) -> Contributions:
        hit = a.hits(self.rel, self.k).astype("float64")
        return Contributions(hit * (a.cumsum(hit) == 1.0) / a.rank, written="1/{rank}")

    def _expected(self, a: Alignment) -> Floats:
        """Weight each rank by the probability that the first relevant document is there."""
        from rankmark.data.alignment.tie_probabilities import first_places  # noqa: PLC0415

        chance, _ = first_places(a, self.rel, self.k)
        return chance.sum(1.0 / chance.rank)

    tie_handling: TieHandling = TieHandling(_expected, at_midranks=True)


RR = ReciprocalRank()
