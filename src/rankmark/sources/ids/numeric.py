"""Labels and scores of any numeric type as doubles, and ids as text; text is never a number."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import NO_NUMBER, SchemaError, noted, says_no, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats
    from rankmark.sources.contract.source_options import Kind

LARGEST_WHOLE = 2**53
"""From there on, two whole numbers may be one double."""
_INEXACT = "a whole number that no double holds exactly"
_REMEDY_OF_INEXACT = {
    "run": "so that it does not tie with others, subtract a constant, or give ranks, or choose "
    "precision float32 if ties do not matter",
    "qrels": "give smaller labels",
}
Place = Callable[[int], str]
"""How messages call a row, counted from 0."""


def row_from_0(row: int) -> str:
    """Call a row as frames and lists number it."""
    return f"row {row} (from 0)"


def doubles(values: NDArray[Any], where: str) -> Floats:
    """Give an array of numbers as C-contiguous float64 of the same shape; itself where it is one.

    Raises
    ------
    SchemaError
        If it holds something else than real numbers.
    """
    if values.dtype.kind in "biuf" or np.can_cast(values.dtype, np.float64):  # bfloat16, say
        return np.require(values, np.float64, ("C", "ALIGNED", "ENSUREARRAY"))
    raise SchemaError(f"{where} is an array of {values.dtype}; need real numbers")


def native(ids: NDArray[Any]) -> NDArray[Any]:
    """Give an array of numbers as the core takes it: in this machine's byte order, and contiguous.

    Floats longer than doubles become doubles, which changes no whole number that is taken for an
    id.
    """
    longest = np.dtype(np.float64)
    kind = longest if ids.dtype.kind == "f" and ids.itemsize > 8 else ids.dtype.newbyteorder("=")
    return np.ascontiguousarray(ids, dtype=kind)


def first_inexact(values: NDArray[Any]) -> int | None:
    """Find the first whole number of an array, read flat, that no double holds."""
    if values.dtype.kind not in "iu" or values.itemsize < 8 or not values.size:
        return None
    if int(values.min()) >= -LARGEST_WHOLE and int(values.max()) <= LARGEST_WHOLE:
        return None
    signed = values.dtype.kind == "i"
    whole = values.astype(np.int64 if signed else np.uint64).ravel()
    size = (np.where(whole < 0, -whole, whole) if signed else whole).view(np.uint64)
    odd = size // np.maximum(size & (~size + np.uint64(1)), np.uint64(1))  # no zeros behind
    lost = odd >= np.uint64(LARGEST_WHOLE)
    return int(lost.argmax()) if lost.any() else None


def inexact(value: object, kind: Kind) -> tuple[str, str]:
    """Say that a number is whole and that doubles do not hold it, and what to do."""
    number = "label" if kind == "qrels" else "score"
    return f"the {number} is {value}, {_INEXACT}", _REMEDY_OF_INEXACT[kind]


def numbers_of(values: Sequence[Any], where: str, column: str, place: Place) -> NDArray[Any]:
    """Give Python objects as doubles; as the whole numbers they are, if doubles do not hold them.

    Raises
    ------
    SchemaError
        If one of them is no number, or is whole and held by neither; the message names its row.
    """
    numbers = _as_doubles(values, where, column, place)
    lost = _first_lost(values, numbers)
    if lost is None:
        return numbers
    if all(hasattr(value, "__index__") for value in values):
        whole = np.array([index(value) for value in values])
        if whole.dtype.kind in "iu":
            return whole
    raise SchemaError(
        f"{column!r} is {shown(values[lost])}, {_INEXACT}",
        _REMEDY_OF_INEXACT["run"],
        where=f"{where}: {place(lost)}",
    )


def doubles_of(values: Sequence[Any], where: str, column: str, place: Place) -> Floats:
    """Give Python objects as numbers, (n,) float64.

    Raises
    ------
    SchemaError
        If one of them is none, or no double holds it; the message names its row.
    """
    numbers = _as_doubles(values, where, column, place)
    lost = _first_lost(values, numbers)
    if lost is None:
        return numbers
    raise SchemaError(
        f"{column!r} is {shown(values[lost])}, {_INEXACT}",
        _REMEDY_OF_INEXACT["run"],
        where=f"{where}: {place(lost)}",
    )


def _first_lost(values: Sequence[Any], numbers: Floats) -> int | None:
    for row in np.flatnonzero(np.abs(numbers) >= LARGEST_WHOLE).tolist():
        value: Any = values[row]
        held = index(value) if hasattr(value, "__index__") else value
        if held != float(numbers[row]):
            return int(row)
    return None


def _as_doubles(values: Sequence[Any], where: str, column: str, place: Place) -> Floats:
    try:
        if not any(map(_is_complex, values[:1])):
            return np.array(array("d", values), dtype=np.float64)
    except Exception as error:  # of its own code, perhaps
        failure: Exception | None = error
    else:
        failure = None
    for row, value in enumerate(values):
        with noted(f"{where}: {place(row)}: {column!r}"):
            is_number = _is_number(value)
        if not is_number:
            raise SchemaError(
                f"{column!r} is {shown(value)}", "need a number", where=f"{where}: {place(row)}"
            ) from None
    if failure is not None and not isinstance(failure, NO_NUMBER):
        raise failure
    found = f"{column!r} holds objects that are numbers only at times"
    raise SchemaError(found, "need numbers", where=where) from failure


def id_text(value: object, largest: int = LARGEST_WHOLE) -> str | None:
    """Write an id as text: text and UUIDs as they are, whole numbers as digits; else None.

    Text that is no Unicode is none, and a whole number of more digits than Python writes.
    A float of ``largest`` or more is none, as another whole number may have been rounded to it.
    """
    if isinstance(value, str):
        return str(value) if is_unicode(value) else None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < largest else None
    if isinstance(value, bool):
        return None
    if not hasattr(value, "__index__"):
        return str(value) if hasattr(value, "time_hi_version") else _whole_decimal(value)  # a UUID
    try:
        return str(int(value))
    except NO_NUMBER:  # more digits than Python writes
        return None


def _whole_decimal(value: Any) -> str | None:
    """Write a decimal or a fraction that is a whole number; None for anything else."""
    if not hasattr(value, "as_integer_ratio"):
        return None
    try:
        whole, parts = value.as_integer_ratio()
        return str(whole) if parts == 1 else None
    except (ValueError, OverflowError):  # not a number, infinite, or of too many digits
        return None


def is_unicode(text: str) -> bool:
    """Say whether a text can be written as UTF-8: no half of a surrogate pair stands alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def id_bytes(text: str) -> bytes:
    """Give an id as files have it; ids of files that are no UTF-8 become the bytes they were."""
    return text.encode("utf-8", "surrogateescape")


def _is_number(value: Any) -> bool:
    if _is_complex(value):
        return False
    try:
        array("d", (value,))
    except Exception as error:
        if not says_no(error, value):
            raise
        return False
    return True


def _is_complex(value: Any) -> bool:
    """Say whether it is a complex scalar, of which NumPy's would drop the imaginary part."""
    return isinstance(value, np.complexfloating)
