"""Scores at many cutoffs, of rankings that are aligned once: the numbers behind plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import ratio
from rankmark.alignment.tie_probabilities import queries_of
from rankmark.errors import MeasureError
from rankmark.scoring.no_relevant import set_nothing_relevant
from rankmark.scoring.over_groups import in_groups, score
from rankmark.scoring.ties import RULES, Case, scored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rankmark.alignment.alignment import Needs
    from rankmark.array_types import Floats, Ints, Ranks
    from rankmark.measures import Measure
    from rankmark.measures.ndcg import NormalizedDiscountedCumulativeGain
    from rankmark.scoring.kept_data import Kept


class Shares(NamedTuple):
    """What is known of the first k documents of all queries together, k = 1, 2, ...: (k,) each.

    Parameters
    ----------
    judged
        The share of them that is judged, 0 to 1; 0 where there are none.
    tied
        The share of them whose score another document has, one of all these being judged.
    """

    judged: Floats
    tied: Floats


class Rankings:
    """A run's rankings, aligned once with all that some measures look at.

    Parameters
    ----------
    kept
        What an evaluation keeps.
    needs
        What will be looked at.
    rows
        (n,) int64, the numbers of the queries to keep, in judgment order; None for all.
    """

    def __init__(self, kept: Kept, needs: Needs, rows: Ints | None) -> None:
        self.conventions = kept.conventions
        self._rule = next((rule for rule in RULES if rule == kept.conventions.ties), None)
        cases: list[Case] = []
        if self._rule is None:
            alignment = kept.aligned(needs)
        else:
            alignment, cases = kept.unordered(needs)
        # One query of many is cut out, as scores at many ranks are then had for nothing.
        if rows is not None and len(rows) == 1 and not in_groups(alignment):
            (row,) = rows.tolist()
            alignment = queries_of(alignment, row, row + 1)
            cases = [case.of_query(row) for case in cases]
            rows = None
        # What is computed for a plot is not kept with the judgments.
        self._alignment = alignment.apart()
        self._cases = [case._replace(alignment=case.alignment.apart()) for case in cases]
        self._rows: Any = slice(None) if rows is None else rows

    @property
    def retrieved(self) -> Ints:
        """How many documents were retrieved, to the depth: (n,) int64."""
        retrieved: Ints = self._alignment.retrieved[self._rows]
        return retrieved

    def scores(self, one: Measure) -> Floats:
        """Score each query: (n,) float64, as an evaluation does."""
        if self._rule is None:
            # What a cutoff leaves behind helps no other.
            values = score(one, self._alignment.with_columns())
        else:
            cases = [case._replace(alignment=case.alignment.with_columns()) for case in self._cases]
            values, _ = scored(one, cases, self._rule)
        set_nothing_relevant(one, self._alignment, self.conventions, values)
        kept: Floats = values[self._rows]
        return kept

    def over(self, measures: Sequence[Measure]) -> Floats:
        """Score each query with each measure: (n, n_measures) float64."""
        return np.column_stack([self.scores(one) for one in measures])

    def ideal_dcg(self, one: NormalizedDiscountedCumulativeGain) -> Floats:
        """Give the DCG that nDCG divides by: (n,) float64.

        Raises
        ------
        MeasureError
            If it is not one number for all orders of ties, or judgments are in groups.
        """
        if in_groups(self._alignment):
            raise MeasureError(
                "the ideal DCG is not known of judgments in groups; draw a curve of nDCG instead"
            )
        if one.ideal == "retrieved" and self._rule and self.conventions.depth is not None:
            raise MeasureError(
                f"{one}: which documents a depth leaves to the ideal depends on the order of ties; "
                'choose an order for ties, or ideal="judged"'
            )
        kept: Floats = one.ideal_dcg(self._alignment)[self._rows]
        return kept

    def shares(self, k: int) -> Shares:
        """Say how much of the first 1, 2, ... ``k`` documents is judged, and how much ties.

        Where ties have no order, tied documents stand by id. The alignment must hold everything.
        """
        a = self._alignment
        chosen = np.zeros(len(a.retrieved), dtype=bool)
        chosen[self._rows] = True
        lengths = np.minimum(a.retrieved[chosen], k)
        there = _down_from(lengths, k)
        query = np.repeat(np.arange(len(a.retrieved)), np.diff(a.starts))
        seen = chosen[query] & (a.rank <= k)
        judged = np.bincount(a.rank[seen], minlength=k + 1)[1:]
        tied = np.zeros(k)
        if a.tie_first is not None and a.tie_last is not None:
            new = np.ones(len(query), dtype=bool)  # one row of each tie
            new[1:] = (query[1:] != query[:-1]) | (a.tie_first[1:] != a.tie_first[:-1])
            rows = new & chosen[query] & (a.tie_first < a.tie_last) & (a.tie_first <= k)
            ends = np.minimum(a.tie_last, np.minimum(a.retrieved, k)[query])
            tied -= _down_from(a.tie_first[rows] - 1, k)
            tied += _down_from(ends[rows], k)
        documents = np.cumsum(there)
        return Shares(
            ratio(np.cumsum(judged, dtype=np.float64), documents), ratio(np.cumsum(tied), documents)
        )


def _down_from(last: Ints | Ranks, k: int) -> Floats:
    """Count how many of some ranks, from 0 to k, are at least 1, 2, ... k: (k,) float64."""
    counts = np.bincount(last, minlength=k + 1)
    return np.cumsum(counts[::-1])[::-1][1:].astype(np.float64)
