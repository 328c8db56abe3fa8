"""Convert arrays and tensors of any library to NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.ids.mapped_files import refuse_cut
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_array(source: object) -> bool:
    """Return True if an object is an array or a tensor of any library."""
    return hasattr(type(source), "__array__") or hasattr(type(source), "__dlpack__")


def as_array(source: Any, what: str) -> NDArray[Any]:
    """Convert an array or a tensor to NumPy, without a copy if possible.

    A tensor of torch on another device, such as a GPU, is copied to the host.

    Raises
    ------
    SchemaError
        If its library cannot convert it.
    ChangedError
        If it is in a mapped file that is too short by now.
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
