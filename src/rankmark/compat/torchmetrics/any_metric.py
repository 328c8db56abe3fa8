"""Any measure as a metric of torch, whose batches are gathered from all processes."""

from __future__ import annotations

import copy
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self, Unpack

import numpy as np

from rankmark.arguments import Flag, Text, checked
from rankmark.data.arrays.on_device import stays
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.errors import MismatchError, SchemaError
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.accumulate import Accumulator, OnRepeat
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows
from rankmark.verbs.evaluate.evaluation import Evaluation

_MATRICES = ("preds", "target", "mask")
_WITHOUT_EFFECT = {"compute_on_cpu", "compute_with_cache", "dist_sync_on_step"}


class MetricState(ABC):
    """A metric that is updated batch by batch, in one process or in several.

    If ``torch.distributed`` is initialised, ``compute`` gathers the batches of all processes, so
    all of them must call it, and all get the same number.

    Parameters
    ----------
    sync_on_compute
        Whether ``compute`` gathers the batches of all processes.
    process_group
        The processes whose batches are gathered; None for all.
    **others
        Options of torchmetrics that change no number; they are ignored.
    """

    def __init__(
        self, *, sync_on_compute: bool = True, process_group: Any = None, **others: Any
    ) -> None:
        unknown = sorted({*others} - _WITHOUT_EFFECT)
        if unknown:
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword {unknown[0]!r}")
        self.sync_on_compute = sync_on_compute
        self.process_group: Any = process_group
        self._device: Any = None  # of the last predictions; None if they were no tensor
        self.batches: list[Any] = []

    @abstractmethod
    def _batch(self, preds: Any, target: Any, indexes: Any, **options: Any) -> Any:
        """Read a batch."""

    @abstractmethod
    def _value(self, batches: list[Any]) -> Any:
        """Compute a number, or a dict of numbers."""

    def update(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> None:
        """Add a batch: scores, labels, and the index of each document's query.

        Parameters
        ----------
        preds, target, indexes
            Tensors or arrays of one shape, on any device.
        **options
            Those that the class describes.
        """
        self.batches.append(self._batch(preds, target, indexes, **options))
        torch = sys.modules.get("torch")
        is_tensor = torch is not None and isinstance(preds, torch.Tensor)
        self._device = preds.device if is_tensor else None

    def forward(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> Any:
        """Add a batch, and return the value of this batch alone, in this process."""
        self.update(preds, target, indexes, **options)
        return self._as_tensor(self._value(self.batches[-1:]))

    __call__ = forward

    def compute(self) -> Any:
        """Return the value of all batches of all processes: a tensor if predictions were."""
        return self._as_tensor(self._value(self._gathered()))

    def reset(self) -> None:
        """Forget all batches."""
        self.batches = []

    def clone(self) -> Self:
        """Copy the metric with its batches."""
        copied = copy.deepcopy(self)
        copied.process_group, copied._device = self.process_group, self._device
        return copied

    def to(self, *_device: Any, **_options: Any) -> Self:
        """Return the metric as it is: values are on the device of the predictions."""
        return self

    def merge_state(self, incoming: MetricState) -> None:
        """Add the batches of another metric of the same kind."""
        if type(incoming) is not type(self):
            raise SchemaError(
                f"this is {type(incoming).__name__}, and the metric is {type(self).__name__}",
                "merge metrics of one class",
            )
        self.batches = [*self.batches, *incoming.batches]
        if self._device is None:
            self._device = incoming._device

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the group and the device, which are of this process."""
        return vars(self) | {"process_group": None, "_device": None}

    def _gathered(self) -> list[Any]:
        torch = sys.modules.get("torch")
        if torch is None or not self.sync_on_compute:
            return self.batches
        distributed = torch.distributed
        if not (distributed.is_available() and distributed.is_initialized()):
            return self.batches
        every: list[list[Any]] = [[]] * distributed.get_world_size(self.process_group)
        distributed.all_gather_object(every, self.batches, group=self.process_group)
        return [batch for batches in every for batch in batches]

    def _as_tensor(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._as_tensor(one) for name, one in value.items()}
        if self._device is None or hasattr(value, "device"):
            return value
        torch = sys.modules["torch"]
        return torch.tensor(value, dtype=torch.float32, device=self._device)


def flat_numbers(values: Any, kind: Any = None) -> Any:
    """Return an array or a tensor of any type and device as a flat array."""
    if hasattr(values, "is_floating_point") and values.is_floating_point():
        values = values.float()
    return np.asarray(as_array(values, "the batch"), dtype=kind).ravel()


class BatchesOfScores:
    """The measures of a metric, and the scores of its batches, in whatever holds them."""

    def _choose(self, measures: Any, aggregation: str, options: dict[str, Any]) -> None:
        self._make = (measures, options)
        self.aggregation = aggregation
        self._measures = self._new().measures

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better, for all measures."""
        return all(measure.more_is_better for measure in self._measures)

    def _new(self) -> Accumulator:
        measures, options = self._make
        return Accumulator(measures, **options)

    def _batch(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> Any:
        """Score a batch: tensors, or a run and judgments in any form."""
        given = {"preds": preds, "target": target, **options}  # each is copied to the host once
        left = _MATRICES if indexes is None and stays(preds) else ()
        given |= {
            n: as_array(one, n) for n, one in given.items() if is_array(one) and n not in left
        }
        preds, target = given.pop("preds"), given.pop("target")
        if indexes is not None:
            given["groups"] = flat_numbers(indexes).astype(str)
            if hasattr(preds, "reshape") and hasattr(target, "reshape"):
                preds, target = preds.reshape(-1), target.reshape(-1)
        scored = self._new()
        scored.update(target, preds, **given)
        return _identity(scored), scored._batches

    def _joined(self, batches: Iterable[Any]) -> Evaluation:
        """Evaluate all batches.

        Raises
        ------
        MismatchError
            If they are of other measures or conventions.
        DuplicateError
            If a query comes twice, and the metric refuses that.
        """
        whole = self._new()
        for identity, batch in batches:
            if identity != _identity(whole):
                raise MismatchError(
                    f"the state of the metric is of {identity}, and the metric of "
                    f"{_identity(whole)}",
                    "create all metrics with the same arguments",
                )
            whole._batches.add(
                batch.rows(),
                batch.totals,
                batch.names,
                have_numbers=batch.have_numbers,
                last=whole._on_repeat == "last",
            )
        return whole.result()

    def _value(self, batches: Iterable[Any]) -> Any:
        """Return the value of each measure; of one measure, only its value."""
        ev = self._joined(batches)
        values = {name: ev.aggregate(name, self.aggregation) for name in ev.names}
        return values if len(values) > 1 else next(iter(values.values()))


def _identity(of: Accumulator) -> str:
    """Return what other metrics differ in, so that their states are never taken for the same."""
    names = ", ".join(map(str, of.measures))
    return f"{names} ({of.conventions}; on_repeat={of._on_repeat})"


@shows(ProfiledConventions)
class Metric(BatchesOfScores, MetricState):
    """Any measure, with the methods of torchmetrics' metrics.

    ``update(preds, target)`` takes tensors with one query a row; flat ones, with ``indexes`` of the
    same shape; or a run and judgments in any form. The options of ``Accumulator.update``, such as
    ``mask`` and ``query_ids``, follow by name. All documents of a query come in one batch, as only
    scores are kept; a query that comes twice is refused when the metric is computed.

    Parameters
    ----------
    Measures:
    measures
        One or several, as for ``evaluate``.

    Batches:
    aggregation
        ``"mean"``, also of counts and geometric means as usual, or any that
        ``Evaluation.aggregate`` takes.
    on_repeat
        What to do with a query that comes twice: ``"error"`` or ``"last"``, as for ``Accumulator``.
        Choose ``"last"`` if a sampler repeats queries to give each process as many.
    sync_on_compute, process_group
        Whether ``compute`` gathers the batches of all processes, and of which.

    Conventions:
    **conventions
        The conventions of ``evaluate``.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmark.compat.torchmetrics import Metric
    >>> metric = Metric("RR", ties="mean")
    >>> metric.update(np.array([[0.2, 0.9], [0.5, 0.5]]), np.array([[1, 0], [1, 0]]))
    >>> float(metric.compute())
    0.625
    """

    @checked
    @shows(ProfiledConventions)
    def __init__(
        self,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        aggregation: Text = "mean",
        on_repeat: OnRepeat = "error",
        sync_on_compute: Flag = True,
        process_group: Any = None,
        **conventions: Unpack[ProfiledConventions],
    ) -> None:
        self._choose(measures, aggregation, {"on_repeat": on_repeat, **conventions})
        super().__init__(sync_on_compute=sync_on_compute, process_group=process_group)

    def result(self) -> Evaluation:
        """Return the Evaluation of all batches of all processes."""
        return self._joined(self._gathered())
