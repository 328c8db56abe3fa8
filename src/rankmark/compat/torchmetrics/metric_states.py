"""What metrics have in common where torchmetrics is not installed: batches that are gathered."""

from __future__ import annotations

import copy
import sys
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from rankmark.data.ids.tensors import as_array
from rankmark.errors import SchemaError

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
