"""scikit-learn's ranking scores: ``from rankmark.compat.sklearn import ndcg_score``.

The numbers are those of scikit-learn 1.9: each row of an array is a query, whose documents are all
scored. scikit-learn itself is not needed.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.compat.sklearn.checked_arguments import (
    averaged,
    classes_of,
    numbers_of,
    of_gains,
    of_two_labels,
    refuse_options,
    refuse_other_lengths,
    refuse_other_shape,
    weights_of,
)
from rankmark.conventions import Conventions, Ties
from rankmark.data.contract.reading_options import Reading
from rankmark.data.preparing.matching import RunFacts
from rankmark.errors import SchemaError, warn
from rankmark.measures import Measure
from rankmark.profiles.requests import in_notation
from rankmark.profiles.sklearn import PROFILE
from rankmark.scoring.request import Asked
from rankmark.scoring.scored_run import matched

__all__ = [
    "average_precision_score",
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
]

_MEASURES = {name: in_notation(PROFILE, name)[0] for name in __all__}
# All judged documents are retrieved, so that the ideal rankings are the same, and this is faster.
_MEASURES["ndcg_score"] = _MEASURES["ndcg_score"](ideal="judged")
_SCORES = Reading(contents="scores")


def ndcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Average nDCG over queries.

    Parameters
    ----------
    y_true, y_score
        (n_queries, n_documents), labels from 0 up, and scores.
    k
        Count the first k documents only; None for all.
    sample_weight
        (n_queries,), the weight of each query in the average.
    ignore_ties
        Order ties as NumPy's default sort does, in reverse, rather than average over their orders.

    Raises
    ------
    ValueError
        If a label is negative, there are fewer than 2 documents, or an argument cannot be used.

    Examples
    --------
    >>> from rankmark.compat.sklearn import ndcg_score
    >>> ndcg_score([[0, 0, 1]], [[1.0, 1.0, 1.0]])
    0.7103099178571525
    """
    refuse_options("ndcg_score", k=k, ignore_ties=ignore_ties)
    labels, scores, weights = of_gains("ndcg_score", y_true, y_score, sample_weight)
    return averaged(_gained("ndcg_score", k, labels, scores, ignore_ties), weights)


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Average DCG over queries; a negative label is a negative gain.

    Parameters
    ----------
    y_true, y_score
        (n_queries, n_documents), labels and scores.
    k
        Count the first k documents only; None for all.
    log_base
        The base of the logarithm in the discount.
    sample_weight
        (n_queries,), the weight of each query in the average.
    ignore_ties
        Order ties as NumPy's default sort does, in reverse, rather than average over their orders.

    Raises
    ------
    ValueError
        If there are fewer than 2 documents, or an argument cannot be used.

    Examples
    --------
    >>> from rankmark.compat.sklearn import dcg_score
    >>> dcg_score([[3, 0, -1]], [[0.9, 0.8, 0.7]])
    2.5
    """
    refuse_options("dcg_score", k=k, log_base=log_base, ignore_ties=ignore_ties)
    labels, scores, weights = of_gains("dcg_score", y_true, y_score, sample_weight)
    gained = _gained("dcg_score", k, labels, scores, ignore_ties)
    if labels.min() < 0:  # in DCG, such a label has no gain
        gained -= _gained("dcg_score", k, -labels, scores, ignore_ties)
    return averaged(gained * math.log2(log_base), weights)


def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Literal["micro", "macro", "weighted", "samples"] | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> float | Floats:
    """Average precision over thresholds, where tied documents are taken together.

    Parameters
    ----------
    y_true, y_score
        (n_documents,), the labels and scores of a query; or (n_samples, n_classes), 1 where a
        sample is of a class, else 0. Labels of one dimension may also name one of several
        classes, with scores of two dimensions.
    average
        Of two dimensions: each class is a query, ``"weighted"`` by its number of samples
        (``"macro"`` averages evenly, None gives an array), or each row (``"samples"``), or
        everything is one query (``"micro"``).
    pos_label
        The label of relevant documents, if there are two labels.
    sample_weight
        (n_samples,), the weight of each document, or with ``"samples"`` of each query.

    Raises
    ------
    ValueError
        If an argument cannot be used.

    Examples
    --------
    >>> from rankmark.compat.sklearn import average_precision_score
    >>> average_precision_score([0, 1, 1], [0.1, 0.4, 0.4])
    1.0
    """
    refuse_options("average_precision_score", average=average)
    labels = classes_of(y_true)
    scores = numbers_of("average_precision_score", "y_score", y_score)
    weights = weights_of("average_precision_score", sample_weight)
    is_one_column = labels.ndim == 1 or labels.shape[1] == 1
    classes = np.unique(labels) if is_one_column else np.empty(0)
    if is_one_column and len(classes) < 3:
        if len(classes) == 2 and pos_label not in classes:
            raise SchemaError(
                f"pos_label={pos_label} is not a valid label. It should be one of "
                f"{np.unique(np.asarray(y_true))}",
                "choose the relevant one",
            )
        refuse_other_lengths(labels, scores, weights)
        if scores.ndim > 1 and scores.shape[1] > 1:
            raise SchemaError(
                f"y should be a 1d array, got an array of shape {scores.shape} instead.",
                "give y_score the shape of y_true",
            )
        relevant = (labels.reshape(-1) == pos_label)[None]
        return float(_precision_over_thresholds(relevant, scores.reshape(1, -1), weights)[0])
    if pos_label != 1:
        kind = "multiclass" if labels.ndim == 1 else "multilabel-indicator"
        raise SchemaError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
            "pos_label to 1.",
            "it is for two labels",
        )
    if labels.ndim == 1:
        labels = labels[:, None] == classes
    refuse_other_lengths(labels, scores, weights)
    refuse_other_shape(labels, scores)
    relevant = labels != 0
    if average == "samples":
        return averaged(_precision_over_thresholds(relevant, scores), weights)
    if average == "micro":
        if weights is not None:
            weights = np.repeat(weights, relevant.shape[1])
        flat = relevant.reshape(1, -1), scores.reshape(1, -1)
        return float(_precision_over_thresholds(*flat, weights)[0])
    frequent = None
    if average == "weighted":
        frequent = relevant.sum(axis=0) if weights is None else weights @ relevant
        if not frequent.any():
            return 0.0
    by_class = _precision_over_thresholds(relevant.T, scores.T, weights)
    return by_class if average is None else float(np.average(by_class, weights=frequent))


def label_ranking_average_precision_score(
    y_true: Any, y_score: Any, *, sample_weight: Any = None
) -> float:
    """Average precision of each row's labels; 1 for rows where nothing or everything is relevant.

    Parameters
    ----------
    y_true, y_score
        (n_queries, n_documents), 1 where relevant, else 0; and scores. ``y_true`` may be sparse.
    sample_weight
        (n_queries,), the weight of each query in the average.

    Examples
    --------
    >>> from rankmark.compat.sklearn import label_ranking_average_precision_score
    >>> label_ranking_average_precision_score([[1, 0, 0], [0, 0, 0]], [[0.75, 0.5, 1], [1, 2, 3]])
    0.75
    """
    return _of_rows("label_ranking_average_precision_score", y_true, y_score, sample_weight)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Average the fraction of pairs in which a relevant label is not above another.

    Parameters
    ----------
    y_true, y_score
        (n_queries, n_documents), 1 where relevant, else 0; and scores. ``y_true`` may be sparse.
    sample_weight
        (n_queries,), the weight of each query in the average.

    Examples
    --------
    >>> from rankmark.compat.sklearn import label_ranking_loss
    >>> label_ranking_loss([[1, 0, 0]], [[0.75, 0.5, 1]])
    0.5
    """
    return _of_rows("label_ranking_loss", y_true, y_score, sample_weight)


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Average the rank at which all relevant labels have been seen.

    Parameters
    ----------
    y_true, y_score
        (n_queries, n_documents), 1 where relevant, else 0; and scores.
    sample_weight
        (n_queries,), the weight of each query in the average.

    Examples
    --------
    >>> from rankmark.compat.sklearn import coverage_error
    >>> coverage_error([[1, 0, 0]], [[0.75, 0.5, 1]])
    2.0
    """
    return _of_rows("coverage_error", y_true, y_score, sample_weight)


def _of_rows(name: str, y_true: Any, y_score: Any, sample_weight: Any) -> float:
    """Average a score of rows with two labels over them."""
    relevant, scores, weights = of_two_labels(name, y_true, y_score, sample_weight)
    counted = _lowest_relevant(relevant, scores) if name == "coverage_error" else relevant
    values = _together(name, counted, scores)
    if name == "label_ranking_average_precision_score":
        values[relevant.all(axis=1) | ~relevant.any(axis=1)] = 1.0
        if weights is not None and not weights.sum():  # for which other scores raise
            return math.nan
    return averaged(values, weights)


def _gained(name: str, k: Any, labels: Floats, scores: Floats, ignore_ties: bool) -> Floats:  # noqa: FBT001
    """Score each row with a measure of gains: (Q,) float64."""
    measure = _MEASURES[name](k=None if k is None else int(k))
    if not ignore_ties:
        return _by_row(measure, labels, scores, PROFILE.conventions["ties"])[0]
    gained, facts = _by_row(measure, labels, scores, "input")
    tied = facts.tied > 0
    if tied.any():
        order = np.argsort(scores[tied])  # as scikit-learn sorts, so that ties agree with it
        places = np.arange(order.shape[1], dtype=np.float64)
        ranked = np.empty(order.shape)
        np.put_along_axis(ranked, order, places[None], axis=1)
        gained[tied] = _by_row(measure, labels[tied], ranked, "input")[0]
    return gained


def _lowest_relevant(relevant: Bools, scores: Floats) -> Bools:
    """Keep the relevant document with the lowest score of each row, or one that ties with it.

    It alone decides how deep all have been seen, and no other has to be ranked.
    """
    lowest = np.where(relevant, scores, np.inf).argmin(axis=1)[:, None]
    kept = np.zeros_like(relevant)
    np.put_along_axis(kept, lowest, np.take_along_axis(relevant, lowest, axis=1), axis=1)
    return kept


def _together(name: str, relevant: Bools, scores: Floats) -> Floats:
    """Score each row with a measure that takes tied documents together: (Q,) float64."""
    return _by_row(_MEASURES[name], relevant.astype(np.float64), scores, "input")[0]


def _by_row(
    measure: Measure, labels: Floats, scores: Floats, ties: Ties
) -> tuple[Floats, RunFacts]:
    """Score each row, (Q,) float64, and return what matching found out."""
    pair = matched(labels, scores, Asked.of([measure], Conventions(ties=ties)), _SCORES, None)
    return pair.ranked.score(measure), pair.ranked.facts


def _precision_over_thresholds(
    relevant: Bools, scores: Floats, weight: Floats | None = None
) -> Floats:
    """Average precision of each row, whose documents may have weights: (Q,) float64."""
    if not relevant.any(axis=1).all():
        warn(
            "No positive class found in y_true, recall is set to one for all thresholds, at least "
            "for one class or sample, whose score is 0",
            "leave it out, if it should not count",
        )
    if weight is None:
        return _together("average_precision_score", relevant, scores)
    if not weight.any():
        raise SchemaError(
            "Sample weights must contain at least one non-zero number.", "give some rows more"
        )
    if weight.min() < 0:
        raise SchemaError(
            f"sample_weight contains {weight.min():g}", "need numbers from 0 in sample_weight"
        )
    # No measure of rankings has documents of different weights.
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=1)
    everything, found = weight[order], (weight * relevant)[np.arange(len(order))[:, None], order]
    ends = np.append(ranked[:, 1:] != ranked[:, :-1], np.ones((len(ranked), 1), dtype=bool), axis=1)
    last = np.where(ends, np.arange(ranked.shape[1]), ranked.shape[1])
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]  # of each document's tie
    hits, counted = (
        np.take_along_axis(part.cumsum(axis=1), last, axis=1) for part in (found, everything)
    )
    gained = (found * _ratio(hits, counted)).sum(axis=1)
    return _ratio(gained, found.sum(axis=1))


def _ratio(over: Floats, under: Floats) -> Floats:
    """Divide; 0 where the divisor is 0."""
    return np.divide(over, under, out=np.zeros_like(under), where=under > 0)
