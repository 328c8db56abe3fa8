"""Normalised cumulative gain at a rank, or at a percentage of the documents."""

from typing import Literal

from conformance.reference.gains import Gain, Ranking, gain_of
from conformance.reference.screening import screened

CHOICES = {"percent": (None, 40)}


def ncg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    percent: float | None = None,
    norm: Literal["ideal", "all"] = "ideal",
    collection: int | None = None,
) -> float:
    """Add up gains to the cutoff, and divide by those of the sorted judged documents."""
    cutoff = len(ranking) if k is None else k
    if percent is not None:
        share = round(screened(ranking, missed, collection) * percent / 100)
        cutoff = share if k is None else min(share, k)
    judged = [gain_of(label, gain) for label in [*ranking, *missed] if label is not None]
    best = sorted(judged, reverse=True)
    possible = sum(best if norm == "all" else best[:cutoff])
    found = sum(gain_of(label, gain) for label in ranking[:cutoff])
    return found / possible if possible else 0.0
