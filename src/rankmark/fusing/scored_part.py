"""Some of the queries, fused: their lists, what the method saw, and the fused scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.fusing.ballots import Ballots
    from rankmark.sources.prepared.united_runs import UnitedPart


class ScoredPart(NamedTuple):
    """Some of the queries, fused.

    Parameters
    ----------
    part
        Their lists, and the ids of the documents.
    ballots
        What the method saw.
    scores
        (U,) float64, the fused score of each document.
    """

    part: UnitedPart
    ballots: Ballots
    scores: Floats
