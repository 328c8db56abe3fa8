"""NERR10: the user model of equation 10."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities


def nerr10(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    p: float = 0.9,
) -> float:
    """Continue with probability p (1 - g_i)."""

    def goes_on(_rank: int, gain: float, _total: float) -> float:
        return p * (1 - gain)

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
