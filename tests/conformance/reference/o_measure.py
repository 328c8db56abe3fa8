"""O-measure: the blended ratio where the first gain is."""

from conformance.reference.blended import blended
from conformance.reference.gains import Gain, Ranking


def o_measure(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
) -> float:
    """Look for the first document with a gain."""
    gains, ratios, _ = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    return next((ratio for g, ratio in zip(gains, ratios, strict=False) if g > 0), 0.0)
