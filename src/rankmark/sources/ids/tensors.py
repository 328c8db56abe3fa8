"""Arrays and tensors of any library, as NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_array(source: object) -> bool:
    """Say whether an object is an array or a tensor, whosever it is."""
    return hasattr(type(source), "__array__") or hasattr(type(source), "__dlpack__")


def as_array(source: Any, what: str) -> NDArray[Any]:
    """Give an array or a tensor as NumPy's, without a copy where that can be.

    Raises
    ------
    SchemaError
        If its library will not have it: it is on a GPU, say.
    """
    if isinstance(source, np.ndarray):
        return source
    if getattr(source, "requires_grad", False) and hasattr(source, "detach"):
        source = source.detach()  # its values are all that is looked at
    if "bfloat16" in str(getattr(source, "dtype", "")) and hasattr(source, "float"):
        source = source.float()  # torch has no NumPy type for it
    try:
        if hasattr(source, "__array__"):
            return np.asarray(source)
        if hasattr(source, "__dlpack__"):
            return np.from_dlpack(source)
        return np.asarray(source)
    except Exception as error:  # whatever the library that made it raises
        raise SchemaError(
            f"{what}: {type(source).__name__} cannot be had as a NumPy array: {error}; "
            "bring it to the CPU: .cpu()"
        ) from error
