"""Preferences that a ranking fulfils."""

from collections.abc import Iterator
from typing import Literal

from conformance.reference.gains import Ranking

Average = Literal["preferences", "pairs", "groups"]
Counted = Literal["all", "implied", "retrieved"]
Judged = list[tuple[float, float]]  # place and label; infinity for what was not retrieved
NEVER = float("inf")


def judged_places(ranking: Ranking, missed: Ranking) -> Judged:
    """Return the position and the label of each judged document."""
    found = [(float(at), label) for at, label in enumerate(ranking) if label is not None]
    return found + [(NEVER, label) for label in missed if label is not None]


def outcomes(judged: Judged, counted: Counted) -> Iterator[bool]:
    """Yield for each preference that counts whether it is fulfilled."""
    for place, label in judged:
        for other_place, other_label in judged:
            if label <= other_label:
                continue
            retrieved = (place < NEVER) + (other_place < NEVER)
            if retrieved >= {"all": 0, "implied": 1, "retrieved": 2}[counted]:
                yield place < other_place


# Prefs: the fraction of preferences between documents that the ranking fulfils.
def prefs(
    ranking: Ranking,
    missed: Ranking,
    *,
    average: Average = "preferences",  # noqa: ARG001  (one group: each pair has one preference)
    counted: Counted = "all",
    nonrelevant: Literal["all", "balanced"] = "all",
) -> float:
    """Fulfilled over possible; 0 without preferences."""
    judged = judged_places(ranking, missed)
    if nonrelevant == "all":
        seen = list(outcomes(judged, counted))
        return sum(seen) / len(seen) if seen else 0.0
    relevant = [(place, label) for place, label in judged if label > 0]
    others = sorted((place, 0.0) for place, label in judged if label <= 0)
    found = [place for place, _ in relevant if place < NEVER]
    if counted == "retrieved":
        wanted = len(found)
        others = [one for one in others if one[0] < NEVER]
    else:
        wanted = len(relevant)
    seen = list(outcomes(relevant + others[:wanted], counted))
    lacking = max(wanted - len(others), 0)
    fulfilled = sum(seen) + len(found) * lacking
    possible = len(seen) + lacking * len(found if counted == "implied" else relevant)
    return fulfilled / possible if possible else 0.0


# NumPrefs: the number of preferences that are possible, or that the ranking fulfils.
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
