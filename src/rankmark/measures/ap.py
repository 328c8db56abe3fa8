"""Average precision: precision at each relevant document, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment.alignment import ratio
from rankmark.alignment.tie_probabilities import found_cases, hit_places
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.families.tied import through, tied

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats, Ranks


class AveragePrecision(Measure):
    """Precision at the rank of each relevant document, averaged over the relevant documents.

    Formula: (sum over relevant documents at ranks i <= k of h_i / i) / N, or of h_k / k where
    ``precision="set"``, which makes it precision times recall; with N by ``norm``:
    "relevant" all relevant documents R, so that one not retrieved adds 0; "min" min(R, k);
    "hits" the relevant documents among the first k; "k" the cutoff. Without a cutoff, k is the
    number retrieved.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; with ``ties="together"`` documents of one score share the last
    rank of their tie, and the sum is that of (R_j - R_(j-1)) P_j over distinct scores. A tie that
    goes beyond rank k is cut there, by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``map`` and ``map_cut_k``, ir_measures ``AP@k``, ranx and BEIR ``MAP@k``
    use "relevant"; RePlay, Spark, sentence-transformers, RecBole and LightGBM ``map@k`` "min";
    torchmetrics and ragas "hits"; RecTools ``divide_by_k=True`` "k". trec_eval ``set_map`` and
    ir_measures ``SetAP`` are precision="set", trec_eval ``gm_map`` aggregate="gmean".
    scikit-learn's ``average_precision_score`` and ``label_ranking_average_precision_score`` take
    ties together; the second is 1 where nothing is relevant.
    Source: Harman, TREC-1 overview, 1993; Buckley and Voorhees, SIGIR 2000; trec_eval m_map.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("what the sum is divided by", "relevant", "min", "hits", "k")
    precision: str = choice("where the precision of a document is taken", "rank", "set")
    ties: str = choice("where documents of one score stand", "apart", "together")
    aggregate: Any = choice("how queries become one number", "mean", "gmean")

    name = "AP"
    aliases = {
        "MAP": {},
        "map_cut": {},
        "map_avgjg": {},
        "average_precision": {},
        "mean_average_precision": {},
        "RetrievalMAP": {"norm": "hits"},
        "set_map": {"precision": "set"},
        "SetAP": {"precision": "set"},
        "gm_map": {"aggregate": "gmean"},
        "GMAP": {"aggregate": "gmean"},
        "average_precision_score": {"ties": "together"},
        "label_ranking_average_precision_score": {"ties": "together"},
        "LRAP": {"ties": "together"},
    }
    formula = "sum of h_i / i over the relevant ranks i <= k, over R"
    depends_on = "order"
    grows_with_k = True
    source = "Buckley and Voorhees 2000, SIGIR; trec_eval 10.0, m_map.c"

    def depends_on_ties(self) -> bool:
        """Say so where ties stand together."""
        return self.ties == "together" and self.precision == "rank"

    def score(self, a: Alignment) -> Floats:
        if self.precision == "set":
            return self._of_set(a, a.found(self.rel, self.k))
        hit, found, last = self._steps(a)
        return ratio(a.sum(hit * found / last), self._whole(a))

    def contributions(self, a: Alignment) -> Contributions:
        if self.precision == "set":
            hit = a.hits(self.rel, self.k).astype(np.float64)
            found = a.found(self.rel, self.k)
            whole = found if self.norm == "hits" else self._whole(a)
            return Contributions(
                hit * a.spread(found),
                over=a.cutoff(self.k) * whole,
                frame="{found}/{k} * {found}/{whole}",
                numbers={"found": found, "k": a.cutoff(self.k), "whole": whole},
            )
        hit, found, last = self._steps(a)
        return Contributions(
            hit * found / last,
            over=self._whole(a),
            columns={"found": found, "precision": found / last},
            written="{found}/{rank}" if self.ties == "apart" else "{precision}",
        )

    def _steps(self, a: Alignment) -> tuple[Floats, Floats, Floats | Ranks]:
        """Say of each document whether it is a hit, how many are found by its rank, and the rank.

        Where ties stand together, it is the last rank of the document's tie.
        """
        hits = a.hits(self.rel, self.k)
        hit = hits.astype(np.float64)
        if self.ties == "apart":
            return hit, a.cumsum(hit), a.rank
        tie = tied(a, self.k)
        return hit, through(a, hits, tie), tie.last

    def expected(self, a: Alignment) -> Floats | None:
        """Weigh each rank's precision by the chance that a relevant document stands there."""
        if self.depends_on_ties():
            return None
        if self.precision == "set":
            values = np.zeros(len(a.retrieved))
            for case, chance in found_cases(a, self.rel, self.k):
                values += chance * self._of_set(case, np.diff(case.starts).astype(np.float64))
            return values
        if self.norm != "hits":
            return self._weighed(a, self._whole(a))
        # How many are found may itself depend on the order.
        values = np.zeros(len(a.retrieved))
        for case, chance in found_cases(a, self.rel, self.k):
            values += chance * self._weighed(case, np.diff(case.starts).astype(np.float64))
        return values

    def _weighed(self, a: Alignment, whole: Floats) -> Floats:
        rows, found = hit_places(a, self.rel, self.k)
        return ratio(rows.sum(found / rows.rank), whole)

    def sorted_is_best(self) -> bool:
        """Say no where finding one more, further down, lowers the mean precision of those found."""
        lowered = self.norm == "hits" and self.precision == "rank"
        return not lowered and super().sorted_is_best()

    def _of_set(self, a: Alignment, found: Floats) -> Floats:
        whole = found if self.norm == "hits" else self._whole(a)
        return ratio(found * found, a.cutoff(self.k) * whole)

    def _whole(self, a: Alignment) -> Floats:
        if self.norm == "hits":
            return a.found(self.rel, self.k)
        if self.norm == "k":
            return a.cutoff(self.k)
        relevant = a.num_relevant(self.rel)
        return relevant if self.norm == "relevant" else np.minimum(relevant, a.cutoff(self.k))


AP = AveragePrecision()
