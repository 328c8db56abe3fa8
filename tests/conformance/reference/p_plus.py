"""P-plus: the mean blended ratio down to the preferred document."""

import statistics

from conformance.reference.blended import blended, preferred
from conformance.reference.gains import Gain, Ranking


def p_plus(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Average over the documents with a gain down to the preferred one."""
    gains, ratios, _ = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    rank = preferred(gains)
    passed = [ratio for g, ratio in zip(gains[:rank], ratios, strict=False) if g > 0]
    return statistics.fmean(passed) if passed else 0.0
