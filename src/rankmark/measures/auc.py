"""AUC: the fraction of pairs in which a relevant document is above a non-relevant one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import TOGETHER
from rankmark.measures.families.tied import others_of, out_of_order, share_in_order

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats


class AreaUnderCurve(Measure):
    """The fraction of pairs of a relevant document and another of the first k that are in order.

    Formula: c / (R N); N is the number of non-relevant documents among the first k, c that of pairs
    in which the relevant one is above. Relevant documents that are not among the first k are below
    all of them; ``norm="hits"`` leaves them out, and divides by h_k N. If N is 0: 1 if a relevant
    document was found, else 0.
    Nothing relevant: 0.
    Ties: documents with equal scores are tied, whatever the evaluation's rule; a tied pair counts
    half, with ``ties="wrong"`` 0. A tie across rank k is cut there, by that rule.
    Unjudged documents: not relevant.
    Elsewhere: scikit-learn ``roc_auc_score`` of one query's rows, torchmetrics ``RetrievalAUROC``,
    which is norm="hits" at a cutoff, and 0 where N is 0, so its name is refused; RePlay
    ``RocAuc@k`` is norm="hits"; cornac ``AUC`` counts tied pairs as wrong. RecBole's gauc weights
    queries by their relevant documents.
    Source: Hanley and McNeil, Radiology 143(1), 1982; Mann and Whitney 1947.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("which relevant documents are in pairs", "relevant", "hits")
    ties: str = choice("what a tied pair counts", "half", "wrong")

    name = "AUC"
    aliases = {
        "ROC_AUC": {},
        "ROCAUC": {"norm": "hits"},
        "AUROC": {},
        "roc_auc_score": {},
        "area_under_curve": {},
    }
    formula = "pairs in order / (R N)"
    depends_on = "order"
    promoting_helps = False  # from beyond k, it moves another document out, with its pairs
    tie_handling = TOGETHER

    def score(self, a: Alignment) -> Floats:
        hit = a.hits(self.rel, self.k)
        return share_in_order(a, hit, self.k, self._num_relevant(a), self._half())

    def contributions(self, a: Alignment) -> Contributions:
        hit, num_relevant = a.hits(self.rel, self.k), self._num_relevant(a)
        others = others_of(a, hit, self.k)
        below = hit * (a.spread(others) - out_of_order(a, hit, self.k, self._half()))
        rest = ((others == 0) & (a.count(hit) > 0)).astype(np.float64)
        return Contributions(
            below,
            over=num_relevant * others,
            rest=rest,
            rest_is="nothing else was retrieved",
            columns={"others_below": np.where(hit, below, np.nan)},
            written="{others_below}",
            frame="{rest}" if rest.any() else "{sum} / ({wanted} * {others})",  # of one query
            numbers={"wanted": num_relevant, "others": others, "rest": rest},
        )

    def _num_relevant(self, a: Alignment) -> Floats:
        """Count the relevant documents that are in pairs: (Q,) float64."""
        return a.found(self.rel, self.k) if self.norm == "hits" else a.num_relevant(self.rel)

    def _half(self) -> float:
        return 0.5 if self.ties == "half" else 0.0


AUC = AreaUnderCurve()
