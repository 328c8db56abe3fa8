"""torchmetrics' own retrieval metrics, whose values rankmark computes, and any other measure."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

import torch
from torchmetrics import Metric as _Metric
from torchmetrics import retrieval as theirs
from torchmetrics.retrieval.base import _retrieval_aggregate
from torchmetrics.utilities.data import dim_zero_cat

from rankmark.compat.torchmetrics import retrieval_metrics as ours
from rankmark.compat.torchmetrics.any_metric import BatchesOfScores, flat_numbers
from rankmark.compat.torchmetrics.retrieval_metrics import (
    METRICS,
    __all__,  # noqa: F401
    query_values,
)
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.accumulate import OnRepeat
from rankmark.verbs.evaluate.evaluation import Evaluation

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
        found = query_values(self, flat_numbers(query), flat_numbers(preds), label)
        values = torch.as_tensor(found).to(preds)
        if not len(values):
            return torch.tensor(0.0).to(preds)
        return _retrieval_aggregate(values, self.aggregation)

    def _sync_dist(self: Any, *args: Any, **options: Any) -> None:
        """Gather the batches of all processes, of which each may have any number, or none."""
        for name, kind in zip(_COLUMNS, (torch.long, torch.float32, torch.float32), strict=True):
            _join(self, name, kind)
        super()._sync_dist(*args, **options)  # type: ignore[misc]


for _name in METRICS:
    _parts = {"__doc__": getattr(ours, _name).__doc__, "__module__": __name__}
    globals()[_name] = type(_name, (_AtOnce, getattr(theirs, _name)), _parts)


class Metric(BatchesOfScores, _Metric):  # type: ignore[misc]
    """Any measure, with the methods of torchmetrics' metrics.

    It is a metric of torchmetrics; see ``any_metric.Metric`` for what it takes. The state is a list
    of tensors with the scores of each batch, so that torchmetrics can gather, save and move it.

    Parameters
    ----------
    measures, aggregation, on_repeat
        As there.
    **options
        The conventions of ``evaluate``, and torchmetrics' options of all metrics.
    """

    if TYPE_CHECKING:  # TorchScript reads annotations, and knows few types
        batches: Any
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
        self._choose(measures, aggregation, {"on_repeat": on_repeat, **options})
        self.add_state("batches", default=[], dist_reduce_fx="cat")

    def update(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> None:
        """Add a batch, as ``rankmark.compat.torchmetrics.any_metric.Metric`` takes it."""
        data = packed(self._batch(preds, target, indexes, **options))
        self.batches.append(torch.frombuffer(data, dtype=torch.uint8).to(self.device))

    def compute(self) -> Any:
        """Return the value of all batches: a tensor, or a dict of tensors by measure."""
        values = self._value(self._unpacked())
        if isinstance(values, dict):
            return {name: self._of(value) for name, value in values.items()}
        return self._of(values)

    def result(self) -> Evaluation:
        """Return the Evaluation of all batches of all processes."""
        with self.sync_context(dist_sync_fn=self.dist_sync_fn, should_sync=self.sync_on_compute):
            return self._joined(self._unpacked())

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot one value or several, as all metrics of torchmetrics do."""
        return self._plot(val, ax)

    def _unpacked(self) -> Any:
        parts = dim_zero_cat(self.batches) if len(self.batches) else torch.zeros(0)
        return unpacked(parts.to("cpu", torch.uint8).numpy().tobytes())

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


_OURS = {
    "rankmark.verbs.evaluate.batches": {"Batches"},
    "rankmark.verbs.evaluate.batch_totals": {"BatchTotals", "BatchedSource", "Grades"},
    "rankmark.verbs.evaluate.query_rows": {"QueryRows"},
    "numpy": {"dtype", "ndarray"},
    "builtins": {"frozenset", "set"},
    "_codecs": {"encode"},
}
_ARRAYS = {"_reconstruct", "_frombuffer", "scalar"}


def packed(batch: Any) -> bytearray:
    """Return a batch as bytes."""
    return bytearray(pickle.dumps(batch))


def unpacked(data: bytes) -> Iterator[Any]:
    """Give the batches that were packed one after the other.

    Raises
    ------
    pickle.UnpicklingError
        If the bytes contain anything else.
    """
    stream = BytesIO(data)
    while stream.tell() < len(data):
        yield _Unpickler(stream).load()


class _Unpickler(pickle.Unpickler):
    """Reads scores and counts, and no code: a saved state may come from anywhere."""

    def find_class(self, module: str, name: str) -> Any:
        is_array = module.startswith(("numpy._core.", "numpy.core.")) and name in _ARRAYS
        if not is_array and name not in _OURS.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is in no state of a metric")
        return super().find_class(module, name)
