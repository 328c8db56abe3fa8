"""P-measure: the blended ratio where the highest gain is first met."""

from conformance.reference.blended import blended, preferred
from conformance.reference.gains import Gain, Ranking


def p_measure(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Look for the preferred document."""
    gains, ratios, _ = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    rank = preferred(gains)
    return ratios[rank - 1] if rank else 0.0
