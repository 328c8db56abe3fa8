"""Success: whether anything relevant was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.chances import first_places
from rankmark.measures.measure import Measure
from rankmark.measures.parameters import cutoff, threshold
from rankmark.terms import Terms

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class SuccessRate(Measure):
    """1 where a relevant document stands among the first k, else 0.

    Formula: 1 if h_k > 0, else 0. Without a cutoff, among all retrieved.
    Nothing relevant: 0.
    Ties: seen only where they straddle rank k.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``success_k``, ranx ``hit_rate@k``, BEIR ``Accuracy@k``, RecTools and
    RePlay ``HitRate``, knowledge graphs ``Hits@k``. ranx's ``hits`` counts the relevant documents
    instead, which is NumRelRet here; ir_measures' ``Accuracy`` is a pairwise measure.
    Source: trec_eval 10.0, m_success.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()

    name = "Success"
    aliases = {
        "Accuracy": {},
        "HitRate": {},
        "hit_rate": {},
        "Hits": {},
        "Hit": {},
        "HR": {},
        "hit_ratio": {},
        "HitRatio": {},
        "RetrievalHitRate": {},
    }
    formula = "1 if h_k > 0, else 0"
    sees = "documents"
    grows_with_k = True
    judged_alike = True
    source = "trec_eval 10.0, m_success.c"

    def score(self, a: Alignment) -> Floats:
        return (a.found(self.rel, self.k) > 0).astype(float)

    def terms(self, a: Alignment) -> Terms:
        hit = a.hits(self.rel, self.k).astype("float64")
        return Terms(hit * (a.cumsum(hit) == 1.0))

    def expected(self, a: Alignment) -> Floats:
        """Give the chance that the first relevant document stands among the first k."""
        _, none = first_places(a, self.rel, self.k)
        return 1.0 - none


Success = SuccessRate()
