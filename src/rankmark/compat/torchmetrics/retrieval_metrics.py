"""torchmetrics' retrieval metrics, computed for all queries at once: of tensors or arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from rankmark.array_types import Floats
from rankmark.compat.grouped_scores import of_groups
from rankmark.compat.torchmetrics.any_metric import Metric, MetricState, flat_numbers
from rankmark.errors import InputError, SchemaError, quiet, shown
from rankmark.measures import Measure, NumRelRet, P
from rankmark.profiles.requests import in_notation
from rankmark.profiles.torchmetrics import OF_POSITIVE_SCORES, PROFILE

METRICS: dict[str, dict[str, Any]] = {row.name: {"top_k": None} for row in PROFILE.measures}
METRICS["RetrievalAUROC"] |= {"max_fpr": None}
METRICS["RetrievalFallOut"] |= {"empty_target_action": "pos"}
METRICS["RetrievalPrecision"] |= {"adaptive_k": False}
METRICS["RetrievalRPrecision"] = {}
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
        return values[~empty]
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


__all__ = [
    "Metric",
    "RetrievalAUROC",
    "RetrievalFallOut",
    "RetrievalHitRate",
    "RetrievalMAP",
    "RetrievalMRR",
    "RetrievalNormalizedDCG",
    "RetrievalPrecision",
    "RetrievalRPrecision",
    "RetrievalRecall",
]

_AGGREGATIONS: dict[Any, Callable[[Any], Any]] = {
    "mean": np.mean,
    "median": lambda values: np.sort(values)[(len(values) - 1) // 2],  # torch's, the lower one
    "min": np.min,
    "max": np.max,
}
_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "empty_target_action": (
        lambda given: given in {"neg", "pos", "skip", "error"},
        "need one of neg, pos, skip, error",
    ),
    "ignore_index": (
        lambda given: given is None or isinstance(given, int),
        "need a whole number",
    ),
    "top_k": (
        lambda given: given is None or (isinstance(given, int) and given >= 1),
        "need a whole number from 1, or None",
    ),
    "adaptive_k": (lambda given: isinstance(given, bool), "need True or False"),
    "max_fpr": (
        lambda given: given is None or (isinstance(given, (int, float)) and 0 < given <= 1),
        "need a number above 0, up to 1, or None",
    ),
    "aggregation": (
        lambda given: callable(given) or given in _AGGREGATIONS,
        "need mean, median, min, max or a function",
    ),
}


class RetrievalMetric(MetricState):
    """A metric over documents with the index of their query, as in torchmetrics.

    ``update(preds, target, indexes)`` takes tensors or arrays of one shape. As there, the documents
    of a query may come in several batches, and all are kept until ``reset``; ``Metric`` keeps only
    scores. Tied documents are in the order given, where torchmetrics leaves it to an unstable sort.

    Parameters
    ----------
    empty_target_action
        What a query without relevant documents counts: 0 (``"neg"``), 1 (``"pos"``) or nothing
        (``"skip"``); or it is refused (``"error"``). For RetrievalFallOut, one with relevant
        documents only.
    ignore_index
        Documents with this target are left out.
    top_k
        The cutoff; None for all documents. RetrievalRPrecision has none.
    adaptive_k
        Of RetrievalPrecision: divide by the number of documents if that is less than ``top_k``.
    max_fpr
        Of RetrievalAUROC: the highest false-positive rate of a partial area, as in scikit-learn.
    aggregation
        ``"mean"``, ``"median"`` (the lower one of two, as in torch), ``"min"``, ``"max"``, or a
        function of the values that takes ``dim``.
    **options
        ``sync_on_compute`` and ``process_group``, as for ``Metric``.

    Raises
    ------
    InputError
        If an option or a batch is none of these.
    """

    higher_is_better = True
    ignore_index: int | None
    aggregation: Any
    __signature__ = Signature()

    def __init_subclass__(cls) -> None:
        """Give a class the options of torchmetrics' class of its name, in their order."""
        if cls.__name__ in METRICS:
            defaults = {"empty_target_action": "neg", "ignore_index": None}
            defaults |= METRICS[cls.__name__] | {"aggregation": "mean"}
            either = Parameter.POSITIONAL_OR_KEYWORD
            options = [Parameter(name, either, default=one) for name, one in defaults.items()]
            last = Parameter("options", Parameter.VAR_KEYWORD)
            cls.__signature__ = Signature([*options, last])

    def __init__(self, *given: Any, **options: Any) -> None:
        bound = self.__signature__.bind(*given, **options)
        bound.apply_defaults()
        super().__init__(**bound.arguments.pop("options"))
        for name, value in bound.arguments.items():
            fits, needed = _CHECKS[name]
            if not fits(value):
                raise InputError(f"{name} is {shown(value)}", needed)
        vars(self).update(bound.arguments)

    def _batch(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> Any:
        if options:
            raise TypeError(f"update() got an unexpected keyword argument {min(options)!r}")
        if indexes is None:
            raise SchemaError("indexes is None", "give the query of each document")
        columns = {"preds": preds, "target": target, "indexes": indexes}
        shapes = {name: tuple(np.shape(column)) for name, column in columns.items()}
        if len({*shapes.values()}) > 1:
            told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
            raise SchemaError(f"the shapes differ: {told}", "give each document all three")
        query = flat_numbers(indexes)
        if query.dtype.kind not in "iu":
            raise SchemaError(f"indexes are {query.dtype}", "need whole numbers")
        score, label = flat_numbers(preds, np.float32), flat_numbers(target, np.float64)
        if self.ignore_index is not None:
            kept = label != self.ignore_index
            query, score, label = query[kept], score[kept], label[kept]
        if not len(query):
            raise SchemaError("the batch holds no documents", "leave it out")
        others = label[~np.isin(label, (0, 1))]
        if len(others) and name_of(self) != "RetrievalNormalizedDCG":
            raise SchemaError(f"target holds {others[0]:g}", "need 0 and 1, or booleans")
        if label.min() < 0:
            raise SchemaError(
                f"target holds {label.min():g}",
                "need labels from 0: in torchmetrics, one below 0 is a negative gain",
            )
        return query, score, label

    def _value(self, batches: list[Any]) -> Any:
        if not batches:
            raise InputError("no batch was given", "give some to update first")
        values = query_values(self, *map(np.concatenate, zip(*batches, strict=True)))
        if not len(values):
            return 0.0
        if not callable(self.aggregation):
            return float(_AGGREGATIONS[self.aggregation](values))
        if self._device is None:
            return self.aggregation(values, None)
        torch = sys.modules["torch"]
        values = torch.tensor(values, dtype=torch.float32, device=self._device)
        return self.aggregation(values, dim=None)


class RetrievalMAP(RetrievalMetric):
    """Average precision, divided by the relevant documents in the first k with positive scores."""


class RetrievalMRR(RetrievalMetric):
    """The reciprocal rank of the first relevant document with a positive score."""


class RetrievalPrecision(RetrievalMetric):
    """Precision, in which documents with a score of 0 or less are not relevant."""


class RetrievalRecall(RetrievalMetric):
    """Recall, in which documents with a score of 0 or less are not found."""


class RetrievalHitRate(RetrievalMetric):
    """Whether a relevant document is among the first k."""


class RetrievalFallOut(RetrievalMetric):
    """The fraction of the irrelevant documents that are among the first k."""

    higher_is_better = False


class RetrievalRPrecision(RetrievalMetric):
    """Precision at the number of relevant documents."""


class RetrievalNormalizedDCG(RetrievalMetric):
    """nDCG of graded targets, averaged over all orders of tied documents."""


class RetrievalAUROC(RetrievalMetric):
    """The area under the ROC curve of the first k documents; 0 if all of them are relevant."""
