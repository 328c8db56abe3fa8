"""INST: a user model that adapts to the gain so far."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities


def inst(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue with probability ((i + T + T_i - 1) / (i + T + T_i))^2, T_i being missing."""

    def goes_on(rank: int, _gain: float, total: float) -> float:
        wanted = T - total
        return ((rank + T + wanted - 1) / (rank + T + wanted)) ** 2

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
