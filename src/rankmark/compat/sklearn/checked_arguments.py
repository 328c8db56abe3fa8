"""The arguments of scikit-learn's ranking scores: labels, scores and weights, checked.

Messages begin with scikit-learn's words, by which code may tell what went wrong.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.errors import InputError, SchemaError, shown


def rows_of(y_true: Any, y_score: Any) -> tuple[Floats, Floats]:
    """Return labels and scores of one shape, as numbers."""
    labels, scores = numbers_of(y_true, "y_true"), numbers_of(y_score, "y_score")
    refuse_other_shape(labels, scores)
    return labels, scores


def of_two_labels(y_true: Any, y_score: Any, least: int = 2) -> tuple[Bools, Floats]:
    """Return which labels are not 0, of at most two labels."""
    if hasattr(y_true, "toarray"):
        y_true = y_true.toarray()
    labels, scores = numbers_of(y_true, "y_true"), numbers_of(y_score, "y_score")
    for values, name in ((labels, "y_true"), (scores, "y_score")):
        if values.ndim == 1:
            raise SchemaError(
                f"Expected 2D array, got 1D array instead: {name}",
                "need (n_queries, n_documents); for one query, put it into a list",
            )
    refuse_other_shape(labels, scores)
    if labels.ndim != 2 or labels.shape[1] < least:
        raise SchemaError(
            f"y_true has shape {labels.shape}", f"need rows of {least} labels at least"
        )
    return relevant_of(labels, scores), scores


def relevant_of(labels: Any, scores: Floats) -> Bools:
    """Return which labels are not 0, of at most two labels that are whole."""
    refuse_other_shape(labels, scores)
    if labels.dtype.kind not in "biuf":
        raise SchemaError(f"y_true has values of type {labels.dtype}", "need numbers")
    low, high = labels.min(), labels.max()
    is_whole = low == np.round(low) and high == np.round(high)
    if not is_whole or not ((labels == low) | (labels == high)).all():
        raise SchemaError("y_true has labels other than 0 and 1", "need 1 where relevant, else 0")
    relevant: Bools = labels != 0
    return relevant


def classes_of(y_true: Any) -> Any:
    """Return labels that name classes: numbers, or anything else, such as text."""
    labels = np.asarray(y_true)
    if labels.dtype.kind in "biuf":
        labels = numbers_of(labels, "y_true")
        if (labels != labels.round()).any():
            raise SchemaError("y_true has labels that are not whole", "need classes, such as 0, 1")
    if not labels.size or labels.ndim not in {1, 2}:
        raise SchemaError(f"y_true has shape {labels.shape}", "need one or two dimensions")
    return labels


def numbers_of(values: Any, name: str) -> Floats:
    """Return finite numbers as float64, at least one."""
    given = np.asarray(values)
    if given.dtype.kind not in "biuf":
        raise SchemaError(f"{name} has values of type {given.dtype}", "need numbers")
    numbers = given.astype(np.float64, copy=False)
    if not numbers.size:
        raise SchemaError(f"{name} is empty", "need one query at least")
    if np.isnan(numbers).any():
        raise SchemaError(f"Input {name} contains NaN", "need finite numbers")
    if np.isinf(numbers).any():
        raise SchemaError(f"Input {name} contains infinity", "need finite numbers")
    return numbers


def refuse_other_shape(labels: Any, scores: Floats) -> None:
    """Refuse labels and scores of different shapes."""
    if len(labels) != len(scores):
        refuse_other_lengths(len(labels), len(scores))
    if labels.shape != scores.shape:
        raise SchemaError(
            f"y_true has shape {labels.shape}, and y_score {scores.shape}", "need equal shapes"
        )


def refuse_other_lengths(*lengths: int) -> NoReturn:
    """Refuse labels, scores and weights of different lengths."""
    raise SchemaError(
        f"Found input variables with inconsistent numbers of samples: {[*lengths]}",
        "need y_true, y_score and sample_weight of the same length",
    )


def refuse_one_document(labels: Floats, name: str) -> None:
    """Refuse anything but queries of two documents at least."""
    if labels.ndim != 2:
        raise SchemaError(
            f"{name}: y_true has shape {labels.shape}",
            "need (n_queries, n_documents); for one query, put both into a list: [y_true]",
        )
    if labels.shape[1] < 2:
        raise SchemaError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got "
            f"{labels.shape[1]} instead",
            f"{name} needs two at least",
        )


def cutoff_of(k: Any) -> int | None:
    """Return a cutoff from 1, or None."""
    if k is None or (isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k >= 1):
        return None if k is None else int(k)
    raise InputError(f"k is {shown(k)}", "need a whole number from 1, or None")


def weights_of(weights: Any, rows: int) -> Floats:
    """Return a weight for each row: (rows,) float64."""
    numbers = numbers_of(weights, "sample_weight")
    if numbers.ndim == 1 and len(numbers) != rows:
        refuse_other_lengths(rows, rows, len(numbers))
    if numbers.shape != (rows,):
        raise SchemaError(f"sample_weight has shape {numbers.shape}", f"need {rows} numbers")
    return numbers


def averaged(scores: Floats, weights: Any) -> float:
    """Average over queries, which may have weights."""
    if weights is not None:
        weights = weights_of(weights, len(scores))
    return float(np.average(scores, weights=weights))
