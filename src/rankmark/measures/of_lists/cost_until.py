"""What is spent until enough relevant documents are found."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment
from rankmark.measures.base.parameters import fraction, threshold
from rankmark.measures.of_lists.cost import OfCosts


class CostUntilRecall(OfCosts):
    """The cost of all documents down to the one by which a recall is reached.

    Formula: the sum of the costs of the documents down to the first rank at which R is at least
    ``recall``. A query that never reaches it has no value, and is in no mean; how many these are is
    told, as the mean over the others alone flatters a system that rarely gets there.
    Nothing relevant: no value.
    Ties: by the evaluation's rule.
    Unjudged documents: are not relevant, and cost as all others.
    Elsewhere: no tool has it.
    Source: own; as the number needed to read, in what documents cost.
    """

    recall: float = fraction("the recall to be reached", 0.8)
    rel: float = threshold()

    name = "CostUntil"
    full_name = "cost until a recall is reached"
    formula = "total cost down to the first rank i with h_i / R >= recall"
    latex = r"\sum_{i=1}^{\min \{j : h_j / R \geq recall\}} c_i"

    def score(self, a: Alignment) -> Floats:
        hits = a.hits(self.rel, None)
        needed = np.ceil(self.recall * a.num_relevant(self.rel) * (1 - 1e-12))
        reached = hits & (a.cumcount(hits) == np.maximum(a.spread(needed), 1.0))
        return a.first(reached, a.cumsum(self.cost(a)), absent=np.nan)

    def told(self, values: Floats, retrieved: Ints) -> str:  # noqa: ARG002
        never = int(np.isnan(values).sum())
        if not never:
            return ""
        return f"{self}: {never:,} of {len(values):,} queries never reach it, and are in no mean"


CostUntil: Final = CostUntilRecall()
