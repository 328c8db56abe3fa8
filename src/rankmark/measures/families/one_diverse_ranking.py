"""A single ranking of documents with subtopics, as an Alignment of one query."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmark.data.alignment import Alignment
from rankmark.data.alignment.views import View, numbered
from rankmark.errors import DuplicateError, SchemaError
from rankmark.measures.base.single_ranking import label_of

Labels = dict[Hashable, float]


def align_subtopics(labels: Iterable[Any], *, missed: Iterable[Any] = ()) -> Alignment:
    """Align the judgments of documents in rank order, and of those that were not retrieved.

    Each is ``{subtopic: label}``, a list of the subtopics to which it is relevant, or None if
    unjudged.
    """
    if not isinstance(labels, Iterable) or isinstance(labels, (str, bytes)):
        raise SchemaError(f"labels is {labels!r}", "need the subtopics of each document, in order")
    ranked = [_held(held, f"at rank {i}") for i, held in enumerate(labels, 1)]
    missed_labels = [_held(held, "among the missed") for held in missed]
    if None in missed_labels:
        raise SchemaError("one of the missed is None", "missed documents must be judged")
    return _aligned(ranked, missed_labels, range(len(ranked) + len(missed_labels)))


def align_diverse_ids(
    *,
    ranking: Sequence[Hashable],
    relevant: Mapping[Hashable, Mapping[Hashable, float] | Iterable[Hashable]]
    | Sequence[Mapping[Hashable, float] | Iterable[Hashable]],
) -> Alignment:
    """Align document ids in rank order with {subtopic: {id: label}} or {subtopic: relevant ids}.

    Without the names of subtopics, these are a list of groups.
    """
    if isinstance(relevant, (list, tuple)) and not any(isinstance(one, str) for one in relevant):
        relevant = dict(enumerate(relevant, 1))
        empty = [number for number, group in relevant.items() if not group]
        if empty:
            raise SchemaError(f"group {empty[0]:,} has no documents", "leave it out")
    if not isinstance(relevant, Mapping):
        raise SchemaError(f"relevant is {relevant!r}", "need {subtopic: {document id: label}}")
    judged: dict[Hashable, Labels] = {}
    for subtopic, documents in relevant.items():
        for doc_id, label in _labels(documents, f"of subtopic {subtopic!r}").items():
            judged.setdefault(doc_id, {})[subtopic] = label
    ranks: dict[Hashable, int] = {}
    for rank, doc_id in enumerate(ranking, 1):
        if ranks.setdefault(doc_id, rank) != rank:
            raise DuplicateError(
                f"document {doc_id!r} appears twice in the ranking, again at {rank}",
                "keep one of the two",
            )
    missed = [doc_id for doc_id in judged if doc_id not in ranks]
    every = [*ranking, *missed]
    # As in the ideal ranking of ndeval: the greatest id first.
    in_order = sorted(range(len(every)), key=lambda i: str(every[i]).encode(), reverse=True)
    preferred = np.empty(len(every), dtype=np.int64)
    preferred[in_order] = np.arange(len(every))
    held = [judged.get(doc_id) for doc_id in ranking]
    return _aligned(held, [judged[doc_id] for doc_id in missed], preferred.tolist())


def _aligned(
    ranked: Sequence[Labels | None], missed: Sequence[Labels | None], preferred: Sequence[int]
) -> Alignment:
    """Align documents; ``preferred`` is the position of each among documents that are equal."""
    kinds: dict[Hashable, int] = {}
    rows = [
        (preferred[place], kinds.setdefault(subtopic, len(kinds)), label)
        for place, held in enumerate([*ranked, *missed])
        for subtopic, label in (held or {}).items()
    ]
    places, codes, labels = zip(*rows, strict=True) if rows else ((), (), ())
    _, known, subtopics = numbered(np.zeros(len(rows)), places, codes, labels)
    number = {place: document for document, place in enumerate(known.tolist())}
    judged = [
        (rank, number[preferred[rank - 1]])
        for rank, held in enumerate(ranked, 1)
        if held is not None and preferred[rank - 1] in number
    ]
    document = np.array([number for _, number in judged], dtype=np.int64)
    # The highest label first; of equal labels, the last in preference, as in Qrels.
    ideal_document = np.lexsort((-np.arange(len(known)), -subtopics.highest))
    return Alignment(
        queries=[""],
        starts=np.array([0, len(judged)]),
        rank=np.array([rank for rank, _ in judged], dtype=np.int32),
        label=subtopics.highest[document],
        retrieved=np.array([len(ranked)]),
        ideal_starts=np.array([0, len(known)]),
        ideal_label=subtopics.highest[ideal_document],
        views={"subtopics": View(subtopics, document, ideal_document)},
    )


def _held(held: Any, where: str) -> Labels | None:
    return None if held is None else _labels(held, where)


def _labels(held: Any, where: str) -> Labels:
    if isinstance(held, Mapping):
        named = {key: label_of(label, f"{where}, for {key!r},") for key, label in held.items()}
        if None in named.values():
            raise SchemaError(f"a label {where} is None", "leave out what is unjudged")
        return {key: label for key, label in named.items() if label is not None}
    if isinstance(held, Iterable) and not isinstance(held, (str, bytes)):
        return dict.fromkeys(held, 1.0)
    raise SchemaError(f"found {held!r} {where}", "need {subtopic: label} or a list of subtopics")
