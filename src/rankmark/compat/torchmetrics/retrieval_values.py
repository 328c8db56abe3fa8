"""The values of torchmetrics' retrieval metrics, by query, computed for all queries at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmark.array_types import Floats
from rankmark.compat.grouped_scores import of_groups
from rankmark.errors import InputError, quiet
from rankmark.measures import Measure, NumRelRet, P
from rankmark.profiles.requests import in_notation
from rankmark.profiles.torchmetrics import OF_POSITIVE_SCORES, PROFILE

_AT = {"top_k": None}
METRICS: dict[str, dict[str, Any]] = {
    "RetrievalAUROC": _AT | {"max_fpr": None},
    "RetrievalFallOut": _AT | {"empty_target_action": "pos"},
    "RetrievalHitRate": _AT,
    "RetrievalMAP": _AT,
    "RetrievalMRR": _AT,
    "RetrievalNormalizedDCG": _AT,
    "RetrievalPrecision": _AT | {"adaptive_k": False},
    "RetrievalRPrecision": {},
    "RetrievalRecall": _AT,
}
"""The classes, and the defaults of the options in which they differ."""


def name_of(metric: object) -> str:
    """Return the name of the class that a metric is, or that it inherits from."""
    return next(base.__name__ for base in type(metric).__mro__ if base.__name__ in METRICS)


def query_values(metric: Any, query: Any, score: Any, label: Any) -> Floats:
    """Return the value of each query that counts, in the order of their indexes.

    Parameters
    ----------
    metric
        A metric, whose attributes are its options.
    query, score, label
        (n,) arrays, the index of each document's query, its score and its target.

    Returns
    -------
    numpy.ndarray
        (n_queries,) float64, without those that are skipped.

    Raises
    ------
    InputError
        If ``empty_target_action`` is "error", and a query has no relevant document.
    """
    order = np.argsort(query, kind="stable")
    query, score, label = query[order], score[order], label[order]
    starts = np.flatnonzero(np.append(True, query[1:] != query[:-1]))
    with quiet():  # the options say what queries without relevant documents count
        values = _scores(metric, score, label, starts)
    empty = np.add.reduceat(label if metric.higher_is_better else 1 - label, starts) == 0
    if not empty.any() or metric.empty_target_action == "skip":
        counted: Floats = values[~empty]
        return counted
    if metric.empty_target_action == "error":
        missing = "positive" if metric.higher_is_better else "negative"
        raise InputError(
            f"`compute` method was provided with a query with no {missing} target: "
            f"{query[starts[empty.argmax()]]}",
            "choose another empty_target_action",
        )
    values[empty] = metric.empty_target_action == "pos"
    return values


def _scores(metric: Any, score: Any, label: Any, starts: Any) -> Floats:
    """Return the value of each query, given its rows one after the other."""
    name = name_of(metric)
    cutoff = getattr(metric, "top_k", getattr(metric, "k", None))  # in MAP of torchmetrics: k
    sizes = np.diff(starts, append=len(score))
    found = np.where(score > 0, label, 0.0) if name in OF_POSITIVE_SCORES else label

    def scored(measure: Measure) -> Floats:
        at = measure if cutoff is None else measure @ cutoff
        ties = PROFILE.conventions_of(declared)["ties"]
        return of_groups(found, score, sizes, at, ties=ties).scores[:, 0].copy()

    adaptive = "(adaptive_k=True)" if getattr(metric, "adaptive_k", False) else ""
    (declared,) = in_notation(PROFILE, name + adaptive)
    if name == "RetrievalRecall":  # of all relevant documents, whatever their scores
        return scored(NumRelRet) / np.maximum(np.add.reduceat(label, starts), 1)
    if name == "RetrievalNormalizedDCG":  # all judged documents are retrieved, and this is faster
        return scored(declared(ideal="judged"))
    if name == "RetrievalAUROC":
        limited = declared if metric.max_fpr is None else declared(max_fpr=metric.max_fpr)
        only_relevant = scored(P(norm="retrieved")) == 1
        return np.where(only_relevant, 0.0, scored(limited))
    return scored(declared)
