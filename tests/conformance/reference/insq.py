"""INSQ: a user model whose patience grows with the rank."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities


def insq(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    T: float = 1.0,
) -> float:
    """Continue with probability ((i + 2T - 1) / (i + 2T))^2."""

    def goes_on(rank: int, _gain: float, _total: float) -> float:
        return ((rank + 2 * T - 1) / (rank + 2 * T)) ** 2

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
