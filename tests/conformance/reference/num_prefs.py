"""NumPrefs: the number of preferences that are possible, or that the ranking fulfils."""

from typing import Literal

from conformance.reference.gains import Ranking
from conformance.reference.prefs import Counted, judged_places, outcomes


def num_prefs(
    ranking: Ranking,
    missed: Ranking,
    *,
    of: Literal["possible", "fulfilled"] = "possible",
    counted: Counted = "all",
) -> float:
    """Count pairs of different labels, or the fulfilled ones of these."""
    seen = list(outcomes(judged_places(ranking, missed), counted))
    return len(seen) if of == "possible" else sum(seen)
