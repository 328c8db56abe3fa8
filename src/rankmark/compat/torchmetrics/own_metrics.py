"""torchmetrics' own retrieval metrics, whose values rankmark computes, and any other measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torchmetrics import Metric as _Metric
from torchmetrics import retrieval as theirs
from torchmetrics.retrieval.base import _retrieval_aggregate
from torchmetrics.utilities.data import dim_zero_cat

from rankmark.compat.torchmetrics import retrieval_values as of
from rankmark.compat.torchmetrics.any_metric import add_batch, values_of
from rankmark.compat.torchmetrics.metric_states import flat_numbers
from rankmark.compat.torchmetrics.packed_batches import packed, unpacked
from rankmark.compat.torchmetrics.retrieval_metrics import __all__  # noqa: F401
from rankmark.evaluating.accumulate import Accumulator, OnRepeat
from rankmark.evaluating.evaluation import Evaluation
from rankmark.measures.names import AnyMeasure

_COLUMNS = ("indexes", "preds", "target")
_OPTIONS = (
    "compute_on_cpu", "compute_with_cache", "dist_sync_fn", "dist_sync_on_step",
    "distributed_available_fn", "process_group", "sync_on_compute",
)  # fmt: skip


class _AtOnce:
    """A metric of torchmetrics that computes the values of all queries at once."""

    def update(self, preds: Any, target: Any, indexes: Any) -> None:
        """Add a batch: tensors or arrays of one shape."""
        super().update(_tensor(preds), _tensor(target), _tensor(indexes))  # type: ignore[misc]

    def compute(self: Any) -> Any:
        """Return the value of all batches: a tensor."""
        query, preds, target = (dim_zero_cat(getattr(self, name)) for name in _COLUMNS)
        label = flat_numbers(target, "f8")
        is_theirs = type(self)._metric.__module__.startswith("torchmetrics.")
        if not is_theirs or label.min() < 0:  # a formula of users, or a negative gain in nDCG
            return super().compute()  # type: ignore[misc]
        found = self.values(flat_numbers(query), flat_numbers(preds), label)
        values = torch.as_tensor(found).to(preds)
        if not len(values):
            return torch.tensor(0.0).to(preds)
        return _retrieval_aggregate(values, self.aggregation)

    def _sync_dist(self: Any, *args: Any, **options: Any) -> None:
        """Gather the batches of all processes, of which each may have any number, or none."""
        for name, kind in zip(_COLUMNS, (torch.long, torch.float32, torch.float32), strict=True):
            _join(self, name, kind)
        super()._sync_dist(*args, **options)  # type: ignore[misc]


class RetrievalMAP(_AtOnce, of.MAP, theirs.RetrievalMAP):  # type: ignore[misc]
    """Average precision, divided by the relevant documents in the first k with positive scores."""

    def _cutoff(self) -> int | None:
        cutoff: int | None = self.k  # its name in this one
        return cutoff


class RetrievalMRR(_AtOnce, of.MRR, theirs.RetrievalMRR):  # type: ignore[misc]
    """The reciprocal rank of the first relevant document with a positive score."""


class RetrievalPrecision(_AtOnce, of.Precision, theirs.RetrievalPrecision):  # type: ignore[misc]
    """Precision, in which documents with a score of 0 or less are not relevant."""


class RetrievalRecall(_AtOnce, of.Recall, theirs.RetrievalRecall):  # type: ignore[misc]
    """Recall, in which documents with a score of 0 or less are not found."""


class RetrievalHitRate(_AtOnce, of.HitRate, theirs.RetrievalHitRate):  # type: ignore[misc]
    """Whether a relevant document is among the first k."""


class RetrievalFallOut(_AtOnce, of.FallOutRate, theirs.RetrievalFallOut):  # type: ignore[misc]
    """The fraction of the irrelevant documents that are among the first k."""


class RetrievalRPrecision(_AtOnce, of.RPrecision, theirs.RetrievalRPrecision):  # type: ignore[misc]
    """Precision at the number of relevant documents."""


class RetrievalNormalizedDCG(
    _AtOnce,
    of.NormalizedDCG,
    theirs.RetrievalNormalizedDCG,  # type: ignore[misc]
):
    """nDCG of graded targets, averaged over all orders of tied documents."""


class RetrievalAUROC(_AtOnce, of.AUROC, theirs.RetrievalAUROC):  # type: ignore[misc]
    """The area under the ROC curve of the first k documents; 0 if all of them are relevant."""


class Metric(_Metric):  # type: ignore[misc]
    """Any measure as a metric of torchmetrics; see ``any_metric.Metric``.

    The state is a list of tensors with the scores of each batch, so that torchmetrics can gather,
    save and move it. A query that comes twice is refused when the metric is computed.

    Parameters
    ----------
    measures, aggregation, on_repeat
        As there.
    **options
        The conventions of ``evaluate``, and torchmetrics' options of all metrics.
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        aggregation: str = "mean",
        on_repeat: OnRepeat = "error",
        **options: Any,
    ) -> None:
        super().__init__(**{name: options.pop(name) for name in _OPTIONS if name in options})
        self._make = (measures, {"on_repeat": on_repeat, **options})
        self._measures = self._new().measures
        self.aggregation = aggregation
        self.add_state("batches", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better, for all measures."""
        return all(measure.more_is_better for measure in self._measures)

    def update(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> None:
        """Add a batch, as ``rankmark.compat.torchmetrics.any_metric.Metric`` takes it."""
        batch = self._new()
        add_batch(batch, preds, target, indexes, **options)
        self.batches.append(torch.frombuffer(packed(batch), dtype=torch.uint8).to(self.device))

    def compute(self) -> Any:
        """Return the value of all batches: a tensor, or a dict of tensors by measure."""
        values = values_of(self._joined().result(), self.aggregation)
        return (
            {name: self._of(value) for name, value in values.items()}
            if isinstance(values, dict)
            else self._of(values)
        )

    def result(self) -> Evaluation:
        """Return the Evaluation of all batches of all processes."""
        with self.sync_context(dist_sync_fn=self.dist_sync_fn, should_sync=self.sync_on_compute):
            return self._joined().result()

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot one value or several, as all metrics of torchmetrics do."""
        return self._plot(val, ax)

    def _new(self) -> Accumulator:
        measures, conventions = self._make
        return Accumulator(measures, **conventions)

    def _joined(self) -> Accumulator:
        parts = dim_zero_cat(self.batches) if len(self.batches) else torch.zeros(0)
        data = parts.to("cpu", torch.uint8).numpy().tobytes()
        return unpacked(data, self._new())

    def _of(self, value: float) -> Any:
        return torch.tensor(value, dtype=self.dtype, device=self.device)

    def _sync_dist(self, *args: Any, **options: Any) -> None:
        _join(self, "batches", torch.uint8)
        super()._sync_dist(*args, **options)


def _join(metric: Any, name: str, kind: torch.dtype) -> None:
    """Make one tensor of a list of them, which processes gather whatever the list's length."""
    parts = getattr(metric, name)
    empty = torch.zeros(0, dtype=kind, device=metric.device)
    setattr(metric, name, [dim_zero_cat(parts).to(kind) if len(parts) else empty])


def _tensor(values: Any) -> Any:
    """Return an array as a tensor, with indexes and targets in 64 bits."""
    if values is None or isinstance(values, torch.Tensor):
        return values
    found = torch.as_tensor(values)
    whole = not found.is_floating_point() and found.dtype is not torch.bool
    return found.long() if whole else found
