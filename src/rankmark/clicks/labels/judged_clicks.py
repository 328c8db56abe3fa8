"""The result of ``judge_clicks``: judgments, with their counts and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import MismatchError, counted, quiet
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number
from rankmark.results.shown_result import Column, TabledResult, table_of
from rankmark.results.table_schema import texts
from rankmark.verbs.evaluate.evaluate import evaluate

_SHOWN = 10  # documents in a text
_TOLD = {
    "CTR": "clicks by impressions",
    "COEC": "clicks by those expected at the ranks where the document was shown",
    "SDBN": "attraction times satisfaction, where people look down to their last click",
    "PBM": "clicks by expected looks",
    "IPS": "mean of clicks, each divided by how often people look at its rank",
}


class ClickAudit(NamedTuple):
    """What was shown, and what became a judgment.

    Parameters
    ----------
    queries, documents, impressions
        Shown: queries, documents of queries, and how often these.
    judged_queries, judged_documents
        Those with a label.
    rarely_examined
        Documents below ``min_examined``.
    nothing_expected
        Documents without a label, as nothing was ever clicked at their ranks.
    impressions_left_out
        Without a query or a rank that is needed, or below the ranks whose examination is known.
    """

    queries: int
    documents: int
    impressions: int
    judged_queries: int
    judged_documents: int
    rarely_examined: int
    nothing_expected: int
    impressions_left_out: int


class Seen(NamedTuple):
    """What share of the top of a run the log has shown.

    Parameters
    ----------
    run
        Its name.
    k
        How many documents of each query are its top.
    shown, judged
        Mean over its queries of the share that was ever shown, and of that with a label.
    """

    run: str
    k: int
    shown: float
    judged: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JudgedClicks(TabledResult):
    """Judgments from clicks, which every function takes as such.

    Parameters
    ----------
    method
        "COEC", "SDBN", "PBM", "CTR" or "IPS".
    query, doc
        The ids of all documents shown, sorted by query and document.
    judged
        (n,) bool, which of them have a label.
    columns
        {name: (n,) numbers}: label, low, high, impressions, clicks, and what the method counts.
    cuts
        Cut points of grades; () for none.
    examination
        How often people look at each rank, from rank 1; () if the method does not need it.
    settings
        The other choices.
    audit
        What was shown, and what became a judgment.
    top_seen
        What share of the top of a new run the log has shown; None without a run.
    """

    method: str
    query: list[str]
    doc: list[str]
    judged: Bools
    columns: Mapping[str, np.ndarray]
    cuts: tuple[float, ...]
    examination: tuple[float, ...]
    settings: Mapping[str, Any]
    audit: ClickAudit
    top_seen: Seen | None = None

    @property
    def labels(self) -> Floats:
        """The labels, sorted by query and document: grades if there are cut points."""
        found: Floats = self.columns["label"][self.judged]
        if self.cuts:
            found = np.searchsorted(self.cuts, found, side="right").astype(np.float64)
        return found

    def seen(self, run: Run | RunSource, k: int = 10) -> Seen:
        """Return what share of the first k documents of a run was ever shown, and is judged.

        The mean is over the queries of the run. A ranking of which little was shown cannot be
        judged by this log: measures take what was not shown as not relevant.
        """
        pairs = [*zip(self.query, self.doc, strict=True)]
        run = run if isinstance(run, Run) else Run(run)
        shares = []
        for kept in (pairs, [*compress(pairs, self.judged.tolist())]):
            by_query: dict[str, dict[str, int]] = {query: {} for query in self.query}
            for query, doc in kept:
                by_query[query][doc] = 1
            try:
                with quiet():  # that little was shown is the answer
                    found = evaluate(Qrels(by_query), run, f"Judged@{k}")
                asked = found.audit.answered + found.audit.run_only
                shares.append(float(found.scores.sum() / max(asked, 1)))
            except MismatchError:  # no query of the run is in the log
                shares.append(0.0)
        return Seen(run.name, k, *shares)

    def with_run(self, run: Run | RunSource, k: int) -> JudgedClicks:
        """Return the same, with what share of a new run was seen."""
        return replace(self, top_seen=self.seen(run, k))

    @property
    def headline(self) -> str:
        """How many documents were judged."""
        audit = self.audit
        return (
            f"{counted(audit.judged_documents, 'judgment')} of "
            f"{counted(audit.judged_queries, 'query', 'queries')} by {self.method}, from "
            f"{counted(audit.impressions, 'impression')} of {audit.documents:,} documents."
        )

    @property
    def notes(self) -> list[str]:
        """What was not judged, and how labels were found."""
        audit, settings = self.audit, self.settings
        looked = "examined" if self.method == "SDBN" else "shown"
        least = counted(settings["min_examined"], "time")
        rarely = f", and {audit.rarely_examined:,} {looked} less than {least}"
        found = [
            f"not judged: documents that were never shown{rarely if audit.rarely_examined else ''}"
        ]
        if self.top_seen:
            seen = self.top_seen
            found.append(
                f"{seen.shown:.1%} of the first {seen.k} documents of {seen.run} were ever shown, "
                f"and {seen.judged:.1%} are judged"
            )
        if audit.nothing_expected:
            found.append(
                f"also not judged: {audit.nothing_expected:,} documents at ranks where nothing was "
                "ever clicked"
            )
        if audit.impressions_left_out:
            found.append(
                f"{counted(audit.impressions_left_out, 'impression')} left out, without a query or "
                "at ranks without a number"
            )
        if self.examination:
            looks = ", ".join(f"{one:.3f}" for one in self.examination[:10])
            found.append(f"examination ({settings['examination']}): {looks}")
        if settings["prior"]:
            found.append("prior: {:g} clicks in {:g}".format(*settings["prior"]))
        if self.cuts:
            cuts = ", ".join(f"{cut:g}" for cut in self.cuts)
            found.append(f"labels are grades, by how many of {cuts} are reached")
        by = "by Beta distributions" if settings["prior"] else "of Jeffreys"
        return [
            *found,
            f"{self.method}: {_TOLD[self.method]}; {settings['confidence']:.0%} intervals {by}",
        ]

    def _grids(self, *, top: int | None = _SHOWN) -> list[MarkedTable]:
        found, n = self._table(), self.columns["impressions"][self.judged]
        counts = [name for name in self.columns if name not in {"label", "low", "high"}]
        columns = [
            Column("query", lambda at: found["query_id"][at]),
            Column("document", lambda at: found["doc_id"][at]),
            Column("label", lambda at: number(found["label"][at])),
            *([Column("estimate", lambda at: number(found["estimate"][at]))] if self.cuts else []),
            Column(
                f"{self.settings['confidence']:.0%} interval",
                lambda at: f"[{number(found['low'][at])}, {number(found['high'][at])}]",
                attached=True,
            ),
            *(Column(name.replace("_", " "), partial(_written, found[name])) for name in counts),
        ]
        shown = np.argsort(-n, kind="stable")[:top].tolist()
        left = len(n) - len(shown)
        note = f"{left:,} more, shown no more often" if left else ""
        return [table_of(columns, shown, keys=2, note=note)]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        labels
            The judgments, sorted by query and document.
        label
            What verbs read; a grade if there are cut points.
        estimate
            The number that the grade stands for.
        low, high
            The ends of its interval.
        impressions, clicks
            How often the document was shown and clicked for the query.
        examined, last_clicks
            With SDBN, how often it was shown at or above the last click, and was that click.
        attraction, satisfaction
            With SDBN, the factors of the label.
        expected
            With COEC and PBM, the clicks or looks that were expected at its ranks.
        seen
            What share of the top of a new run the log has shown.
        grades
            The cut points.
        """
        columns = self._table()
        rows = zip(*columns.values(), strict=True)
        return {
            "method": self.method,
            "settings": self.settings,
            "grades": self.cuts,
            "examination": self.examination,
            "audit": self.audit,
            "seen": self.top_seen,
            "labels": [dict(zip(columns, row, strict=True)) for row in rows],
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        kept = self.judged.tolist()
        found: dict[str, Any] = {
            "query_id": texts("query_id", compress(self.query, kept)),
            "doc_id": texts("doc_id", compress(self.doc, kept)),
            "label": self.labels.tolist(),
        }
        if self.cuts:
            found["estimate"] = self.columns["label"][self.judged].tolist()
        others = {name: one[self.judged].tolist() for name, one in self.columns.items()}
        return found | {name: one for name, one in others.items() if name != "label"}


def _written(values: list[float], at: int) -> str:
    return f"{values[at]:,}" if isinstance(values[at], int) else number(values[at])
