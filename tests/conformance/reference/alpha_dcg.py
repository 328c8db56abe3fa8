"""alpha-DCG: DCG with gains that shrink each time a subtopic is repeated."""

from math import log2
from typing import Literal

from conformance.reference.subtopics import Ranking, all_subtopics, gains, relevant_to


def alpha_dcg(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
    norm: Literal["perfect", "none"] = "perfect",
) -> float:
    """Sum discounted gains, and divide by the sum if every document had every subtopic."""
    depth = len(ranking) if k is None else k
    found = [relevant_to(document, rel) for document in ranking[:depth]]
    earned = sum(float(g) / log2(i + 1) for i, g in enumerate(gains(found, alpha), start=1))
    if norm == "none":
        return earned
    every = all_subtopics(ranking, missed, rel)
    most = sum(len(every) * (1 - alpha) ** (i - 1) / log2(i + 1) for i in range(1, depth + 1))
    return earned / most if most else 0.0
