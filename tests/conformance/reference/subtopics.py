"""What documents are relevant to, what each adds, and the greedy ranking: exact, and slow."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

Document = Mapping[str, float] | Sequence[str] | None
Ranking = Sequence[Document]


def relevant_to(document: Document, rel: float) -> set[str]:
    """List the subtopics to which a document is relevant."""
    if document is None:
        return set()
    if isinstance(document, Mapping):
        return {subtopic for subtopic, label in document.items() if label >= rel}
    return set(document) if rel <= 1 else set()


def all_subtopics(ranking: Ranking, missed: Ranking, rel: float) -> set[str]:
    """List the subtopics to which some judged document is relevant."""
    return set().union(*(relevant_to(document, rel) for document in [*ranking, *missed]))


def gains(ranked: Sequence[set[str]], alpha: float) -> list[Fraction]:
    """Say what each document adds: a subtopic is worth 1 - alpha times as much each time."""
    left = 1 - Fraction(alpha)
    return [
        sum(
            (left ** sum(subtopic in above for above in ranked[:place]) for subtopic in document),
            Fraction(0),
        )
        for place, document in enumerate(ranked)
    ]


def greedy(order: Ranking, rel: float, alpha: float) -> list[set[str]]:
    """Take again and again the document that adds most; of equal ones the first in the order."""
    rest = [relevant_to(document, rel) for document in order]
    ranked: list[set[str]] = []
    while rest:
        added = [gains([*ranked, document], alpha)[-1] for document in rest]
        ranked.append(rest.pop(added.index(max(added))))
    return ranked


def judged(ranking: Ranking, missed: Ranking, order: Ranking | None) -> Ranking:
    """List the judged documents in the order in which the ideal prefers equal ones."""
    return order if order is not None else [one for one in [*ranking, *missed] if one is not None]
