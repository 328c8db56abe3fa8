"""A single ranking, in a call of a measure, as an Alignment of one query."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmark.data.alignment import Alignment
from rankmark.errors import DuplicateError, MeasureError, SchemaError, shown

NOT_GIVEN: Any = object()
_SCORERS = {"y_true", "y_score", "y_pred", "scores", "preds", "target"}  # names in other tools


def only_parameters(
    measure: Any, labels: Any, others: tuple[Any, ...], given: Mapping[str, Any]
) -> bool:
    """Return True if a call sets parameters, as in ``AP(rel=2)``, False if it scores a ranking.

    Raises
    ------
    MeasureError
        If it is called with labels and scores.
    """
    scored = given.keys() - measure.parameters.keys()  # lists have target and relevant
    if others or _SCORERS & scored:
        raise MeasureError(
            f"{measure} is called with the labels of one ranking, best rank first, or with "
            "ranking=ids and relevant=ids",
            "arrays of labels and scores, one row per query, are for "
            f"rankmark.evaluate(labels, scores, {str(measure)!r})",
        )
    return labels is NOT_GIVEN and not {"ranking", "relevant"} & scored


def align_given(measure: Any, labels: Any, given: Mapping[str, Any]) -> Alignment:
    """Align the ranking that a measure is called with."""
    if measure.costs:
        raise MeasureError(
            f"{measure} needs what documents cost, and a list of labels has no costs",
            "evaluate a run, with document_costs or a column of costs",
        )
    allowed = {"ranking", "relevant"} if labels is NOT_GIVEN else {"missed"}
    missing = allowed - given.keys() if labels is NOT_GIVEN else set()
    if given.keys() - allowed or missing or labels is None:
        raise MeasureError(
            f"{measure} scores a list of labels in rank order (and missed=...), "
            "or ranking=[ids] with relevant=ids or {id: label}",
            "set parameters before, as in P(rel=2)([0, 3])",
        )
    return (
        measure.align_ids(**given) if labels is NOT_GIVEN else measure.align_labels(labels, **given)
    )


def judged_alone(labels: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Leave unjudged documents out of the ranking that a measure is called with."""
    given = dict(given)
    if isinstance(labels, Iterable) and not isinstance(labels, (str, bytes)):
        labels = [label for label in labels if label is not None]
    ranking, relevant = given.get("ranking"), given.get("relevant")
    if isinstance(ranking, Iterable) and isinstance(relevant, Iterable):
        given["relevant"] = relevant if isinstance(relevant, Mapping) else set(relevant)
        given["ranking"] = [doc_id for doc_id in ranking if doc_id in given["relevant"]]
    return labels, given


def align_labels(labels: Iterable[float | None], *, missed: Iterable[float] = ()) -> Alignment:
    """Align labels in rank order (None: unjudged), and labels of documents not retrieved."""
    is_number = getattr(labels, "ndim", 1) == 0
    if not isinstance(labels, Iterable) or isinstance(labels, (str, bytes)) or is_number:
        raise SchemaError(f"labels is {shown(labels)}", "need labels in rank order")
    ranked = [label_of(label, f"at rank {i}") for i, label in enumerate(labels, 1)]
    missed_labels = [label_of(label, "among the missed") for label in missed]
    judged = [(i, label) for i, label in enumerate(ranked, 1) if label is not None]
    if None in missed_labels:
        raise SchemaError("a label among the missed is None", "missed documents must be judged")
    ideal = sorted([label for _, label in judged] + [x for x in missed_labels if x is not None])
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
    """Align document ids in rank order with the relevant ids or {id: label}."""
    labels = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1.0)
    seen: set[Hashable] = set()
    for rank, doc_id in enumerate(ranking, 1):
        if doc_id in seen:
            raise DuplicateError(
                f"document {shown(doc_id)} appears twice in the ranking, again at {rank}",
                "keep one of the two",
            )
        seen.add(doc_id)
    missed = [label for doc_id, label in labels.items() if doc_id not in seen]
    return align_labels([labels.get(doc_id) for doc_id in ranking], missed=missed)


def label_of(label: Any, where: str) -> float | None:
    """Return a label as a number; None for an unjudged document."""
    if label is None:
        return None
    try:
        number = float(label)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(label, (str, bytes, bytearray)):
        raise SchemaError(
            f"the label {where} is {shown(label)}", "need a finite number, or None if unjudged"
        )
    return number
