"""NumRel: the number of relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aggregate, Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class NumberRelevant(Measure):
    """The number of relevant documents, retrieved or not.

    Formula: R, summed over queries.
    Nothing relevant: 0.
    Ties: do not matter.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``num_rel`` (which counts labels above 0 under ``-c -l2``), ir_measures
    ``NumRel``.
    Source: trec_eval 10.0, m_num_rel.c.
    """

    rel: float = threshold()

    name = "NumRel"
    full_name = "number of relevant documents"
    aliases: Aliases = {"num_rel": {}}
    formula = "R"
    latex = r"R"
    depends_on: DependsOn = "counts"
    bounds: tuple[float, float] = (0.0, float("inf"))
    nothing_relevant: float | None = None
    aggregate: Aggregate = "sum"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        return a.num_relevant(self.rel)

    def contributions(self, a: Alignment) -> Contributions:
        found = a.found(self.rel, None)
        return Contributions(
            a.relevant(self.rel).astype(np.float64),
            missed=lambda query, label: (label >= self.rel).astype(np.float64),  # noqa: ARG005
            frame="{found} + {missed}",
            numbers={"found": found, "missed": self.score(a) - found},
        )


NumRel: Final = NumberRelevant()
