"""The documents of one query, as an explanation names them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats


class Document(NamedTuple):
    """One document of one query, retrieved or judged or both.

    Parameters
    ----------
    doc_id
        Its id; None where only labels were given.
    label
        Its label; None where nobody judged it.
    number
        What tells it apart, as ``Alignment.kinds`` does: its label, or of judgments by subtopic
        its number. None where nobody judged it.
    rank
        1-based; None where it was not retrieved.
    tied
        First and last rank of the documents that share its score; None where none does.
    subtopics
        What it was judged for, with labels, where judgments are by subtopic.
    """

    doc_id: str | None
    label: float | None
    number: float | None
    rank: int | None
    tied: tuple[int, int] | None = None
    subtopics: Mapping[str, float] | None = None


def in_rank_order(documents: Iterable[Document]) -> list[Document]:
    """List what was retrieved, by rank."""
    return sorted((one for one in documents if one.rank is not None), key=lambda one: one.rank or 0)


def not_retrieved(documents: Iterable[Document]) -> list[Document]:
    """List what was judged and not retrieved, the highest label first."""
    missed = [one for one in documents if one.rank is None and one.number is not None]
    return sorted(missed, key=lambda one: -(one.number or 0.0))


def placed(documents: Iterable[Document], a: Alignment) -> list[Document]:
    """Put documents where another order of their ties has their labels.

    Parameters
    ----------
    documents
        All documents of a query, in one order of its ties; ties that a depth cuts are whole.
    a
        The other order, as its only query. Documents that its measure does not look at may be
        lacking, as if nobody had judged them.
    """
    there = dict(zip(a.rank.tolist(), a.kinds().tolist(), strict=True))
    # What another order leaves behind a depth is not there, but it is no unjudged document.
    ranked_labels = set(there.values())
    seen = ranked_labels | set(a.ideal_kinds().tolist())
    ranked = in_rank_order(documents)
    left: dict[int, dict[float | None, deque[Document]]] = {}
    for one in ranked:
        alike = left.setdefault(_tie(one), {})
        alike.setdefault(one.number if one.number in seen else None, deque()).append(one)
    moved = [one for one in documents if one.rank is None]
    for rank, begin in enumerate([_tie(one) for one in ranked[: int(a.retrieved[0])]], 1):
        tied = left[begin]
        number = there.get(rank)
        if number not in tied:
            number = min(tied, key=lambda one: one in ranked_labels)
        moved.append(tied[number].popleft()._replace(rank=rank))
        if not tied[number]:
            del tied[number]
    gone = (one for tied in left.values() for alike in tied.values() for one in alike)
    cut = (one._replace(rank=None, tied=None) for one in gone)
    return [*moved, *(one for one in cut if one.number is not None)]


def by_merit(documents: Iterable[Document], number: Floats) -> list[Document]:
    """Name the documents of an ideal ranking: of those alike, what was retrieved first is first.

    ``number`` is what tells the documents of that ranking apart, in order: (n,) float64.
    """
    alike: dict[float, list[Document]] = {}
    known = [*in_rank_order(documents), *not_retrieved(documents)]
    for one in reversed([one for one in known if one.number is not None]):
        alike.setdefault(one.number or 0.0, []).append(one)
    return [alike[one].pop() for one in np.asarray(number).tolist()]


def _tie(one: Document) -> int:
    return one.tied[0] if one.tied is not None else one.rank or 0


def documents_of(
    a: Alignment,
    *,
    ranking: Sequence[Hashable] | None = None,
    relevant: Any = (),
    missed: object = None,  # noqa: ARG001  (the alignment has their labels)
) -> list[Document]:
    """List the documents of one ranking that was given as labels, or as ids with the relevant ones.

    ``a`` holds it as its only query.
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
    """Name what was not retrieved, by the labels or the numbers that stand for it."""
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
