"""The arguments of scikit-learn's ranking scores, refused in its words.

Each message begins with what scikit-learn says, by which code may tell what went wrong, and ends
with what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.errors import SchemaError

_RANGES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "k": ("an int in the range [1, inf) or None", lambda given: given is None or _is_cutoff(given)),
    "log_base": (
        "a float in the range (0.0, inf)",
        lambda given: isinstance(given, Real) and 0 < float(given) < np.inf,
    ),
    "ignore_ties": (
        "an instance of 'bool' or an instance of 'numpy.bool'",
        lambda given: isinstance(given, (bool, np.bool_)),
    ),
    "average": (
        "a str among {'macro', 'micro', 'samples', 'weighted'} or None",
        lambda given: given in {None, "macro", "micro", "samples", "weighted"},
    ),
}
_OF_GAINS = ("multilabel-indicator", "continuous-multioutput", "multiclass-multioutput")


def refuse_options(function: str, **options: Any) -> None:
    """Refuse options outside of their ranges."""
    for name, given in options.items():
        needed, fits = _RANGES[name]
        if not fits(given):
            _refuse_parameter(function, name, needed, given)


def of_gains(
    function: str, y_true: Any, y_score: Any, weights: Any
) -> tuple[Floats, Floats, Floats | None]:
    """Return labels and scores of rows of two documents at least, and weights of rows."""
    labels, scores = (
        numbers_of(function, name, given)
        for name, given in (("y_true", y_true), ("y_score", y_score))
    )
    weight = weights_of(function, weights)
    refuse_other_lengths(labels, scores, weight)
    if function == "ndcg_score" and labels.min() < 0:
        raise SchemaError(
            "ndcg_score should not be used on negative y_true values.", "need labels from 0 up"
        )
    if function == "ndcg_score" and labels.ndim > 1 and labels.shape[1] < 2:
        raise SchemaError(
            "Computing NDCG is only meaningful when there is more than 1 document. Got "
            f"{labels.shape[1]} instead.",
            "need two at least",
        )
    kind = kind_of(labels)
    if kind not in _OF_GAINS:
        raise SchemaError(
            f"Only {_OF_GAINS} formats are supported. Got {kind} instead",
            "need (n_queries, n_documents); for one query, put both into lists: [y_true]",
        )
    if labels.shape != scores.shape:
        raise SchemaError("array is not broadcastable to correct shape", _shapes(labels, scores))
    return labels, scores, weight


def of_two_labels(
    function: str, y_true: Any, y_score: Any, weights: Any
) -> tuple[Bools, Floats, Floats | None]:
    """Return which labels are not 0, of at most two labels, scores, and weights of rows."""
    if hasattr(y_true, "toarray") and function != "coverage_error":
        y_true = y_true.toarray()
    labels, scores = (
        numbers_of(function, "y_true", y_true),
        numbers_of(function, "y_score", y_score),
    )
    for name, given in (("y_true", labels), ("y_score", scores)):
        if function == "coverage_error" and given.ndim != 2:
            _refuse_dimensions(name, given)
    weight = weights_of(function, weights)
    refuse_other_lengths(labels, scores, weight)
    kind = kind_of(labels)
    of_one_label = function.endswith("precision_score") and kind == "binary" and labels.ndim == 2
    if kind != "multilabel-indicator" and not of_one_label:
        _refuse_kind(kind)
    if labels.shape != scores.shape:
        raise SchemaError("y_true and y_score have different shape", _shapes(labels, scores))
    return labels != 0, scores, weight


def classes_of(y_true: Any) -> Any:
    """Return labels that name classes: numbers, or anything else, such as text."""
    labels = as_array(y_true, "y_true")
    if labels.dtype.kind in "biuf":
        labels = numbers_of("average_precision_score", "y_true", labels)
    elif not labels.ndim:
        _refuse_parameter("average_precision_score", "y_true", "an array-like", y_true)
    kind = kind_of(labels)
    if kind not in {"binary", "multiclass", "multilabel-indicator"}:
        _refuse_kind(kind)
    return labels


def kind_of(labels: Any) -> str:
    """Return what scikit-learn calls the type of targets."""
    has_columns = labels.ndim == 2 and labels.shape[1] > 1
    output = "-multioutput" if has_columns else ""
    if labels.dtype.kind == "f" and (labels != np.round(labels)).any():
        return f"continuous{output}"
    few = labels.size and len(np.unique(labels)) <= 2
    if few:
        return "multilabel-indicator" if has_columns else "binary"
    return f"multiclass{output}"


def numbers_of(function: str, name: str, values: Any) -> Floats:
    """Return finite numbers of one or two dimensions as float64, at least one."""
    if values is None or isinstance(values, (Real, str)):
        also = " or a sparse array or matrix" if "label_ranking" in function else ""
        _refuse_parameter(
            function, name, f"an array-like{also if name == 'y_true' else ''}", values
        )
    try:
        given = as_array(values, name) if is_array(values) else np.asarray(values)
    except ValueError as error:
        raise SchemaError(str(error), f"need rows of equal length in {name}") from None
    if given.dtype.kind not in "biuf":
        raise SchemaError(
            "dtype='numeric' is not compatible with arrays of bytes/strings."
            "Convert your data to numeric values explicitly instead.",
            f"need numbers in {name}",
        )
    numbers = given.astype(np.float64, copy=False)
    if numbers.ndim > 2:
        raise SchemaError(
            f"Found array with dim {numbers.ndim}, while dim <= 2 is required.",
            f"need two in {name}, not {numbers.shape}",
        )
    if not numbers.size:
        what = "feature" if len(numbers) else "sample"
        raise SchemaError(
            f"Found array with 0 {what}(s) (shape={numbers.shape}) while a minimum of 1 is "
            "required.",
            f"need one query at least in {name}",
        )
    of_weights = f" {name}" if name == "sample_weight" else ""
    if np.isnan(numbers).any():
        raise SchemaError(f"Input{of_weights} contains NaN.", f"need finite numbers in {name}")
    if np.isinf(numbers).any():
        raise SchemaError(
            f"Input{of_weights} contains infinity or a value too large for dtype('float64').",
            f"need finite numbers in {name}",
        )
    return numbers


def weights_of(function: str, weights: Any) -> Floats | None:
    """Return weights as numbers; None if there are none."""
    if weights is None or isinstance(weights, (Real, str)):
        if weights is not None:
            _refuse_parameter(function, "sample_weight", "an array-like or None", weights)
        return None
    return numbers_of(function, "sample_weight", weights)


def refuse_other_lengths(labels: Any, scores: Any, weights: Any = None) -> None:
    """Refuse labels, scores and weights of different lengths."""
    lengths = [len(one) for one in (labels, scores, weights) if one is not None]
    if len({*lengths}) > 1:
        raise SchemaError(
            f"Found input variables with inconsistent numbers of samples: {lengths}",
            "need y_true, y_score and sample_weight of the same length",
        )
    if weights is not None and weights.ndim != 1:
        raise SchemaError(
            "Sample weights must be 1D array or scalar", f"need {len(labels)} numbers"
        )


def refuse_other_shape(labels: Any, scores: Floats) -> None:
    """Refuse scores of another shape than that of labels by class."""
    if labels.ndim == 2 and scores.ndim == 1:
        _refuse_dimensions("y_score", scores)
    if labels.shape != scores.shape:
        raise SchemaError(
            f"y_true has shape {labels.shape}, and y_score {scores.shape}", "need equal shapes"
        )


def averaged(scores: Floats, weights: Floats | None) -> float:
    """Average over queries, which may have weights."""
    return float(np.average(scores, weights=weights))


def _is_cutoff(given: Any) -> bool:
    return isinstance(given, Integral) and not isinstance(given, bool) and int(given) >= 1


def _shapes(labels: Any, scores: Any) -> str:
    return f"y_true has the shape {labels.shape}, and y_score {scores.shape}"


def _refuse_kind(kind: str) -> NoReturn:
    one = "need 1 where relevant, else 0, in (n_queries, n_documents)"
    raise SchemaError(f"{kind} format is not supported", one)


def _refuse_dimensions(name: str, values: Any) -> NoReturn:
    raise SchemaError(
        f"Expected 2D array, got 1D array instead:\narray={values}.",
        f"need (n_queries, n_documents) in {name}; for one query, put it into a list",
    )


def _refuse_parameter(function: str, name: str, needed: str, given: Any) -> NoReturn:
    raise SchemaError(
        f"The {name!r} parameter of {function} must be {needed}. Got {given!r} instead.",
        f"choose another {name}",
    )
