"""Average precision: precision at each relevant document, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment import ratio
from rankmark.measures.measure import Measure
from rankmark.measures.parameters import choice, cutoff, threshold

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class AveragePrecision(Measure):
    """Precision at the rank of each relevant document, averaged over the relevant documents.

    Formula: (sum over relevant documents at ranks i <= k of h_i / i) / N, with N by ``norm``:
    "relevant" all relevant documents R, so that one not retrieved adds 0; "min" min(R, k);
    "hits" the relevant documents among the first k; "k" the cutoff. Without a cutoff, k is the
    number retrieved.
    Nothing relevant: 0.
    Ties: by the evaluation's rule. scikit-learn's ``average_precision_score`` takes documents of
    one score together and is another number where scores tie.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``map`` and ``map_cut_k``, ir_measures ``AP@k``, ranx and BEIR ``MAP@k``
    use "relevant"; RePlay, Spark, sentence-transformers, RecBole and LightGBM ``map@k`` "min";
    torchmetrics and ragas "hits"; RecTools ``divide_by_k=True`` "k".
    Source: Harman, TREC-1 overview, 1993; Buckley and Voorhees, SIGIR 2000; trec_eval m_map.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("what the sum is divided by", "relevant", "min", "hits", "k")

    name = "AP"
    aliases = {
        "MAP": {},
        "map_cut": {},
        "map_avgjg": {},
        "average_precision": {},
        "mean_average_precision": {},
    }
    formula = "sum of h_i / i over the relevant ranks i <= k, over R"
    sees = "order"
    grows_with_k = True
    source = "Buckley and Voorhees 2000, SIGIR; trec_eval 10.0, m_map.c"

    def score(self, a: Alignment) -> Floats:
        hit = a.hits(self.rel, self.k).astype(np.float64)
        return ratio(a.sum(hit * a.cumsum(hit) / a.rank), self._whole(a))

    def _whole(self, a: Alignment) -> Floats:
        if self.norm == "hits":
            return a.found(self.rel, self.k)
        if self.norm == "k":
            return a.cutoff(self.k)
        relevant = a.num_relevant(self.rel)
        return relevant if self.norm == "relevant" else np.minimum(relevant, a.cutoff(self.k))


AP = AveragePrecision()
