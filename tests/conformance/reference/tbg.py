"""TBG: a user model that decays with time."""

from conformance.reference.gains import Ranking
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities

CHOICES = {"halflife": (224.0, 2.0)}


def tbg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    halflife: float = 224.0,
    cost: float = 1.0,
) -> float:
    """Continue with the probability that is left of one after the time of a document."""

    def goes_on(_rank: int, _gain: float, _total: float) -> float:
        return 2 ** (-cost / halflife)

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)
