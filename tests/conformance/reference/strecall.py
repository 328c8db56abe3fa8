"""Subtopic recall: the fraction of subtopics, or of their gains, that the first k cover."""

from collections.abc import Mapping, Sequence
from typing import Literal

from conformance.reference.gains import gain_of
from conformance.reference.subtopics import Document, Ranking, all_subtopics, relevant_to

CHOICES = {"gain": ("binary", "linear", "exp2", {1: 0.5, 2: 2, 3: 2})}


def strecall(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    gain: Literal["binary", "linear", "exp2"] | Mapping[float, float] = "binary",
    rel: float = 1.0,
) -> float:
    """Add up the highest gain of each subtopic among the first k, and divide by that of all."""
    every = all_subtopics(ranking, missed, rel)
    if gain == "binary":
        return len(all_subtopics(ranking[:k], [], rel)) / len(every) if every else 0.0

    def highest(documents: Sequence[Document], subtopic: str) -> float:
        labels = [
            document[subtopic] if isinstance(document, Mapping) else 1.0
            for document in documents
            if document is not None and subtopic in relevant_to(document, rel)
        ]
        return max((gain_of(label, gain) for label in labels), default=0.0)

    earned, most = (
        sum(highest(documents, subtopic) for subtopic in sorted(every))
        for documents in (ranking[:k], [*ranking, *missed])
    )
    return earned / most if most else 0.0
