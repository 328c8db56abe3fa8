"""The result of a fusion: a run, which knows what it was made of, and what each list gave."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankmark.data.preparing.ranked_queries import run_for_query
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import FUSED, fused_entries, unite_runs
from rankmark.errors import one_line
from rankmark.results.explanations.list_votes import FusedDocument, ListVotes, Vote
from rankmark.results.result import Frames

if TYPE_CHECKING:
    from rankmark.data.tables.table import TableSource
    from rankmark.verbs.fuse.fusion import Fusion, FusionAudit
    from rankmark.verbs.fuse.method import Method, ScoredPart


def votes_of(fusion: Fusion, query: str, top: int | None = None) -> ListVotes | None:
    """Fuse one query again, and return the vote of each list for each document.

    Parameters
    ----------
    query
        The id of the query. Only its rows are read in files.
    top
        The number of documents that were kept; None for all.

    Returns
    -------
    ListVotes or None
        None if no run answers the query, or not all of them where all must.
    """
    found = [run_for_query(run, query) for run in fusion.runs.values()]
    answering = [number for number, run in enumerate(found) if run is not None]
    if not answering or (fusion.queries == "all" and len(answering) < len(found)):
        return None
    one = unite_runs(
        found,
        ties=fusion.ties,
        depth=fusion.depth,
        lower_better=fusion.lower_better or None,
        units=fusion.units,
    )
    scored = fusion.score(one.part([0]))
    documents = scored.part.documents
    order = documents.order(scored.scores, fusion.ties)[:top]
    ids = documents.ids()
    votes = _votes(fusion, scored, one.has_scores)
    return ListVotes(
        str(fusion.method),
        tuple(fusion.runs),
        tuple(fusion.weights.tolist()) if fusion.method.weighted else None,
        tuple(
            FusedDocument(rank, ids[at], float(scored.scores[at]), votes[at])
            for rank, at in enumerate(order.tolist(), 1)
        ),
    )


def _votes(
    fusion: Fusion, scored: ScoredPart, has_scores: tuple[bool, ...]
) -> list[tuple[Vote, ...]]:
    """Return the votes for each document of a query, in the order of the union."""
    lists, method = scored.part.lists, fusion.method
    normalised: Any = None
    if method.uses == "scores":
        parameters = method.parameters
        normalised = scored.ballots.normalised(parameters["norm"], parameters["constant"])
    contributions = method.contributions(scored.ballots)
    ranks, scores = lists.ranks, lists.scores
    return [
        tuple(
            Vote(
                None if lists.at[run, at] < 0 else _rank(ranks[run, at]),
                _known(scores[run, at]) if has_scores[run] else None,
                None if normalised is None else _known(normalised[run, at]),
                None if contributions is None else _known(contributions[run, at]),
            )
            for run in range(len(fusion.runs))
        )
        for at in range(lists.at.shape[1])
    ]


def _rank(rank: float) -> Any:
    """Return a whole rank as such; the mean rank of tied documents may be none."""
    return int(rank) if float(rank).is_integer() else float(rank)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


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

    _ranked: tuple[TableSource, FusionAudit]

    def __init__(self, fusion: Fusion, rank: Callable[[], tuple[TableSource, FusionAudit]]) -> None:
        self.fusion = fusion
        self._rank: Callable[[], tuple[TableSource, FusionAudit]] | None = rank

    def _read(self) -> tuple[TableSource, FusionAudit]:
        """Return the rows and the audit, which are made when they are first asked for."""
        rank = self._rank
        if rank is not None:  # several threads may do so, and find the same
            self._ranked = rank()
            self._rank = None
        return self._ranked

    def __getstate__(self) -> dict[str, Any]:
        self._read()
        return vars(self)

    @property
    def source(self) -> TableSource:  # type: ignore[override]
        """The rows, query by query, documents best first."""
        return self._read()[0]

    @property
    def audit(self) -> FusionAudit:
        """Which queries and documents were fused, ties, constant lists, and what was cut."""
        return self._read()[1]

    @property
    def name(self) -> str:
        """The name of all runs that were fused."""
        return FUSED

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
        return votes_of(self.fusion, query, self.settings["top"])

    def __repr__(self) -> str:
        return one_line(f"FusedRun({self.method} of {', '.join(self.fusion.runs)})")

    def __str__(self) -> str:
        """Return the method and the audit as text."""
        return f"{self.fusion.conventions()}\n{self.audit}"

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the fused run as {query id: {document id: score}}, documents best first."""
        return fused_entries(self.source)

    def _table(self) -> dict[str, list[Any]]:
        """Return the columns of the rows: query by query, documents best first."""
        fused = self.to_dict()
        return {
            "query_id": [query for query, scores in fused.items() for _ in scores],
            "doc_id": [doc for scores in fused.values() for doc in scores],
            "rank": [rank for scores in fused.values() for rank in range(1, len(scores) + 1)],
            "score": [score for scores in fused.values() for score in scores.values()],
        }
