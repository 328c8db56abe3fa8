"""U-measure: a user model that decays with the text read."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities

CHOICES = {"L": (1000.0, 3.0)}


def u(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    L: float = 1000.0,
    cost: float = 1.0,
) -> float:
    """Continue with the share of the users that read on after a document."""

    def left(rank: int) -> float:
        return max(0.0, 1 - cost * (rank - 1) / L)

    def goes_on(rank: int, _gain: float, _total: float) -> float:
        return left(rank + 1) / left(rank) if left(rank) else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
