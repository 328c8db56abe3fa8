"""Average precision: precision at each relevant document, averaged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment.alignment import ratio
from rankmark.alignment.tie_probabilities import found_cases, hit_places
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import TOGETHER, TieHandling
from rankmark.measures.families.tied import count_to_end, tied

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats


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

    def score(self, a: Alignment) -> Floats:
        form = self._form()
        return ratio(a.sum(form.terms(self, a)), form.divisor(self, a))

    def contributions(self, a: Alignment) -> Contributions:
        form = self._form()
        return form.explained(self, a, Contributions(form.terms(self, a), form.divisor(self, a)))

    @property
    def tie_handling(self) -> TieHandling:
        """Handle ties as the form does."""
        return self._form().tie_handling(self)

    def divisor(self, a: Alignment) -> Floats:
        """Give N, by which the precisions are averaged: (Q,) float64."""
        if self.norm == "hits":
            return a.found(self.rel, self.k)
        if self.norm == "k":
            return a.cutoff(self.k)
        relevant = a.num_relevant(self.rel)
        return relevant if self.norm == "relevant" else np.minimum(relevant, a.cutoff(self.k))

    def _form(self) -> _AtRanks:
        if self.precision == "set":
            return _OF_SET
        return _AT_RANKS if self.ties == "apart" else _AT_TIES


class _AtRanks:
    """Precision at the rank of each relevant document: the textbook's formula."""

    def terms(self, measure: AveragePrecision, a: Alignment) -> Floats:
        """Give the precision at each relevant document, 0 at the others: (H,) float64."""
        hit = a.hits(measure.rel, measure.k).astype(np.float64)
        return hit * a.cumsum(hit) / a.rank

    def divisor(self, measure: AveragePrecision, a: Alignment) -> Floats:
        """Give what the terms are divided by: (Q,) float64."""
        return measure.divisor(a)

    def explained(self, measure: AveragePrecision, a: Alignment, c: Contributions) -> Contributions:
        """Say how the terms are written."""
        found = a.cumsum(a.hits(measure.rel, measure.k).astype(np.float64))
        columns = {"found": found, "precision": found / a.rank}
        return replace(c, columns=columns, written="{found}/{rank}")

    def tie_handling(self, measure: AveragePrecision) -> TieHandling:
        """Say how the value is found where tied documents have no order."""
        if measure.norm == "hits":
            # One more hit, further down, may lower the mean precision of those found.
            return TieHandling(_expected_of_hits, sorted_is_best=False)
        return TieHandling(_expected)


class _AtTies(_AtRanks):
    """Precision at the last rank of the tie in which each relevant document stands."""

    def terms(self, measure: AveragePrecision, a: Alignment) -> Floats:
        hits = a.hits(measure.rel, measure.k)
        tie = tied(a, measure.k)
        return hits.astype(np.float64) * count_to_end(a, hits, tie) / tie.last

    def explained(self, measure: AveragePrecision, a: Alignment, c: Contributions) -> Contributions:
        tie = tied(a, measure.k)
        found = count_to_end(a, a.hits(measure.rel, measure.k), tie)
        columns = {"found": found, "precision": found / tie.last}
        return replace(c, columns=columns, written="{precision}")

    def tie_handling(self, measure: AveragePrecision) -> TieHandling:  # noqa: ARG002
        return TOGETHER


class _OfSet(_AtRanks):
    """Precision of all k documents, for each relevant one: precision times recall."""

    def terms(self, measure: AveragePrecision, a: Alignment) -> Floats:
        hit = a.hits(measure.rel, measure.k).astype(np.float64)
        return hit * a.spread(a.found(measure.rel, measure.k))

    def divisor(self, measure: AveragePrecision, a: Alignment) -> Floats:
        return a.cutoff(measure.k) * measure.divisor(a)

    def explained(self, measure: AveragePrecision, a: Alignment, c: Contributions) -> Contributions:
        numbers = {
            "found": a.found(measure.rel, measure.k),
            "k": a.cutoff(measure.k),
            "whole": measure.divisor(a),
        }
        return replace(c, frame="{found}/{k} * {found}/{whole}", numbers=numbers)

    def tie_handling(self, measure: AveragePrecision) -> TieHandling:  # noqa: ARG002
        return TieHandling(_expected_of_set)


_AT_RANKS, _AT_TIES, _OF_SET = _AtRanks(), _AtTies(), _OfSet()


def _expected(measure: AveragePrecision, a: Alignment) -> Floats:
    """Weigh each rank's precision by the chance that a relevant document stands there."""
    rows, found = hit_places(a, measure.rel, measure.k)
    return ratio(rows.sum(found / rows.rank), measure.divisor(a))


def _expected_of_hits(measure: AveragePrecision, a: Alignment) -> Floats:
    """Tell apart how many are found, which may itself depend on the order of ties."""
    return _over_cases(measure, a, _expected)


def _expected_of_set(measure: AveragePrecision, a: Alignment) -> Floats:
    return _over_cases(measure, a, AveragePrecision.score)


def _over_cases(
    measure: AveragePrecision,
    a: Alignment,
    value: Callable[[AveragePrecision, Alignment], Floats],
) -> Floats:
    values = np.zeros(len(a.retrieved))
    for case, chance in found_cases(a, measure.rel, measure.k):
        values += chance * value(measure, case)
    return values


AP = AveragePrecision()
