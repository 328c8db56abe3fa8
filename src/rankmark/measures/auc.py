"""AUC: how often a relevant document stands above one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.measures.measure import Measure
from rankmark.measures.parameters import choice, cutoff, threshold
from rankmark.measures.tied import share_in_order

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class AreaUnderCurve(Measure):
    """The share of pairs, a relevant document and another of the first k, that stand in order.

    Formula: c / (R N); N counts the first k documents that are not relevant, c the pairs in which
    the relevant one stands above. A relevant document that is not among the first k stands below
    all of them; ``norm="hits"`` leaves it out, and divides by h_k N. Where N is 0: 1 if something
    relevant was found, else 0.
    Nothing relevant: 0.
    Ties: documents of one score are tied, whatever the evaluation's rule; a tied pair counts half,
    with ``ties="wrong"`` 0. A tie that goes beyond rank k is cut there, by that rule.
    Unjudged documents: not relevant.
    Elsewhere: scikit-learn ``roc_auc_score`` of one query's rows, torchmetrics ``RetrievalAUROC``;
    RePlay ``RocAuc@k`` is norm="hits"; cornac ``AUC`` takes tied pairs for wrong. RecBole's gauc
    weighs queries by their relevant documents.
    Source: Hanley and McNeil, Radiology 143(1), 1982; Mann and Whitney 1947.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("which relevant documents are in a pair", "relevant", "hits")
    ties: str = choice("what a tied pair counts", "half", "wrong")

    name = "AUC"
    aliases = {
        "ROC_AUC": {},
        "ROCAUC": {"norm": "hits"},
        "AUROC": {},
        "area_under_curve": {},
    }
    formula = "pairs in order / (R N)"
    sees = "order"
    source = "Hanley and McNeil 1982, Radiology 143(1)"

    def sees_ties(self) -> bool:
        """Say so: a tie is a tie here."""
        return True

    def score(self, a: Alignment) -> Floats:
        whole = a.num_relevant(self.rel)
        if self.norm == "hits":
            whole = a.found(self.rel, self.k)
        half = 0.5 if self.ties == "half" else 0.0
        return share_in_order(a, a.hits(self.rel, self.k), self.k, whole, half)


AUC = AreaUnderCurve()
