"""NERR8: the user model of equation 8."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities


def nerr8(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
) -> float:
    """Continue with probability 1 - g_i, to rank k."""
    last = k or 1000

    def goes_on(rank: int, gain: float, _total: float) -> float:
        return 1 - gain if rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
