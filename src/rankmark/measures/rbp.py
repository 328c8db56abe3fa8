"""Rank-biased precision: the expected gain of a user who continues with probability p."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.measures.base.measure import Aliases, Measure
from rankmark.measures.base.parameters import choice, cutoff, probability
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.gains import weighable
from rankmark.measures.families.normalized_gain import BoundedGain
from rankmark.measures.families.possible_losses import discount_losses, of_ideal_share
from rankmark.results.explanations.contributions import Contributions


class RankBiasedPrecision(BoundedGain):
    """The gains of the first k documents, each times the probability that a user reaches it.

    Formula: (1 - p) sum of g_i p^(i-1) over ranks i <= k, g_i being 1 from label ``rel`` up, or
    with ``max_rel`` (label - min_rel) / (max_rel - min_rel), where "query" stands for the query's
    highest label. With ``norm="k"`` the sum is divided by sum of p^(i-1) over ranks i <= k instead
    of by the infinite sum (without a cutoff, k is the number retrieved); with "ideal" by that of
    the ideal ranking. With ``weighted``, g_i is the weight of a relevant document, and unless
    ``norm`` is "ideal", the sum is also divided by the weights of all relevant documents.
    Nothing relevant: 0.
    Ties: by the evaluation's rule. trectools averages the weights of tied ranks.
    Unjudged documents: worth 0; RBPResidual is what they could add.
    Elsewhere: trec_eval 10 ``rbp`` is max_rel="query", but its scale starts from variables that it
    never sets; p is 0.9 as here. ir_measures and cwl_eval ``RBP`` are norm="k" at 1000, and p is
    0.8 in ir_measures. pyNTCIREVAL divides labels by the highest and has p = 0.95, LensKit p = 0.85
    and, with normalize, norm="ideal"; its ``IPSRBP`` is weighted by inverse propensities. ranx
    multiplies labels as they are, which is m times RBP(max_rel=m) and may exceed 1.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008, equation 4.
    """

    k: int | None = cutoff()
    p: float = probability("the probability to continue to the next rank", 0.9)
    norm: str = choice("what the sum is divided by", "endless", "k", "ideal")

    name = "RBP"
    full_name = "rank-biased precision"
    aliases: Aliases = {
        "rank_biased_precision": {},
        "IPSRBP": {"weighted": True, "p": 0.85},
    }
    common = weighable(Measure.common)
    formula = "(1 - p) * sum of g_i p^(i-1) over the ranks i <= k"
    latex = r"(1 - p) \sum_{i \le k} g_i\, p^{i - 1}"
    grows_with_k = True
    promoting_helps = True
    tie_handling = ADDITIVE

    def needs(self) -> Needs:
        """Use as many ideal labels as ranks if the sum is divided by that of the ideal ranking."""
        most = None if self.weighted else 1
        return super().needs()._replace(ideal=self.k if self.norm == "ideal" else most)

    def score(self, a: Alignment) -> Floats:
        found = a.sum(self._earned(a))
        if self.weighted and self.norm != "ideal":
            found = ratio(found, self._weights(a))
        if self.norm == "endless":
            return (1.0 - self.p) * found
        return ratio(found, self._divisor(a))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the loss if the documents that lost have the highest gain, and no others."""
        if self.norm == "k" and self.k is None:
            return None
        k = moved.shape[1] if self.k is None else self.k
        looks = self.p ** np.arange(k, dtype=np.float64)
        if self.norm == "ideal":
            return of_ideal_share(moved, looks)
        lost: Floats = discount_losses(moved, looks).sum(axis=1)
        return lost * (1.0 / looks.sum() if self.norm == "k" else 1.0 - self.p)

    def contributions(self, a: Alignment) -> Contributions:
        looks = np.power(self.p, a.rank - 1.0, dtype=np.float64)
        terms = Contributions(
            self._earned(a),
            columns={"gain": self.gains(a), "looks": looks},
            written=f"{{gain}} * {self.p:g}^{{above}}",
        )
        if self.norm == "endless":
            earned = (1.0 - self.p) * terms.ranked
            frame = f"(1 - {self.p:g}) * {{sum}}"
            if self.weighted:
                return terms._replace(ranked=earned, divisor=self._weights(a))
            return terms._replace(ranked=earned, frame=frame)
        frame = "{sum} / {ideal}" if self.norm == "ideal" else ""
        divisor = self._divisor(a)
        if self.weighted and self.norm == "k":
            divisor = divisor * self._weights(a)
        return terms._replace(divisor=divisor, frame=frame)

    def _earned(self, a: Alignment) -> Floats:
        return self.gains(a) * a.within(self.k) * self.p ** (a.rank - 1.0)

    def _weights(self, a: Alignment) -> Floats:
        """Return the weights of all relevant documents: (Q,) float64."""
        return a.ideal_sum(np.maximum(a.ideal_label, 0.0))

    def _divisor(self, a: Alignment) -> Floats:
        if self.norm == "ideal":
            return a.of_ideal(self, lambda: a.perfect().sum(self._earned(a.perfect())))
        # 1 - p^k, exact even if p is nearly 1.
        return -np.expm1(a.cutoff(self.k) * np.log(self.p)) / (1.0 - self.p)


RBP = RankBiasedPrecision()
