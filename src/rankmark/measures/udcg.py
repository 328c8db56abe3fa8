"""UDCG: how much passages help a language model to answer, and how much they distract it."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, Needs, query_of_rows
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, number
from rankmark.measures.base.requirements import ABOVE_ZERO
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.results.explanations.contributions import Contributions


class UtilityAndDistraction(Measure):
    """The mean utility of the first k passages, through the logistic function.

    Formula: 1 / (1 + exp(-x)), where x is the mean of the utilities x_i of the documents retrieved
    at ranks i <= k. A label is the probability that a model answers from the passage alone, below 0
    for a passage that is not relevant: the utility is the label, or ``distractor`` times a label
    below 0. Ranks are not discounted.
    Nothing relevant: no special case. Nothing retrieved: 0.
    Ties: matter only across rank k.
    Unjudged documents: utility 0.
    Elsewhere: the authors' code, which takes a relevance of 1 or 0, and 1 minus the probability.
    The paper's abstract speaks of a discount that is learned; "sum of x_i / log2(i + 1)", which is
    also called UDCG, is DCG(negative="keep").
    Source: Trappolini et al., arXiv 2510.21440, 2025; their compute_udcg_scores.py.
    """

    k: int | None = cutoff()
    distractor: float = number("the weight of labels below 0", 1 / 3)

    name = "UDCG"
    full_name = "utility and distraction-aware cumulative gain"
    aliases: Aliases = {"utility_and_distraction_aware_cumulative_gain": {}}
    formula = "1 / (1 + exp(-(sum of x_i) / min(k, n))) over the ranks i <= k"
    latex = r"\left(1 + \exp\left(-\frac{\sum_{i \le k} x_i}{\min(k, n)}\right)\right)^{-1}"
    depends_on: DependsOn = "grades"
    reaches_bound = False
    nothing_relevant: float | None = None
    tie_handling = TieHandling(sorted_is_best=True)

    def needs(self) -> Needs:
        return super().needs()._replace(lowest=-np.inf)

    def merit(self, label: Floats) -> Floats:
        return np.where(label < 0, self.distractor * label, label)

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        return label > 0

    def has_relevant(self, a: Alignment) -> Bools:
        return a.num_relevant(ABOVE_ZERO) > 0

    def score(self, a: Alignment) -> Floats:
        return np.where(self._taken(a) > 0, logistic(self._mean(a)), 0.0)

    def contributions(self, a: Alignment) -> Contributions:
        mean, taken = self._mean(a), self._taken(a)
        rise = logistic(mean) - 0.5
        steepness = np.divide(rise, mean, out=np.full(len(mean), 0.25), where=mean != 0)
        of_row = query_of_rows(a.starts)
        share = steepness / np.maximum(taken, 1)
        utility = self.merit(a.label) * a.within(self.k)
        return Contributions(
            utility * share[of_row],
            rest=np.where(taken > 0, 0.5, 0.0),
            rest_is="the value of an average utility of 0",
            columns={"utility": self.merit(a.label)},
            numbers={"mean": mean},
            frame="1/(1 + exp(-{mean}))" if taken.any() else "0",
        )

    def _taken(self, a: Alignment) -> Floats:
        return np.minimum(a.retrieved, a.cutoff(self.k))

    def _mean(self, a: Alignment) -> Floats:
        total = a.sum_to(self.k, self.merit(a.label))
        return total / np.maximum(self._taken(a), 1.0)


def logistic(x: Floats) -> Floats:
    """Return 1 / (1 + exp(-x)), without overflow: (n,) to (n,) float64."""
    return np.exp(-np.logaddexp(0.0, -x))


UDCG = UtilityAndDistraction()
