"""Scores at many cutoffs, of rankings aligned once: the data of plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import query_of_rows, ratio
from rankmark.errors import MeasureError
from rankmark.measures.base.requirements import needs_of
from rankmark.scoring.query_scores import in_groups
from rankmark.scoring.ranked import Ranked
from rankmark.scoring.rejudged import rejudged, spending_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rankmark.array_types import Floats, Ints, Ranks
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.measures import Measure
    from rankmark.measures.ndcg import NormalizedDiscountedCumulativeGain
    from rankmark.scoring.kept_data import KeptData


class Shares(NamedTuple):
    """Fractions of the first k documents of all queries, k = 1, 2, ...: (k,) each.

    Parameters
    ----------
    judged
        The fraction that is judged; 0 if there are none.
    tied
        The fraction that is tied, with at least one judged document in the tie.
    """

    judged: Floats
    tied: Floats


class Rankings:
    """A run's rankings, aligned once for many measures.

    Parameters
    ----------
    kept
        The data of an evaluation.
    needs
        The needs of all measures.
    rows
        (n,) int64, the numbers of the queries to keep, in judgment order; None for all.
    """

    def __init__(self, kept: KeptData, needs: Needs, rows: Ints | None) -> None:
        self.conventions: Conventions = kept.conventions
        self._kept, self._chosen = kept, rows
        ranked = kept.ranked(needs)
        # Scores of one query at many ranks are much cheaper without the others.
        if rows is not None and len(rows) == 1 and not in_groups(ranked.alignment):
            ranked, rows = ranked.of_query(int(rows[0])), None
        # Values computed for a plot are not cached with the judgments.
        self._ranked = ranked.apart()
        self._alignment = self._ranked.alignment
        self._rows: Any = slice(None) if rows is None else rows

    @property
    def retrieved(self) -> Ints:
        """The number of documents retrieved, down to the depth: (n,) int64."""
        return self._alignment.retrieved[self._rows]

    def scores(self, measure: Measure) -> Floats:
        """Score each query, as an evaluation does: (n,) float64."""
        if self.conventions.of(measure) is not self.conventions:
            raise MeasureError(
                f"{measure} has conventions of its own, which others do not have",
                "evaluate it alone, and draw that",
            )
        if measure.is_apart:
            needed = "the judgments of all queries"
            if measure.budget is not None:
                needed = "costs"
            elif measure.is_rejudged:
                needed = "weights or slices"
            raise MeasureError(
                f"{measure} needs {needed}, and this keeps the judgments of each query alone",
                "evaluate it at each cutoff",
            )
        # Copied, as values cached at one cutoff are of no use at others.
        return self._ranked.copied().score(measure)[self._rows]

    def over(self, measures: Sequence[Measure]) -> Floats:
        """Score each query with each measure: (n, n_measures) float64."""
        return np.column_stack([self.scores(measure) for measure in measures])

    def over_budgets(self, measure: Measure, amounts: Sequence[float]) -> Floats:
        """Score each query within budgets like that of a measure: (n, n_amounts) float64."""
        assert measure.budget is not None  # noqa: S101
        qrels, run = self._kept.read()
        conventions, qrels = self.conventions.of(measure), rejudged(qrels, measure)
        spending = spending_of(qrels, run, measure, conventions, measure.budget.cost)
        columns = [
            Ranked.of(
                qrels,
                spending.within(measure.budget._replace(most=amount)),
                conventions,
                needs=needs_of([measure]),
                reading=self._kept.reading,
                may_differ=True,
            ).score(measure)
            for amount in amounts
        ]
        rows = slice(None) if self._chosen is None else self._chosen
        return np.column_stack(columns)[rows]

    def ideal_dcg(self, measure: NormalizedDiscountedCumulativeGain) -> Floats:
        """Return the DCG that nDCG divides by: (n,) float64."""
        if in_groups(self._alignment):
            raise MeasureError(
                "the ideal DCG is unavailable for judgments in groups",
                "draw a curve of nDCG instead",
            )
        has_order = self.conventions.unordered is None
        if measure.ideal == "retrieved" and not has_order and self.conventions.depth is not None:
            raise MeasureError(
                "with a depth, the ideal ranking depends on the order of ties",
                'choose an order for ties, or ideal="judged"',
                where=str(measure),
            )
        return measure.ideal_dcg(self._alignment)[self._rows]

    def shares(self, k: int) -> Shares:
        """Return the fractions of the first 1, 2, ... ``k`` documents that are judged and tied.

        Means over queries, as Judged@k. If ties have no order, tied documents are ordered by id.
        The alignment must be complete.
        """
        a = self._alignment
        chosen = np.zeros(len(a.retrieved), dtype=bool)
        chosen[self._rows] = True
        lengths = np.minimum(a.retrieved, k)
        query = query_of_rows(a.starts)
        rows = chosen[query] & (a.rank <= k)
        judged = np.bincount(a.rank[rows], minlength=k + 1)[1:].astype(np.float64)
        judged_of = np.bincount(query[rows], minlength=len(chosen)).astype(np.float64)
        tied, tied_of = np.zeros(k), np.zeros(len(chosen))
        if a.tie_first is not None and a.tie_last is not None:
            new = np.ones(len(query), dtype=bool)  # one row of each tie
            new[1:] = (query[1:] != query[:-1]) | (a.tie_first[1:] != a.tie_first[:-1])
            rows = new & chosen[query] & (a.tie_first < a.tie_last) & (a.tie_first <= k)
            ends = np.minimum(a.tie_last, lengths[query])
            tied -= _count_from(a.tie_first[rows] - 1, k)
            tied += _count_from(ends[rows], k)
            sizes = (ends - a.tie_first + 1)[rows].astype(np.float64)
            tied_of += np.bincount(query[rows], sizes, len(chosen))
        lengths = lengths[chosen]
        return Shares(
            _mean_shares(judged, judged_of[chosen], lengths, k),
            _mean_shares(tied, tied_of[chosen], lengths, k),
        )


def _mean_shares(by_rank: Floats, of_query: Floats, lengths: Ints, k: int) -> Floats:
    """Return the mean over queries of the share of the first 1, 2, ... ``k`` documents that count.

    Parameters
    ----------
    by_rank
        (k,) float64, how many documents of all queries count at each rank.
    of_query
        (n,) float64, how many documents of each query count.
    lengths
        (n,) int64, the documents of each query, at most ``k``; a query without any counts 0.
    """
    # The lists that have ended before a rank keep their share.
    ended = np.bincount(lengths, of_query, k + 1)[:k]
    ended_shares = np.bincount(lengths, ratio(of_query, lengths.astype(np.float64)), k + 1)[:k]
    going_on = np.cumsum(by_rank) - np.cumsum(ended)
    sums = going_on / np.arange(1, k + 1) + np.cumsum(ended_shares)
    return ratio(sums, np.full(k, float(len(lengths))))


def _count_from(ranks: Ints | Ranks, k: int) -> Floats:
    """Count the ranks, from 0 to k, that are at least 1, 2, ... k: (k,) float64."""
    counts = np.bincount(ranks, minlength=k + 1)
    return np.cumsum(counts[::-1])[::-1][1:].astype(np.float64)
