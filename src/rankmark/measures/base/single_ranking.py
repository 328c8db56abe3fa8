"""One ranking as an Alignment of one query, for a measure that is called on a list."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmark.alignment.alignment import Alignment
from rankmark.errors import DuplicateError, SchemaError


def align_labels(labels: Iterable[float | None], *, missed: Iterable[float] = ()) -> Alignment:
    """Align labels in rank order (None: unjudged) and the labels that were not retrieved."""
    if not isinstance(labels, Iterable) or isinstance(labels, (str, bytes)):
        raise SchemaError(f"labels is {labels!r}; need labels in rank order")
    ranked = [label_of(label, f"at rank {i}") for i, label in enumerate(labels, 1)]
    absent = [label_of(label, "among the missed") for label in missed]
    judged = [(i, label) for i, label in enumerate(ranked, 1) if label is not None]
    if None in absent:
        raise SchemaError("a label among the missed is None; missed documents are judged ones")
    ideal = sorted([label for _, label in judged] + [x for x in absent if x is not None])
    return Alignment(
        queries=[""],
        starts=np.array([0, len(judged)]),
        rank=np.array([rank for rank, _ in judged], dtype=np.int32),
        label=np.array([label for _, label in judged], dtype=np.float64),
        retrieved=np.array([len(ranked)]),
        ideal_starts=np.array([0, len(ideal)]),
        ideal_label=np.array(ideal[::-1], dtype=np.float64),
    )


def align_ids(
    *, ranking: Sequence[Hashable], relevant: Iterable[Hashable] | Mapping[Any, float]
) -> Alignment:
    """Align document ids, best first, with the relevant ids or {id: label}."""
    labels = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1.0)
    seen: set[Hashable] = set()
    for rank, doc_id in enumerate(ranking, 1):
        if doc_id in seen:
            raise DuplicateError(
                f"document {doc_id!r} appears twice in the ranking, again at {rank}"
            )
        seen.add(doc_id)
    missed = [label for doc_id, label in labels.items() if doc_id not in seen]
    return align_labels([labels.get(doc_id) for doc_id in ranking], missed=missed)


def label_of(label: Any, where: str) -> float | None:
    """Give a label as a number; None for an unjudged document."""
    if label is None:
        return None
    try:
        number = float(label)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(label, (str, bytes, bytearray)):
        raise SchemaError(
            f"the label {where} is {label!r}; need a finite number, or None: unjudged"
        )
    return number
