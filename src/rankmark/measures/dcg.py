"""Discounted cumulative gain: the sum of gains, discounted by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import MeasureError
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import discount
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.gains import GainAtCutoff, discounts_of

if TYPE_CHECKING:
    from rankmark.alignment import Alignment
    from rankmark.array_types import Floats, Ints, Ranks


class DiscountedCumulativeGain(GainAtCutoff):
    """The sum of the gains of the first k documents, each divided by the discount of its rank.

    Formula: sum of g_i / log2(i + 1) over ranks i <= k; ``gain`` is "linear", the label itself;
    "exp2", 2^label - 1; "binary", 1 for labels above 0; or {label: gain}. ``discount`` is "log2",
    log2(i + 1); or the base b of Järvelin's: 1 if i < b, else log_b(i).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: ranx ``dcg@k`` and, with exp2, ``dcg_burges@k``; scikit-learn ``dcg_score`` (which
    averages over ties). LensKit does not discount rank 2 either: ``discount=2``.
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, equation 2; Burges et al., ICML 2005.
    """

    discount: Any = discount()

    name = "DCG"
    full_name = "discounted cumulative gain"
    aliases: Aliases = {"dcg_burges": {"gain": "exp2"}, "discounted_cumulative_gain": {}}
    formula = "sum of g_i / log2(i + 1) over the ranks i <= k"
    latex = r"\sum_{i \le k} \frac{g_i}{\log_2(i + 1)}"
    depends_on: DependsOn = "grades"
    bounds: tuple[float, float] = (0.0, float("inf"))
    grows_with_k = True
    tie_handling = ADDITIVE

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if isinstance(self.discount, tuple) and (self.k or 0) > len(self.discount):
            raise MeasureError(
                f"the discount has {len(self.discount):,} ranks",
                "give more, or a lower cutoff",
                where=str(self),
            )

    def score(self, a: Alignment) -> Floats:
        return a.sum_to(self.k, self.gains(a.label) / discounts_of(self, a.rank))

    def contributions(self, a: Alignment) -> Contributions:
        gains = self.gains(a.label)
        return Contributions(
            self.discounted(gains, a.rank),
            columns={"gain": gains, "discount": discounts_of(self, a.rank)},
            written="{gain}/log2({next})" if self.discount == "log2" else "{gain}/{discount}",
        )

    def discounted(self, gains: Floats, rank: Ranks | Ints) -> Floats:
        """Return each gain discounted at its 1-based rank, 0 beyond k: (n,) to (n,) float64."""
        discounted = gains / discounts_of(self, rank)
        return discounted if self.k is None else discounted * (rank <= self.k)


DCG = DiscountedCumulativeGain()
