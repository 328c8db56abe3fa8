"""F: the harmonic mean of precision and recall."""

from __future__ import annotations

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, positive, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.possible_losses import dropped
from rankmark.results.explanations.contributions import Contributions


class FMeasure(Measure):
    """The harmonic mean of precision and recall at k, with recall weighted beta times as much.

    Formula: (1 + beta^2) h_k / (k + beta^2 R), the harmonic mean of precision h_k / k and recall
    h_k / R, in which recall weighs ``beta`` times as much. Without a cutoff, k is the number
    retrieved.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``set_F`` (its parameter is b^2, not b; equal at 1), ir_measures ``SetF``
    (named beta, and b^2 too), ranx ``f1@k``.
    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7, as 1 - E.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    beta: float = positive("the weight of recall relative to precision", 1.0)

    name = "F"
    full_name = "F measure"
    aliases: Aliases = {"F1": {}, "f1_score": {}, "set_F": {}, "SetF": {}, "FMeasure": {}}
    formula = "(1 + beta^2) h_k / (k + beta^2 R)"
    latex = r"\frac{(1 + \beta^2)\, h_k}{k + \beta^2 R}"
    depends_on: DependsOn = "documents"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        return ratio((1 + self.beta**2) * a.found(self.rel, self.k), self._divisor(a))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the loss if the relevant documents are those dropped."""
        if self.k is None:
            return None
        lost = dropped(moved, self.k)
        return (1 + self.beta**2) * lost / (self.k + self.beta**2 * lost)

    def contributions(self, a: Alignment) -> Contributions:
        square = f"{self.beta:g}^2"
        return Contributions(
            (1 + self.beta**2) * a.hits(self.rel, self.k).astype("float64"),
            divisor=self._divisor(a),
            frame=f"(1 + {square}) * {{sum}} / ({square} * {{relevant}} + {{k}})",
            numbers={"relevant": a.num_relevant(self.rel), "k": a.cutoff(self.k)},
        )

    def _divisor(self, a: Alignment) -> Floats:
        return self.beta**2 * a.num_relevant(self.rel) + a.cutoff(self.k)


F = FMeasure()
