"""One number from the scores of queries, under any convention for averaging."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import Conventions
from rankmark.scoring.aggregates import LEAST_IN_GMEAN
from rankmark.scoring.query_scores import set_no_relevant
from rankmark.statistics.exact_sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.measures import Measure
    from rankmark.verbs.reconcile.rankings import Ranking

_WITHOUT_WEIGHTS = {"pooled", "aggregate", "divisor"}
"""Other ways to make one number of scores, which nobody weighs."""


class Scores:
    """The scores of one measure on one ranking, and what is averaged of them.

    Parameters
    ----------
    ranking, measure
        What is scored.
    subset
        Whether each judged query is in the caller's subset: (Q,) bool; None without one.
    """

    def __init__(self, ranking: Ranking, measure: Measure, subset: Bools | None) -> None:
        self.measure = measure
        self.of_queries: Floats = ranking.scores(measure)
        self._ranking = ranking
        self._subset = subset
        self._sums: dict[tuple[Any, ...], tuple[float, float]] = {}

    def rows(self, average: Mapping[str, Any]) -> Ints:
        """Return the numbers of the queries that are averaged, in judgment order: (n,) int64.

        Parameters
        ----------
        average
            Choices for ``queries`` and ``no_relevant``, as far as they differ from the defaults.
        """
        values = self.by_query(average.get("no_relevant", "zero"))
        averaged = np.ones(len(values), dtype=bool)
        queries = average.get("queries", "judged")
        if queries == "both":
            averaged = np.asarray(self._ranking.facts.answered) != 0
        elif queries in {"subset", "listed"} and self._subset is not None:
            averaged = self._subset.copy()
        elif queries == "positive":
            averaged = values > 0
        if average.get("no_relevant") == "skip":
            averaged &= ~np.isnan(values)
        return np.flatnonzero(averaged)

    def averaged(self, average: Mapping[str, Any]) -> Floats:
        """Return the scores of the queries that are averaged: (n,) float64."""
        values = self.by_query(average.get("no_relevant", "zero"))[self.rows(average)]
        if "rounded_queries" in average:
            values = np.round(values, average["rounded_queries"])
        return values

    def by_query(self, no_relevant: str = "zero") -> Floats:
        """Return the score of each judged query, NaN for those left out: (Q,) float64."""
        if no_relevant == "zero":
            return self.of_queries
        values = self.of_queries.copy()
        conventions = Conventions(no_relevant=no_relevant)  # type: ignore[arg-type]
        set_no_relevant(self.measure, self._ranking.alignment, conventions, values)
        return values

    @property
    def found(self) -> Floats | None:
        """The relevant documents up to the cutoff: (Q,) float64; None if it does not count them."""
        if self.measure.name not in {"P", "R"} or self._ranking.ranked.cases:
            return None
        rel, k = self.measure.rel, self.measure.k  # type: ignore[attr-defined]
        return np.asarray(self._ranking.alignment.found(rel, k), dtype=np.float64)

    def _pooled(self, average: Mapping[str, Any]) -> float:
        """Return all relevant documents found, divided by the sum of what queries divide by."""
        found, a = self.found, self._ranking.alignment
        if found is None:
            return math.nan
        k, relevant = self.measure.k, a.num_relevant(self.measure.rel)  # type: ignore[attr-defined]
        counted = a.retrieved if average["pooled"] == "retrieved" else relevant
        if k is not None and average["pooled"] != "relevant":
            counted = np.minimum(counted, k)
        rows = self.rows(average)
        total = float(counted[rows].sum())
        return float(found[rows].sum()) / total if total else math.nan

    def value(self, average: Mapping[str, Any]) -> float:
        """Return the mean, or another aggregate, under some choices; NaN if there is none."""
        if self._ranking.weights is not None and average.keys() & _WITHOUT_WEIGHTS:
            return math.nan
        if "pooled" in average:
            return self._pooled(average)
        aggregate = average.get("aggregate", self.measure.aggregate)
        if aggregate == "median":
            values = self.averaged(average)
            return float(np.median(values)) if len(values) else math.nan
        total, count = self._sum(average, aggregate)
        divisor: float = count
        if average.get("divisor") == "run":
            facts = self._ranking.facts
            divisor = int(np.count_nonzero(facts.answered)) + facts.run_only
        else:
            divisor = count + average.get("divisor", 0)
        if aggregate == "sum" and self._ranking.weights is None:  # weighted counts are averaged
            return total
        if divisor <= 0:
            return math.nan
        return math.exp(total / divisor) if aggregate == "gmean" else total / divisor

    def _sum(self, average: Mapping[str, Any], aggregate: str) -> tuple[float, float]:
        """Return the weighted sum of scores, or of their logarithms, and the sum of weights."""
        names = ("queries", "no_relevant", "rounded_queries")
        what = (aggregate == "gmean", *(average.get(name) for name in names))
        if what not in self._sums:
            values = self.averaged(average)
            if aggregate == "gmean":
                values = np.log(np.maximum(values, LEAST_IN_GMEAN))
            weights, count = self._ranking.weights, float(len(values))
            if weights is not None:
                of_queries = weights[self.rows(average)]
                values, count = values * of_queries, exact_sum(of_queries)
            self._sums[what] = exact_sum(values), count
        return self._sums[what]
