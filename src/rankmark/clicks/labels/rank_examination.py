"""The result of ``position_bias``: how often people look at each rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_result import Column, TabledResult, table_of
from rankmark.results.table_schema import columns_of

_TOLD = {
    "chain": "from documents seen at two neighbouring ranks",
    "swap": "from documents seen at rank 1 and at this rank",
    "pairs": "from documents seen at two ranks",
    "em": "by expectation maximisation",
}
_FEW = 100  # impressions of a document, below which EM is worth a warning


class RankRow(NamedTuple):
    """How often people look at a rank.

    Parameters
    ----------
    rank
        From 1.
    examination
        How often, compared with rank 1.
    low, high
        The ends of its interval; NaN if there is none.
    impressions, clicks
        At this rank.
    compared
        How many comparisons with a higher rank documents of queries give.
    """

    rank: int
    examination: float
    low: float
    high: float
    impressions: int
    clicks: int
    compared: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PositionBias(TabledResult):
    """How often people look at each rank, compared with rank 1.

    Parameters
    ----------
    method
        "chain", "swap", "pairs" or "em".
    rows
        The ranks, from 1.
    queries
        How many queries have documents that tell.
    confidence
        Of the intervals.
    undefined
        Why there are no intervals, or "".
    shown_per_document
        How often a document was shown for a query, on average.
    """

    method: str
    rows: tuple[RankRow, ...]
    queries: int
    confidence: float
    undefined: str
    shown_per_document: float

    @property
    def examination(self) -> tuple[float, ...]:
        """How often people look at each rank, from rank 1, compared with it."""
        return tuple(row.examination for row in self.rows)

    @property
    def headline(self) -> str:
        """The lowest rank."""
        last = self.rows[-1]
        return f"Rank {last.rank} is looked at {last.examination:.3f} times as often as rank 1."

    @property
    def notes(self) -> list[str]:
        """How examination was estimated."""
        found = [f"{_TOLD[self.method]}, in {self.queries:,} queries (method {self.method})"]
        if self.undefined:
            found.append(f"no intervals: {self.undefined}")
        else:
            found.append(f"{self.confidence:.0%} intervals, by the variance of sums over queries")
        if self.method == "em" and self.shown_per_document < _FEW:
            found.append(
                f"a document was shown {self.shown_per_document:.1f} times for a query, on "
                "average: with so few, EM overrates low ranks"
            )
        return found

    def _grids(self) -> list[MarkedTable]:
        def ends(row: RankRow) -> str:
            return "" if self.undefined else f"[{row.low:.3f}, {row.high:.3f}]"

        columns = [
            Column("rank", lambda row: str(row.rank)),
            Column("examination", lambda row: f"{row.examination:.3f}"),
            Column(f"{self.confidence:.0%} interval", ends, attached=True),
            Column("impressions", lambda row: f"{row.impressions:,}"),
            Column("clicks", lambda row: f"{row.clicks:,}"),
            Column("compared", lambda row: f"{row.compared:,}"),
        ]
        return [table_of(columns, self.rows)]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        ranks
            The ranks, from 1.
        """
        return {
            "method": self.method,
            "queries": self.queries,
            "confidence": self.confidence,
            "undefined": self.undefined,
            "shown_per_document": self.shown_per_document,
            "ranks": self.rows,
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self.rows)
