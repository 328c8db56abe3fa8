"""The result of p-MRR: how documents moved between two runs, and the mean over queries."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from rankmark.formatting import html_parts as html
from rankmark.formatting.number_style import number
from rankmark.formatting.result import Result, json_number
from rankmark.formatting.table_schema import columns_of
from rankmark.formatting.text_tables import text
from rankmark.version import __version__

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""
_HEAD = ("query", "document", "original rank", "new rank", "p-MRR")


@dataclass(frozen=True, slots=True)
class MovedDocument:
    """A document with its ranks in both runs.

    Parameters
    ----------
    query_id, doc_id
        The query, and the document.
    original_rank, new_rank
        Its ranks from 1; in a run that lacks it, the rank after the last document.
    """

    query_id: str
    doc_id: str
    original_rank: int
    new_rank: int

    @property
    def p_mrr(self) -> float:
        """How far it moved, from -1 (up, to the first rank) to 1 (down); 0 if it did not."""
        before, after = 1 / self.original_rank, 1 / self.new_rank
        return before / after - 1 if before <= after else 1 - after / before


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseMRR(Result):
    """How far documents moved down between two runs, averaged over queries.

    Parameters
    ----------
    rows
        A row for each document that changed, in the order given.
    left_out
        Queries that are missing from a run, and in no mean.
    ties, suffixes
        As chosen.
    """

    rows: tuple[MovedDocument, ...]
    left_out: tuple[str, ...]
    ties: str
    suffixes: tuple[str, str]

    def per_query(self) -> dict[str, float]:
        """Return the mean over the documents of each query, from -1 to 1."""
        found: dict[str, list[float]] = {}
        for row in self.rows:
            found.setdefault(row.query_id, []).append(row.p_mrr)
        return {query: math.fsum(values) / len(values) for query, values in found.items()}

    @property
    def mean(self) -> float:
        """The mean over queries, from -1 to 1; ``float()`` gives the same."""
        values = self.per_query().values()
        return math.fsum(values) / len(values)

    def __float__(self) -> float:
        return self.mean

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "settings": {"ties": self.ties, "suffixes": [*self.suffixes]},
            "p_mrr": json_number(self.mean),
            "per_query": self.per_query(),
            "documents": self._documents(),
            "left_out": [*self.left_out],
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self._documents())

    def _documents(self) -> list[dict[str, Any]]:
        return [asdict(row) | {"p_mrr": row.p_mrr} for row in self.rows]

    def _written(self) -> list[tuple[str, ...]]:
        return [
            (
                row.query_id,
                row.doc_id,
                f"{row.original_rank:,}",
                f"{row.new_rank:,}",
                number(row.p_mrr),
            )
            for row in self.rows
        ]

    def _notes(self) -> list[str]:
        count = len(self.per_query())
        queries = "1 query" if count == 1 else f"{count:,} queries"
        left_out = f", {len(self.left_out):,} left out" if self.left_out else ""
        return [
            f"mean over {queries}{left_out}; ties={self.ties}; above 0: documents moved down",
        ]

    def __str__(self) -> str:
        """Return the mean, the documents and how to read them."""
        table = text(_HEAD, self._written(), 2)
        return "\n".join([f"p-MRR  {number(self.mean)}", "", table, *self._notes()])

    def __repr__(self) -> str:
        return f"PairwiseMRR({len(self.per_query()):,} queries: {number(self.mean)})"

    def _repr_html_(self) -> str:
        return html.page(
            html.values([("p-MRR", number(self.mean))]),
            html.table(_HEAD, self._written(), 2),
            html.notes(self._notes()),
        )
