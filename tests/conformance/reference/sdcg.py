"""SDCG: a user model with the discounts of DCG."""

import math

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities


def sdcg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
) -> float:
    """Continue with probability log(i + 1) / log(i + 2), to rank k."""
    last = k or 1000

    def goes_on(rank: int, _gain: float, _total: float) -> float:
        return math.log(rank + 1) / math.log(rank + 2) if rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
