"""The documents of one query, with ids and ranks, for explanations."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class Document(NamedTuple):
    """One document of one query, retrieved or judged or both.

    Parameters
    ----------
    doc_id
        Its id; None if only labels were given.
    label
        Its label; None if unjudged.
    number
        Its kind, as in ``Alignment.kinds``: its label, or its number if judgments are by subtopic.
        None if unjudged.
    rank
        1-based; None if not retrieved.
    tied
        First and last rank of its tie; None if it is not tied.
    subtopics
        Its label for each subtopic, if judgments are by subtopic.
    """

    doc_id: str | None
    label: float | None
    number: float | None
    rank: int | None
    tied: tuple[int, int] | None = None
    subtopics: Mapping[str, float] | None = None


def in_rank_order(documents: Iterable[Document]) -> list[Document]:
    """List the documents retrieved, by rank."""
    return sorted(
        (document for document in documents if document.rank is not None),
        key=lambda document: document.rank or 0,
    )


def not_retrieved(documents: Iterable[Document]) -> list[Document]:
    """List the judged documents that were not retrieved, the highest label first."""
    missed = [
        document for document in documents if document.rank is None and document.number is not None
    ]
    return sorted(missed, key=lambda document: -(document.number or 0.0))


def placed(documents: Iterable[Document], a: Alignment) -> list[Document]:
    """Move documents to the ranks that have their labels in another order of their ties.

    Parameters
    ----------
    documents
        All documents of a query, in one order of its ties; ties are not cut at a depth.
    a
        The other order, as its only query. Documents that the measure does not need may be missing,
        and then count as unjudged.
    """
    kinds = dict(zip(a.rank.tolist(), a.kinds().tolist(), strict=True))
    # Judged documents that another order leaves beyond a depth are missing, but not unjudged.
    ranked_labels = set(kinds.values())
    seen = ranked_labels | set(a.ideal_kinds().tolist())
    ranked = in_rank_order(documents)
    remaining: dict[int, dict[float | None, deque[Document]]] = {}
    for document in ranked:
        number = document.number if document.number in seen else None
        remaining.setdefault(_tie(document), {}).setdefault(number, deque()).append(document)
    moved = [document for document in documents if document.rank is None]
    for rank, begin in enumerate([_tie(document) for document in ranked[: int(a.retrieved[0])]], 1):
        tied = remaining[begin]
        number = kinds.get(rank)
        if number not in tied:
            number = min(tied, key=lambda kind: kind in ranked_labels)
        moved.append(tied[number].popleft()._replace(rank=rank))
        if not tied[number]:
            del tied[number]
    cut = (document for tied in remaining.values() for alike in tied.values() for document in alike)
    judged = (document for document in cut if document.number is not None)
    return [*moved, *(document._replace(rank=None, tied=None) for document in judged)]


def by_merit(documents: Iterable[Document], number: Floats) -> list[Document]:
    """List the documents of an ideal ranking; of the same kind, those retrieved first come first.

    ``number`` has the kinds of its documents, in order: (n,) float64.
    """
    alike: dict[float, list[Document]] = {}
    known = [*in_rank_order(documents), *not_retrieved(documents)]
    for document in reversed([document for document in known if document.number is not None]):
        alike.setdefault(document.number or 0.0, []).append(document)
    return [alike[kind].pop() for kind in np.asarray(number).tolist()]


def _tie(document: Document) -> int:
    return document.tied[0] if document.tied is not None else document.rank or 0


def documents_of(
    a: Alignment,
    *,
    ranking: Sequence[Hashable] | None = None,
    relevant: Any = (),
    missed: object = None,  # noqa: ARG001  (the alignment has their labels)
) -> list[Document]:
    """List the documents of one ranking, given as labels or as ids with the relevant ones.

    ``a`` is the alignment of the ranking, as its only query.
    """
    kinds = a.kinds().tolist()
    number = dict(zip(a.rank.tolist(), kinds, strict=True))
    left = Counter(a.ideal_kinds().tolist())
    left.subtract(kinds)
    numbers = [*map(number.get, range(1, int(a.retrieved[0]) + 1)), *left.elements()]
    ids: list[str | None] = [None] * len(numbers)
    if ranking is not None:
        ids = [*map(str, ranking), *_ids_of(a, [*left.elements()], ranking, relevant)]
    return [
        Document(doc_id, *_labels(a, value), rank if rank <= a.retrieved[0] else None)
        for rank, (doc_id, value) in enumerate(zip(ids, numbers, strict=True), 1)
    ]


def _labels(a: Alignment, number: float | None) -> tuple[float | None, float | None]:
    if number is None or not a.views:
        return number, number
    (view,) = a.views.values()
    return float(view.judged.highest[int(number)]), number


def _ids_of(
    a: Alignment, numbers: Sequence[float], ranking: Sequence[Hashable], relevant: Any
) -> list[str]:
    """Return the ids of documents not retrieved, by their labels or numbers."""
    ranked = set(ranking)
    if a.views:
        judged = dict.fromkeys(doc_id for documents in relevant.values() for doc_id in documents)
        in_order = sorted(judged, key=lambda doc_id: str(doc_id).encode(), reverse=True)
        return [str(in_order[int(number)]) for number in numbers]
    labels = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1.0)
    alike: dict[float, list[str]] = {}
    for doc_id, label in labels.items():
        if doc_id not in ranked:
            alike.setdefault(float(label), []).append(str(doc_id))
    return [alike[number].pop(0) for number in numbers]
