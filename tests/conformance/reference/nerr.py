"""Normalised expected reciprocal rank: ERR over that of the judged documents, best first."""

from typing import Literal

from conformance.reference.err import err
from conformance.reference.gains import Ranking


def nerr(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Literal["exp2", "linear"] = "exp2",
    max_rel: float | Literal["query"] = 4.0,
) -> float:
    """Divide ERR at k by the ERR at k of the best ranking."""
    best = sorted((label for label in [*ranking, *missed] if label is not None), reverse=True)
    possible = err(best, [], k=k, gain=gain, max_rel=max_rel)
    return err(ranking, missed, k=k, gain=gain, max_rel=max_rel) / possible if possible else 0.0
