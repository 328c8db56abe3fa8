"""BPM: the Bejeweled player model, static."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities


def bpm(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue while the gain so far is less than T and the rank less than k."""
    last = k or 1000

    def goes_on(rank: int, _gain: float, total: float) -> float:
        return 1.0 if total < T and rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
