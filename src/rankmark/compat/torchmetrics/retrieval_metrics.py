"""torchmetrics' retrieval metrics, where torchmetrics is not installed: tensors or arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from rankmark.compat.torchmetrics import retrieval_values as of
from rankmark.compat.torchmetrics.any_metric import Metric
from rankmark.compat.torchmetrics.metric_states import MetricState, flat_numbers
from rankmark.errors import InputError, SchemaError, shown

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

EmptyTargetAction = Literal["neg", "pos", "skip", "error"]
Aggregation = Literal["mean", "median", "min", "max"] | Callable[..., Any]
_WORDS: dict[Any, Callable[[Any], Any]] = {
    "mean": np.mean,
    "median": lambda values: np.sort(values)[(len(values) - 1) // 2],  # torch's, the lower one
    "min": np.min,
    "max": np.max,
}


class _Rows(NamedTuple):
    """Documents of any queries, in the order in which they came: (n,) each."""

    indexes: list[Any]
    preds: list[Any]
    target: list[Any]


class RetrievalMetric(of.QueryValues, MetricState[_Rows]):
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
        The cutoff; None for all documents.
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

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        if empty_target_action not in {"neg", "pos", "skip", "error"}:
            raise InputError(
                f"empty_target_action is {shown(empty_target_action)}",
                "need one of neg, pos, skip, error",
            )
        if ignore_index is not None and not isinstance(ignore_index, int):
            raise InputError(f"ignore_index is {shown(ignore_index)}", "need a whole number")
        if top_k is not None and (not isinstance(top_k, int) or top_k < 1):
            raise InputError(f"top_k is {shown(top_k)}", "need a whole number from 1, or None")
        if not callable(aggregation) and aggregation not in _WORDS:
            raise InputError(
                f"aggregation is {shown(aggregation)}", "need mean, median, min, max or a function"
            )
        self.empty_target_action = empty_target_action
        self.ignore_index = ignore_index
        self.top_k = top_k
        self.aggregation = aggregation
        super().__init__(**options)

    def _new(self) -> _Rows:
        return _Rows([], [], [])

    def _joined(self, states: list[_Rows]) -> _Rows:
        columns = zip(*states, strict=True)
        return _Rows(*([part for parts in column for part in parts] for column in columns))

    def _add(
        self, state: _Rows, preds: Any, target: Any, indexes: Any = None, **options: Any
    ) -> None:
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
        if self._binary and not np.isin(label, (0, 1)).all():
            raise SchemaError(
                f"target holds {label[~np.isin(label, (0, 1))][0]:g}", "need 0 and 1, or booleans"
            )
        if label.min() < 0:
            raise SchemaError(
                f"target holds {label.min():g}",
                "need labels from 0: in torchmetrics, one below 0 is a negative gain",
            )
        state.indexes.append(query)
        state.preds.append(score)
        state.target.append(label)

    def _value(self, state: _Rows) -> Any:
        if not state.indexes:
            raise InputError("no batch was given", "give some to update first")
        values = self.values(*(np.concatenate(column) for column in state))
        if not len(values):
            return 0.0
        if not callable(self.aggregation):
            return float(_WORDS[self.aggregation](values))
        if self._device is None:
            return self.aggregation(values, None)
        torch = sys.modules["torch"]
        values = torch.tensor(values, dtype=torch.float32, device=self._device)
        return self.aggregation(values, dim=None)


class RetrievalMAP(of.MAP, RetrievalMetric):
    """Average precision, divided by the relevant documents in the first k with positive scores."""


class RetrievalMRR(of.MRR, RetrievalMetric):
    """The reciprocal rank of the first relevant document with a positive score."""


class RetrievalPrecision(of.Precision, RetrievalMetric):
    """Precision, in which documents with a score of 0 or less are not relevant.

    ``adaptive_k`` divides by the number of documents if that is less than ``top_k``.
    """

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        adaptive_k: bool = False,  # noqa: FBT001, FBT002  (as in torchmetrics)
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, top_k, aggregation, **options)
        if not isinstance(adaptive_k, bool):
            raise InputError(f"adaptive_k is {shown(adaptive_k)}", "need True or False")
        self.adaptive_k = adaptive_k


class RetrievalRecall(of.Recall, RetrievalMetric):
    """Recall, in which documents with a score of 0 or less are not found."""


class RetrievalHitRate(of.HitRate, RetrievalMetric):
    """Whether a relevant document is among the first k."""


class RetrievalFallOut(of.FallOutRate, RetrievalMetric):
    """The fraction of the irrelevant documents that are among the first k."""

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "pos",
        ignore_index: int | None = None,
        top_k: int | None = None,
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, top_k, aggregation, **options)


class RetrievalRPrecision(of.RPrecision, RetrievalMetric):
    """Precision at the number of relevant documents."""

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "neg",
        ignore_index: int | None = None,
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, None, aggregation, **options)


class RetrievalNormalizedDCG(of.NormalizedDCG, RetrievalMetric):
    """nDCG of graded targets, averaged over all orders of tied documents."""


class RetrievalAUROC(of.AUROC, RetrievalMetric):
    """The area under the ROC curve of the first k documents; 0 if all of them are relevant.

    ``max_fpr`` is the highest false-positive rate of a partial area, as in scikit-learn.
    """

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "neg",
        ignore_index: int | None = None,
        top_k: int | None = None,
        max_fpr: float | None = None,
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, top_k, aggregation, **options)
        self.max_fpr = max_fpr
        self._chosen()  # refuses another number
