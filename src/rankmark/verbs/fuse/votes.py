"""What each list gave the documents of one query of a fused run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark.data.preparing.ranked_queries import run_for_query
from rankmark.data.preparing.united_runs import unite_runs
from rankmark.results.explanations.list_votes import FusedDocument, ListVotes, Vote

if TYPE_CHECKING:
    from rankmark.verbs.fuse.ballots import ScoredPart
    from rankmark.verbs.fuse.fusion import Fusion


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
    order = scored.part.order(scored.scores, fusion.ties)[:top]
    ids, votes = scored.part.doc_ids(), _votes(fusion, scored, one.has_scores)
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
