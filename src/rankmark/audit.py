"""Who was averaged, and how far the numbers can be trusted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Audit:
    """What stands beside every result.

    Parameters
    ----------
    averaged
        Queries that the means are over: those chosen by ``queries``, without those that
        ``no_relevant="skip"`` or ``"nan"`` gives no value.
    judged
        Queries in the qrels.
    answered
        Judged queries that the run holds.
    missing
        Judged queries that the run does not hold; under ``queries="judged"`` they count 0.
    missing_queries
        Their ids.
    run_only
        Queries of the run that nobody judged; they are ignored.
    run_only_examples
        The first three of them.
    without_relevant
        Of the queries chosen, those in which nothing is relevant.
    tied_share
        Over the queries chosen: share of the judged documents retrieved whose score another
        document shares, 0 to 1: only these can move a number.
    judged_share
        Over the queries chosen: share of the first 10 documents that are judged, 0 to 1.
    rows
        Documents in the run.
    interleaved
        Queries whose documents do not stand together in the file.
    qrels_extra_columns, run_extra_columns
        Lines with more columns than the format has.
    self_matches
        Over the queries chosen: how many retrieved a document whose id is their own; 0 where ids
        are numbers of rows and columns.
    self_matches_ndcg
        Mean nDCG@10 with these documents and without them (``drop_self``), where more than one in
        a hundred of the answered queries holds one and they were not dropped; else None.
    duplicates
        Over the queries chosen: rows of the run left out, as their document stood in another row
        of the same ranking; 0 where ``duplicates="error"`` refuses them.
    seen
        Over the queries chosen: documents of the run left out, as they were ``seen`` before; None
        where nobody said what was.
    """

    averaged: int
    judged: int
    answered: int
    missing: int
    missing_queries: tuple[str, ...]
    run_only: int
    run_only_examples: tuple[str, ...]
    without_relevant: int
    tied_share: float
    judged_share: float
    rows: int
    interleaved: int
    qrels_extra_columns: int
    run_extra_columns: int
    self_matches: int
    self_matches_ndcg: tuple[float, float] | None
    duplicates: int
    seen: int | None = None

    def __str__(self) -> str:
        """Write the audit on one line."""
        line = (
            f"judged {self.judged:,}, answered {self.answered:,}, missing {self.missing:,}, "
            f"run-only {self.run_only:,}, without relevant {self.without_relevant:,}; "
            f"{self.tied_share:.1%} of judged documents tied; "
            f"{self.judged_share:.1%} of the top 10 judged"
        )
        return "; ".join([line, *self.extras()])

    def extras(self) -> list[str]:
        """Say what few runs have: lines with too many columns, duplicates, and their like."""
        said = []
        if self.qrels_extra_columns + self.run_extra_columns:
            said.append(
                f"lines with extra columns: {self.qrels_extra_columns:,} of the qrels, "
                f"{self.run_extra_columns:,} of the run"
            )
        if self.duplicates:
            said.append(f"rows left out as duplicates: {self.duplicates:,}")
        if self.seen is not None:
            said.append(f"documents left out as seen: {self.seen:,}")
        if self.interleaved:
            queries = "query" if self.interleaved == 1 else "queries"
            said.append(f"{self.interleaved:,} {queries} interleaved")
        if self.self_matches_ndcg is not None:
            kept, dropped = self.self_matches_ndcg
            queries = "query" if self.self_matches == 1 else "queries"
            said.append(
                f"{self.self_matches:,} {queries} retrieved a document with their own id: "
                f"nDCG@10 {kept:.4f}, {dropped:.4f} with drop_self"
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """Write the audit as JSON knows it."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
