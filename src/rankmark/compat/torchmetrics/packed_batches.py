"""The batches of an Accumulator as bytes, which tensors hold: those of several can be joined."""

from __future__ import annotations

import pickle
from io import BytesIO
from typing import Any

from rankmark.errors import MismatchError
from rankmark.evaluating.accumulate import Accumulator

_OURS = {
    "rankmark.evaluating.batches": {"Batches"},
    "rankmark.evaluating.batch_totals": {"BatchTotals", "BatchedSource", "Grades"},
    "rankmark.evaluating.query_rows": {"QueryRows"},
    "numpy": {"dtype", "ndarray"},
    "builtins": {"frozenset", "set"},
    "_codecs": {"encode"},
}
_ARRAYS = {"_reconstruct", "_frombuffer", "scalar"}


def packed(batch: Accumulator) -> bytearray:
    """Return the batches of an accumulator as bytes."""
    return bytearray(pickle.dumps((_identity(batch), batch._batches)))


def unpacked(data: bytes, into: Accumulator) -> Accumulator:
    """Add packed batches, one after the other, to an accumulator, and return it.

    Raises
    ------
    MismatchError
        If they are of other measures or conventions.
    DuplicateError
        If a query comes twice, and the accumulator refuses that.
    pickle.UnpicklingError
        If the bytes contain anything else.
    """
    stream = BytesIO(data)
    last = into._on_repeat == "last"
    while stream.tell() < len(data):
        identity, batches = _Unpickler(stream).load()
        if identity != _identity(into):
            raise MismatchError(
                f"the state of the metric is of {identity}, and the metric of {_identity(into)}",
                "create all metrics with the same arguments",
            )
        numbers = batches.have_numbers
        into._batches.add(
            batches.rows(), batches.totals, batches.names, have_numbers=numbers, last=last
        )
    return into


def _identity(of: Accumulator) -> str:
    """Return what other metrics differ in, so that their states are never taken for the same."""
    names = ", ".join(map(str, of.measures))
    return f"{names} ({of.conventions}; on_repeat={of._on_repeat})"


class _Unpickler(pickle.Unpickler):
    """Reads scores and counts, and no code: a saved state may come from anywhere."""

    def find_class(self, module: str, name: str) -> Any:
        is_array = module.startswith(("numpy._core.", "numpy.core.")) and name in _ARRAYS
        if not is_array and name not in _OURS.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is in no state of a metric")
        return super().find_class(module, name)
