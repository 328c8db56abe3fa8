"""Convert arrays and tensors of any library to NumPy, also of files mapped into memory."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import ChangedError, SchemaError


def map_of(array: Any) -> mmap.mmap | None:
    """Return what maps the file of an array; None if its values are in memory."""
    while array is not None and not isinstance(array, mmap.mmap):
        array = getattr(array, "base", None)
    return array


def refuse_cut(array: np.ndarray[Any, Any], what: str) -> None:
    """Refuse a mapped array whose file no longer holds it all: to read on would end the process."""
    if array.base is None or (mapped := map_of(array)) is None or not array.size:
        return
    pairs = zip(array.shape, array.strides, strict=True)
    last = _address(array) + sum((size - 1) * step for size, step in pairs if step > 0)
    begin = _address(np.frombuffer(mapped, dtype=np.uint8, count=1))
    needed = _begin_in_file(array) + last + array.itemsize - begin
    if needed > mapped.size():
        raise ChangedError(
            f"the file of this memory-mapped array has {mapped.size():,} bytes now, and the array "
            f"needs {needed:,}",
            "write the file whole, and map it again",
            where=what,
        )


def _address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _begin_in_file(array: Any) -> int:
    """Return where in the file the map begins, which only memmap knows."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    offset = int(getattr(array, "offset", 0) or 0)
    return offset - offset % mmap.ALLOCATIONGRANULARITY


def is_array(source: object) -> bool:
    """Return True if an object is an array or a tensor of any library."""
    return hasattr(type(source), "__array__") or hasattr(type(source), "__dlpack__")


def as_array(source: Any, what: str) -> NDArray[Any]:
    """Convert an array or a tensor to NumPy, without a copy if possible.

    A tensor of torch on another device, such as a GPU, is copied to the host.
    """
    if isinstance(source, np.ndarray):
        refuse_cut(source, what)
        return source
    try:
        if hasattr(source, "detach"):  # of torch
            source = source.detach().cpu()
        if "bfloat16" in str(getattr(source, "dtype", "")) and hasattr(source, "float"):
            source = source.float()  # torch has no NumPy type for it
        if hasattr(source, "__array__"):
            return np.asarray(source)
        if hasattr(source, "__dlpack__"):
            return np.from_dlpack(source)
        return np.asarray(source)
    except Exception as error:  # whatever its library raises
        raise SchemaError(
            f"{type(source).__name__} cannot be converted to a NumPy array: {error}",
            "move it to the CPU: .cpu()",
            where=what,
        ) from error
