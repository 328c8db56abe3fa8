"""RecallArea: the area below the curve of recall over documents read."""

from __future__ import annotations

from typing import Final

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.screening import Screening
from rankmark.results.explanations.contributions import Contributions


class AreaUnderRecall(Screening):
    """The area below the curve of recall over the documents read, as a fraction of the ideal one.

    Formula: (sum of collection - i + 1/2 over the ranks i of relevant documents) / (R * collection
    - R^2 / 2), the sum of an ideal ranking. ``collection`` is by default the number of documents
    retrieved or judged, whichever is greater; relevant documents that are not retrieved add
    nothing.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant, but they are read.
    Elsewhere: CLEF's tar_eval ``norm_area``. ASReview's ``loss`` divides the area that is lost by
    that lost by the worst ranking, which is 1 - AUC.
    Source: Kanoulas, Li, Azzopardi and Spijker, CLEF 2017 eHealth, task 2; tar_eval,
    eval_measures_2018.py.
    """

    rel: float = threshold()

    name = "RecallArea"
    full_name = "normalised area under the recall curve"
    aliases: Aliases = {"norm_area": {}}
    formula = "(sum of collection - i + 1/2 over the relevant ranks i) / (R * collection - R^2 / 2)"
    latex = (
        r"\frac{\sum_{\text{relevant } i} (\mathrm{collection} - i + 1/2)}{R \cdot "
        r"\mathrm{collection} - R^2 / 2}"
    )
    depends_on: DependsOn = "order"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        return ratio(a.sum(self._below(a)), self._ideal(a))

    def contributions(self, a: Alignment) -> Contributions:
        below = self._below(a)
        return Contributions(
            below, divisor=self._ideal(a), columns={"area": below}, written="{area}"
        )

    def _below(self, a: Alignment) -> Floats:
        """Return the area that each document adds: (H,) float64."""
        return a.relevant(self.rel) * (a.spread(self.screened(a)) - a.rank + 0.5)

    def _ideal(self, a: Alignment) -> Floats:
        relevant = a.num_relevant(self.rel)
        return relevant * self.screened(a) - relevant**2 / 2.0


RecallArea: Final = AreaUnderRecall()
