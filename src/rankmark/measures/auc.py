"""AUC: the fraction of pairs in which a relevant document is above a non-relevant one."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import choice, cutoff, fraction, threshold
from rankmark.measures.base.tie_handling import TOGETHER
from rankmark.measures.families.tied import others_of, out_of_order, share_in_order
from rankmark.results.explanations.contributions import Contributions


class AreaUnderCurve(Measure):
    """The fraction of pairs of a relevant document and another of the first k that are in order.

    Formula: (pairs in order) / (R u_k); u_k is the number of non-relevant documents among the first
    k, and a pair is in order if the relevant one is above. Relevant documents that are not among
    the first k are below all of them; ``norm="hits"`` leaves them out, and divides by h_k u_k. If
    u_k is 0: 1 if a relevant document was found, else 0. With ``max_fpr`` f below 1 it is the
    partial area A to the false-positive rate f, standardised: (1 + (A - f^2 / 2) / (f - f^2 / 2)) /
    2, which is 1/2 for random rankings.
    Nothing relevant: 0.
    Ties: documents with equal scores are tied, whatever the evaluation's rule; a tied pair counts
    half, with ``ties="wrong"`` 0. A tie across rank k is cut there, by that rule.
    Unjudged documents: not relevant.
    Elsewhere: scikit-learn ``roc_auc_score`` of one query's rows, with the same ``max_fpr``;
    torchmetrics ``RetrievalAUROC``, which is norm="hits" at a cutoff, and 0 where u_k is 0, so its
    name is refused; RePlay ``RocAuc@k`` is norm="hits"; cornac ``AUC`` counts tied pairs as wrong.
    GAUC is its weighted mean, by impressions or, in RecBole, by relevant documents.
    Source: Hanley and McNeil, Radiology 143(1), 1982; Mann and Whitney 1947; McClish, Medical
    Decision Making 9(3), 1989 (partial).
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("which relevant documents are in pairs", "relevant", "hits")
    ties: str | None = choice("what a tied pair counts", "half", "wrong")
    max_fpr: float = fraction("the highest false-positive rate of a partial area", 1.0)

    name = "AUC"
    full_name = "area under the ROC curve"
    aliases: Aliases = {
        "ROC_AUC": {},
        "ROCAUC": {"norm": "hits"},
        "AUROC": {},
        "roc_auc_score": {"norm": "hits"},
        "area_under_curve": {},
    }
    formula = "pairs in order / (R u_k)"
    latex = r"\frac{\text{pairs in order}}{R\, u_k}"
    depends_on: DependsOn = "order"
    promoting_helps = False  # from beyond k, it moves another document out, with its pairs
    tie_handling = TOGETHER

    def score(self, a: Alignment) -> Floats:
        hit = a.hits(self.rel, self.k)
        if self.max_fpr < 1:
            return self._partial(a, hit)
        return share_in_order(a, hit, self.k, self._num_relevant(a), self._half())

    def contributions(self, a: Alignment) -> Contributions:
        hit, num_relevant = a.hits(self.rel, self.k), self._num_relevant(a)
        others = others_of(a, hit, self.k)
        if self.max_fpr < 1:
            return self._partial_contributions(a, hit)
        below = hit * (a.spread(others) - out_of_order(a, hit, self.k, self._half()))
        rest = ((others == 0) & (a.count(hit) > 0)).astype(np.float64)
        return Contributions(
            below,
            divisor=num_relevant * others,
            rest=rest,
            rest_is="nothing else was retrieved",
            columns={"others_below": np.where(hit, below, np.nan)},
            written="{others_below}",
            frame="{rest}" if rest.any() else "{sum} / ({wanted} * {others})",  # of one query
            numbers={"wanted": num_relevant, "others": others, "rest": rest},
        )

    def _partial(self, a: Alignment, hit: Bools) -> Floats:
        """Return the standardised partial area: (Q,) float64."""
        others, num_relevant = others_of(a, hit, self.k), self._num_relevant(a)
        area = ratio(a.sum(self._partly_below(a, hit, others)), num_relevant * others)
        least, most = self._area_of_chance()
        standardised = (1.0 + (area - least) / (most - least)) / 2.0
        without_others = (a.count(hit) > 0).astype(np.float64)
        return np.where(others > 0, np.where(num_relevant > 0, standardised, 0.0), without_others)

    def _partial_contributions(self, a: Alignment, hit: Bools) -> Contributions:
        others, num_relevant = others_of(a, hit, self.k), self._num_relevant(a)
        least, most = self._area_of_chance()
        area = self._partly_below(a, hit, others)
        has_pairs = others * num_relevant > 0
        rest = np.where(
            has_pairs, (1.0 - least / (most - least)) / 2.0, (others == 0) * (a.count(hit) > 0)
        )
        frame = "(1 + ({sum} / ({wanted} * {others}) - {least}) / {span}) / 2"
        return Contributions(
            area,
            divisor=2.0 * (most - least) * num_relevant * others,
            rest=rest,
            rest_is="the value without any area",
            columns={"area": np.where(hit, area, np.nan)},
            written="{area}",
            frame=frame if has_pairs.any() else "{rest}",  # of one query
            numbers={
                "wanted": num_relevant,
                "others": others,
                "rest": rest,
                "least": np.full(len(rest), least),
                "span": np.full(len(rest), most - least),
            },
        )

    def _area_of_chance(self) -> tuple[float, float]:
        """Return the partial area of random rankings, and the greatest."""
        return self.max_fpr**2 / 2.0, self.max_fpr

    def _partly_below(self, a: Alignment, hit: Bools, others: Floats) -> Floats:
        """Return the area that each hit adds, in documents up to the false-positive rate: (H,)."""
        last = a.spread(self.max_fpr * others)
        higher = out_of_order(a, hit, self.k, 1.0)
        level = out_of_order(a, hit, self.k, 0.0) - higher
        if self.ties == "wrong":
            return np.where(hit, np.maximum(last - higher - level, 0.0), 0.0)
        # Within a tie the curve is a straight line, which the last rate may cut.
        within = np.clip(last - higher, 0.0, level)
        after = np.maximum(last - higher - level, 0.0)
        return hit * (ratio(within**2, 2.0 * level) + after)

    def _num_relevant(self, a: Alignment) -> Floats:
        """Count the relevant documents that are in pairs: (Q,) float64."""
        return a.found(self.rel, self.k) if self.norm == "hits" else a.num_relevant(self.rel)

    def _half(self) -> float:
        return 0.5 if self.ties == "half" else 0.0


AUC = AreaUnderCurve()
