"""Subtopics of documents, their gains, and the greedy ranking: exact and slow."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

Document = Mapping[str, float] | Sequence[str] | None
Ranking = Sequence[Document]


def relevant_to(document: Document, rel: float) -> set[str]:
    """Return the subtopics to which a document is relevant."""
    if document is None:
        return set()
    if isinstance(document, Mapping):
        return {subtopic for subtopic, label in document.items() if label >= rel}
    return set(document) if rel <= 1 else set()


def all_subtopics(ranking: Ranking, missed: Ranking, rel: float) -> set[str]:
    """Return the subtopics to which some judged document is relevant."""
    return set().union(*(relevant_to(document, rel) for document in [*ranking, *missed]))


def gains(ranked: Sequence[set[str]], alpha: float) -> list[Fraction]:
    """Return the gain of each document; that of a subtopic shrinks by 1 - alpha each time."""
    left = 1 - Fraction(alpha)
    return [
        sum(
            (left ** sum(subtopic in above for above in ranked[:place]) for subtopic in document),
            Fraction(0),
        )
        for place, document in enumerate(ranked)
    ]


def greedy(order: Ranking, rel: float, alpha: float) -> list[set[str]]:
    """Take the document with the highest gain at each rank; of equal ones, the first."""
    rest = [relevant_to(document, rel) for document in order]
    ranked: list[set[str]] = []
    while rest:
        added = [gains([*ranked, document], alpha)[-1] for document in rest]
        ranked.append(rest.pop(added.index(max(added))))
    return ranked


def judged(ranking: Ranking, missed: Ranking, order: Ranking | None) -> Ranking:
    """Return the judged documents in the order that decides among equal gains."""
    return order if order is not None else [one for one in [*ranking, *missed] if one is not None]
