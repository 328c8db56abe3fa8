"""torchmetrics' retrieval metrics: ``from rankmark.compat.torchmetrics import RetrievalMAP``.

The numbers are those of torchmetrics 1.9, computed for all queries at once. ``Metric`` computes any
other measure. torch is not imported; arrays are taken, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn

import numpy as np

from rankmark.compat.any_metric import Metric
from rankmark.compat.metric_states import MetricState, flat_numbers
from rankmark.errors import InputError, SchemaError, quiet, shown
from rankmark.measures import AP, AUC, RR, FallOut, Measure, P, R, Rprec, Success, nDCG
from rankmark.results.evaluation import Evaluation
from rankmark.verbs.evaluate import evaluate

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

_NOT_HERE = {
    "RetrievalPrecisionRecallCurve": (
        "evaluate P and R at each rank, as in rankmark.evaluate(labels, scores, rankmark.P @ "
        "[1, 2, 3])"
    ),
    "RetrievalRecallAtFixedPrecision": (
        'use Metric("RecallAtPrecision(precision=0.5)"), the mean of the highest recalls of queries'
    ),
}


class _Rows(NamedTuple):
    """Documents of any queries, in the order in which they came: (n,) each."""

    indexes: list[Any]
    preds: list[Any]
    target: list[Any]


class RetrievalMetric(MetricState[_Rows]):
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

    higher_is_better: ClassVar[bool] = True
    _measure: ClassVar[Measure]
    _ties: ClassVar[Literal["input", "mean"]] = "input"
    _binary: ClassVar[bool] = True
    _positive_only: ClassVar[bool] = False  # documents with a score of 0 or less are not relevant

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
        with quiet():  # the options say what queries without relevant documents count
            values = self._values(*(np.concatenate(column) for column in state))
        if not len(values):
            return 0.0
        if not callable(self.aggregation):
            return float(_WORDS[self.aggregation](values))
        if self._device is None:
            return self.aggregation(values, None)
        torch = sys.modules["torch"]
        values = torch.tensor(values, dtype=torch.float32, device=self._device)
        return self.aggregation(values, dim=None)

    def _values(self, query: Any, score: Any, label: Any) -> Any:
        """Return the value of each query that counts, in the order of their indexes."""
        order = np.argsort(query, kind="stable")
        _, starts, sizes = np.unique(query[order], return_index=True, return_counts=True)
        score, label = score[order], label[order]
        values = self._scores(score, label, sizes)
        empty = np.add.reduceat(self._wanted(label), starts) == 0
        if not empty.any() or self.empty_target_action == "skip":
            return values[~empty]
        if self.empty_target_action == "error":
            index = query[order][starts[empty.argmax()]]
            missing = "relevant" if self.higher_is_better else "irrelevant"
            raise InputError(
                f"query {index} has no {missing} document", "choose another empty_target_action"
            )
        values[empty] = self.empty_target_action == "pos"
        return values

    def _wanted(self, label: Any) -> Any:
        """Return what makes a query count."""
        return label

    def _scores(self, score: Any, label: Any, sizes: Any) -> Any:
        """Return the value of each query, given its rows one after the other."""
        if self._positive_only:
            label = np.where(score > 0, label, 0.0)
        return self._evaluated(self._measure, label, score, sizes).scores[:, 0].copy()

    def _evaluated(self, measure: Measure, label: Any, score: Any, sizes: Any) -> Evaluation:
        chosen = measure if self.top_k is None else measure @ self.top_k
        if len(sizes) == len(score):  # sizes that may be ids
            return evaluate(label[:, None], score[:, None], chosen, ties=self._ties)
        return evaluate(label, score, chosen, groups=sizes, ties=self._ties)


class RetrievalMAP(RetrievalMetric):
    """Average precision, over the relevant documents among the first k with a positive score."""

    _measure, _positive_only = AP(norm="hits"), True


class RetrievalMRR(RetrievalMetric):
    """The reciprocal rank of the first relevant document with a positive score."""

    _measure, _positive_only = RR, True


class RetrievalPrecision(RetrievalMetric):
    """Precision, in which documents with a score of 0 or less are not relevant.

    ``adaptive_k`` divides by the number of documents if that is less than ``top_k``.
    """

    _measure, _positive_only = P, True

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
        if adaptive_k:
            self._measure = P(norm="retrieved")  # type: ignore[misc]


class RetrievalRecall(RetrievalMetric):
    """Recall, in which documents with a score of 0 or less are not found."""

    _measure = R

    def _evaluated(self, measure: Measure, label: Any, score: Any, sizes: Any) -> Evaluation:
        query, document = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(score))
        ids = {"query_id": query, "doc_id": document}
        found = score > 0
        run = {name: column[found] for name, column in (ids | {"score": score}).items()}
        chosen = measure if self.top_k is None else measure @ self.top_k
        return evaluate(ids | {"label": label}, run, chosen, ties=self._ties)


class RetrievalHitRate(RetrievalMetric):
    """Whether a relevant document is among the first k."""

    _measure = Success


class RetrievalFallOut(RetrievalMetric):
    """The fraction of the irrelevant documents that are among the first k."""

    higher_is_better, _measure = False, FallOut

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "pos",
        ignore_index: int | None = None,
        top_k: int | None = None,
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, top_k, aggregation, **options)

    def _wanted(self, label: Any) -> Any:
        return 1 - label


class RetrievalRPrecision(RetrievalMetric):
    """Precision at the number of relevant documents."""

    _measure = Rprec

    def __init__(
        self,
        empty_target_action: EmptyTargetAction = "neg",
        ignore_index: int | None = None,
        aggregation: Aggregation = "mean",
        **options: Any,
    ) -> None:
        super().__init__(empty_target_action, ignore_index, None, aggregation, **options)


class RetrievalNormalizedDCG(RetrievalMetric):
    """nDCG of graded targets, over all orders of tied documents."""

    _measure, _ties, _binary = nDCG, "mean", False


class RetrievalAUROC(RetrievalMetric):
    """The area under the ROC curve of the first k documents; 0 if all of them are relevant.

    ``max_fpr`` is the highest false-positive rate of a partial area, as in scikit-learn.
    """

    _measure = AUC(norm="hits")

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
        if max_fpr is not None:
            self._measure = AUC(norm="hits", max_fpr=max_fpr)  # type: ignore[misc]

    def _scores(self, score: Any, label: Any, sizes: Any) -> Any:
        values = super()._scores(score, label, sizes)
        only = self._evaluated(P(norm="retrieved"), label, score, sizes).scores[:, 0] == 1
        return np.where(only, 0.0, values)


def __getattr__(name: str) -> NoReturn:
    """Say what to use instead of what this interface lacks."""
    if name in _NOT_HERE:
        raise ImportError(
            f"rankmark.compat.torchmetrics has no {name}; {_NOT_HERE[name]}", name=__name__
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
