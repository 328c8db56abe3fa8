"""Work saved over sampling: read down to a recall, and count what is left."""

import math
from fractions import Fraction
from typing import Literal

from conformance.reference.gains import Ranking
from conformance.reference.screening import relevant, screened

CHOICES = {"recall": (0.95, 0.5, 1.0)}


def wss(
    ranking: Ranking,
    missed: Ranking,
    *,
    recall: float = 0.95,
    rel: float = 1.0,
    rounding: Literal["up", "nearest"] = "up",
    collection: int | None = None,
) -> float:
    """Return the share of documents not read, less that of random sampling; 0 if never reached."""
    found = relevant(ranking, rel)
    num_relevant = sum(found) + sum(relevant(missed, rel))
    exact = Fraction(str(recall)) * num_relevant
    wanted = max(round(exact) if rounding == "nearest" else math.ceil(exact), 1)
    size = screened(ranking, missed, collection)
    for read in range(1, len(ranking) + 1):
        if sum(found[:read]) >= wanted:
            return (size - read) / size - (1 - recall)
    return 0.0
