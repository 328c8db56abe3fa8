"""What metrics of torch have in common: a state that is updated, computed from, and gathered."""

from __future__ import annotations

import copy
import sys
from abc import ABC, abstractmethod
from typing import Any, Generic, Self, TypeVar

import numpy as np

from rankmark.errors import SchemaError

T = TypeVar("T")
_WITHOUT_EFFECT = {"compute_on_cpu", "compute_with_cache", "dist_sync_on_step"}


class MetricState(ABC, Generic[T]):
    """A metric that is updated batch by batch, in one process or in several.

    If ``torch.distributed`` is initialised, ``compute`` gathers the states of all processes, so
    all of them must call it, and all get the same number.

    Parameters
    ----------
    sync_on_compute
        Whether ``compute`` gathers the states of all processes.
    process_group
        The processes whose states are gathered; None for all.
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
        self._state = self._new()

    @abstractmethod
    def _new(self) -> T:
        """Return the state before the first batch."""

    @abstractmethod
    def _add(self, state: T, preds: Any, target: Any, indexes: Any, **options: Any) -> None:
        """Add a batch to a state."""

    @abstractmethod
    def _joined(self, states: list[T]) -> T:
        """Return one state for those of several processes, in the order of their ranks."""

    @abstractmethod
    def _value(self, state: T) -> Any:
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
        self._add(self._state, preds, target, indexes, **options)
        self._device = _device_of(preds)

    def forward(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> Any:
        """Add a batch, and return the value of this batch alone, in this process."""
        alone = self._new()
        self._add(alone, preds, target, indexes, **options)
        self.update(preds, target, indexes, **options)
        return self._as_tensor(self._value(alone))

    __call__ = forward

    def compute(self) -> Any:
        """Return the value of all batches of all processes: a tensor if predictions were."""
        return self._as_tensor(self._value(self._gathered()))

    def reset(self) -> None:
        """Forget all batches."""
        self._state = self._new()

    def clone(self) -> Self:
        """Copy the metric with its batches."""
        return copy.deepcopy(self)._of_this_process(self)

    def to(self, *_device: Any, **_options: Any) -> Self:
        """Return the metric as it is: values are on the device of the predictions."""
        return self

    def merge_state(self, incoming: MetricState[T]) -> None:
        """Add the batches of another metric of the same kind."""
        if type(incoming) is not type(self):
            raise SchemaError(
                f"this is {type(incoming).__name__}, and the metric is {type(self).__name__}",
                "merge metrics of one class",
            )
        self._state = self._joined([self._state, incoming._state])
        if self._device is None:
            self._device = incoming._device

    def _of_this_process(self, other: MetricState[T]) -> Self:
        """Take over from another metric what is left out of its state."""
        self.process_group = other.process_group
        self._device = other._device
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the group and the device, which are of this process."""
        return vars(self) | {"process_group": None, "_device": None}

    def _gathered(self) -> T:
        torch = sys.modules.get("torch")
        if torch is None or not self.sync_on_compute:
            return self._state
        distributed = torch.distributed
        if not (distributed.is_available() and distributed.is_initialized()):
            return self._state
        states = [self._state] * distributed.get_world_size(self.process_group)
        distributed.all_gather_object(states, self._state, group=self.process_group)
        return self._joined(states)

    def _as_tensor(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._as_tensor(one) for name, one in value.items()}
        if self._device is None or hasattr(value, "device"):
            return value
        torch = sys.modules["torch"]
        return torch.tensor(value, dtype=torch.float32, device=self._device)


def _device_of(preds: Any) -> Any:
    torch = sys.modules.get("torch")
    return preds.device if torch is not None and isinstance(preds, torch.Tensor) else None


def flat_numbers(values: Any, kind: Any = None) -> Any:
    """Return an array or a tensor of any type and device as a flat array."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.float().numpy() if values.is_floating_point() else values.numpy()
    return np.asarray(values, dtype=kind).ravel()
