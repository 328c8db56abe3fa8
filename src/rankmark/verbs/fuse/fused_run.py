"""The result of a fusion: a run, which knows what it was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.preparing.run import Run
from rankmark.errors import one_line
from rankmark.results.result import Frames

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.results.explanations.list_votes import ListVotes
    from rankmark.verbs.fuse.fusion import Fusion
    from rankmark.verbs.fuse.fusion_audit import FusionAudit
    from rankmark.verbs.fuse.method import Method


class FusedRun(Run, Frames):
    """Several runs fused into one: a Run, which every function takes.

    Attributes
    ----------
    method
        The method, with its parameters.
    weights
        {run: weight}.
    runs
        {name: the run that was fused}.
    settings
        The method and all conventions, in JSON types.
    audit
        Which queries and documents were fused, ties, constant lists, and what ``depth`` cut.
    """

    def __init__(self, source: Source, fusion: Fusion, audit: FusionAudit) -> None:
        self.source = source
        self.fusion = fusion
        self.audit = audit

    @property
    def settings(self) -> dict[str, Any]:
        """The method and all conventions, in JSON types."""
        return self.fusion.settings()

    @property
    def method(self) -> Method:
        """The method, with its parameters."""
        return self.fusion.method

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each run."""
        return dict(zip(self.fusion.runs, self.fusion.weights.tolist(), strict=True))

    @property
    def runs(self) -> dict[str, Run]:
        """The runs that were fused, by name."""
        return dict(self.fusion.runs)

    def votes(self, query: str) -> ListVotes | None:
        """Return what each list gave the documents of a query, which is fused again.

        None if no run answers the query. ``rm.explain`` shows it.
        """
        from rankmark.verbs.fuse.votes import votes_of  # noqa: PLC0415

        return votes_of(self.fusion, query, self.settings["top"])

    def __repr__(self) -> str:
        return one_line(f"FusedRun({self.method} of {', '.join(self.fusion.runs)})")

    def __str__(self) -> str:
        """Return the method and the audit as text."""
        return f"{self.fusion.conventions()}\n{self.audit}"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the fused run as {query id: {document id: score}}, documents best first."""
        columns = self._table()
        found: dict[str, dict[str, float]] = {}
        pairs = zip(columns["query_id"], columns["doc_id"], columns["score"], strict=True)
        for query, doc, score in pairs:
            found.setdefault(query, {})[doc] = score
        return found

    def _table(self) -> dict[str, list[Any]]:
        """Return the columns of the rows: query by query, documents best first."""
        rows = self.source.rows(AS_USUAL, lenient=False)
        codes = np.asarray(rows.query_codes)
        sizes = np.bincount(codes)
        begins = np.repeat(np.cumsum(sizes) - sizes, sizes)
        ids = [rows.doc_ids(code) for code in range(int(np.max(rows.doc_codes)) + 1)]
        return {
            "query_id": [rows.query_ids[code] for code in codes.tolist()],
            "doc_id": [ids[code] for code in rows.doc_codes.tolist()],
            "rank": (np.arange(len(codes)) - begins + 1).tolist(),
            "score": [] if rows.number is None else rows.number.tolist(),
        }
