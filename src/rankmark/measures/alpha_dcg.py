"""alpha-DCG: DCG with gains that shrink each time a subtopic is repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice
from rankmark.measures.families.novelty import DiscountedByLogarithm

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment
    from rankmark.results.explanations.contributions import Contributions


class AlphaDiscountedCumulativeGain(DiscountedByLogarithm):
    """DCG with gains that shrink each time a subtopic is repeated, normalised.

    Formula: sum of ng_i / log2(i + 1) over ranks i <= k, where ng_i is the sum, over the subtopics
    to which document i is relevant, of (1 - alpha)^(documents above relevant to it). It is divided
    (``norm``) by "perfect" the sum of a ranking in which every document is relevant to every
    subtopic with a relevant document; "none" nothing.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: relevant to no subtopic.
    Elsewhere: ndeval and pyndeval ``alpha-DCG@k`` (not divided at k = 1, and k to 20 only),
    ir_measures ``alpha_DCG``; TF-Ranking ``alpha_dcg`` is norm="none".
    Source: Clarke et al., SIGIR 2008, section 5, discount of equation 8; ndeval.c 4.5, computeDCG.
    """

    norm: str = choice("what the sum is divided by", "perfect", "none")

    name = "alpha_DCG"
    full_name = "alpha discounted cumulative gain"
    aliases: Aliases = {"α-DCG": {}}
    formula = (
        "(sum of ng_i / log2(i + 1)) / (S * sum of (1 - alpha)^(i-1) / log2(i + 1)) over the "
        "ranks i <= k"
    )
    latex = (
        r"\frac{\sum_{i \le k} \mathrm{ng}_i / \log_2(i + 1)}{S \sum_{i \le k} (1 - \alpha)^{i "
        r"- 1} / \log_2(i + 1)}"
    )
    bounds: tuple[float, float] = (0.0, float("inf"))

    def score(self, a: Alignment) -> Floats:
        return self.earned(a) if self.norm == "none" else super().score(a)

    def contributions(self, a: Alignment) -> Contributions:
        return self.earned_by_document(a) if self.norm == "none" else super().contributions(a)


alpha_DCG: Final = AlphaDiscountedCumulativeGain()
