"""Average precision: the mean of the precision at each relevant document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmark.array_types import Bools, Floats, Ranks
from rankmark.conventions import TIES
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure, TermOf
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import TOGETHER, TieHandling
from rankmark.measures.families.possible_losses import of_average_precision
from rankmark.measures.families.tied import count_to_end, tied
from rankmark.results.explanations.contributions import Contributions


class AveragePrecision(Measure):
    """The mean of the precision at the rank of each relevant document.

    Formula: (sum of h_i / i over the relevant ranks i <= k) / R; with ``precision="set"`` of h_k /
    k, which makes it precision times recall. The divisor is (``norm``) "relevant" R, all relevant
    documents, so one that was not retrieved adds 0; "min" min(R, k); "hits" the relevant documents
    among the first k; "k" the cutoff. Without a cutoff, k is the number retrieved.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; with ``ties="together"`` documents with equal scores share the
    last rank of their tie, so the sum is that of (R_j - R_(j-1)) P_j over distinct scores. A tie
    across rank k is cut there, by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``map`` and ``map_cut_k``, ir_measures ``AP@k``, ranx and BEIR ``MAP@k``
    use "relevant"; RePlay, Spark, sentence-transformers, RecBole, recommenders, XGBoost and
    LightGBM ``map@k`` "min" (LensKit: of R and the length of the list); torchmetrics and ragas
    "hits"; RecTools ``divide_by_k=True`` "k". trec_eval ``set_map`` and ir_measures ``SetAP`` are
    precision="set", trec_eval ``gm_map`` aggregate="gmean".
    scikit-learn's ``average_precision_score`` and ``label_ranking_average_precision_score`` are
    ties="together"; the second is 1 if nothing is relevant.
    Source: Harman, TREC-1 overview, 1993; Buckley and Voorhees, SIGIR 2000; trec_eval m_map.c.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("what the sum is divided by", "relevant", "min", "hits", "k")
    precision: str = choice("the rank at which precision is computed", "rank", "set")
    ties: str | None = choice(
        "the ranks of documents with equal scores", "apart", "together", *TIES
    )
    aggregate: Any = choice("how query scores are combined", "mean", "gmean")

    def score(self, a: Alignment) -> Floats:
        hit, found, rank = self._precision_at_hits(a)
        return ratio(a.sum_where(hit, found / rank), self.divisor(a))

    name = "AP"
    full_name = "average precision"
    aliases: Aliases = {
        "MAP": {},
        "map_cut": {},
        "map_avgjg": {},
        "average_precision": {},
        "mean_average_precision": {},
        "RetrievalMAP": {"norm": "hits"},
        "retrieval_average_precision": {"norm": "hits"},
        "set_map": {"precision": "set"},
        "SetAP": {"precision": "set"},
        "gm_map": {"aggregate": "gmean"},
        "GMAP": {"aggregate": "gmean"},
        "average_precision_score": {"norm": "hits", "ties": "together"},
        "label_ranking_average_precision_score": {"ties": "together"},
        "LRAP": {"ties": "together"},
    }
    formula = "(sum of h_i / i over the relevant ranks i <= k) / R"
    latex = r"\frac{1}{R} \sum_{\text{relevant } i \le k} \frac{h_i}{i}"
    depends_on: DependsOn = "order"
    grows_with_k = True

    @property
    def term_of(self) -> TermOf | None:  # type: ignore[override]
        """The relevant documents before, unless those further down matter, too."""
        of_rank = self.precision == "rank" and self.ties != "together"
        return "found" if of_rank and self.norm != "hits" else None

    def _precision_at_hits(self, a: Alignment) -> tuple[Bools, Floats, Floats | Ranks | float]:
        """Return which documents are hits, how many are found, and by which rank: (H,) each."""
        hit = a.hits(self.rel, self.k)
        if self.precision == "set":
            return hit, a.spread(a.found(self.rel, self.k)), 1.0  # the divisor contains the rank, k
        if self.ties == "together":
            tie = tied(a, self.k)
            return hit, count_to_end(a, hit, tie), tie.last
        return hit, a.cumcount(hit), a.rank

    def divisor(self, a: Alignment) -> Floats:
        """Return what the sum is divided by: (Q,) float64."""
        relevant = self._relevant(a)
        return a.cutoff(self.k) * relevant if self.precision == "set" else relevant

    def _relevant(self, a: Alignment) -> Floats:
        """Return N, the number of relevant documents to average over: (Q,) float64."""
        if self.norm == "hits":
            return a.found(self.rel, self.k)
        if self.norm == "k":
            return a.cutoff(self.k)
        relevant = a.num_relevant(self.rel)
        return relevant if self.norm == "relevant" else np.minimum(relevant, a.cutoff(self.k))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the largest loss, to a cutoff of 12, or a bound of it."""
        is_usual = self.precision == "rank" and self.norm in {"relevant", "min"}
        if not is_usual or self.ties == "together":
            return None
        return of_average_precision(moved, self.k)

    def contributions(self, a: Alignment) -> Contributions:
        hit, found, rank = self._precision_at_hits(a)
        terms = Contributions(hit * found / rank, divisor=self.divisor(a))
        if self.precision == "set":
            k, found = a.cutoff(self.k), a.found(self.rel, self.k)
            numbers = {"found": found, "k": k, "relevant": self._relevant(a)}
            return terms._replace(frame="{found}/{k} * {found}/{relevant}", numbers=numbers)
        return terms._replace(
            columns={"found": found, "precision": found / rank},
            written="{precision}" if self.ties == "together" else "{found}/{rank}",
        )

    @property
    def tie_handling(self) -> TieHandling:
        """Weight each rank by the probability of a hit, unless tied documents share a rank."""
        if self.precision == "set":
            return TieHandling(_expected_of_set)
        if self.ties == "together":
            return TOGETHER
        if self.norm == "hits":
            # One more hit, further down, may lower the mean precision of those found.
            return TieHandling(_expected_of_hits, sorted_is_best=False)
        return TieHandling(_expected)


def _expected(measure: AveragePrecision, a: Alignment) -> Floats:
    """Weight the precision at each rank by the probability of a relevant document there."""
    from rankmark.data.alignment.tie_probabilities import hit_places  # noqa: PLC0415

    rows, found = hit_places(a, measure.rel, measure.k)
    return ratio(rows.sum(found / rows.rank), measure.divisor(a))


def _expected_of_hits(measure: AveragePrecision, a: Alignment) -> Floats:
    return _over_cases(measure, a, _expected)


def _expected_of_set(measure: AveragePrecision, a: Alignment) -> Floats:
    return _over_cases(measure, a, AveragePrecision.score)


def _over_cases(
    measure: AveragePrecision,
    a: Alignment,
    value: Callable[[AveragePrecision, Alignment], Floats],
) -> Floats:
    """Average over the numbers of documents found, if these depend on the order of ties."""
    from rankmark.data.alignment.tie_probabilities import found_cases  # noqa: PLC0415

    cases = found_cases(a, measure.rel, measure.k)
    return sum(
        (chance * value(measure, case) for case, chance in cases), np.zeros(len(a.retrieved))
    )


AP = AveragePrecision()
