"""Convert labels and scores of any numeric type to doubles, and ids to text and bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import NO_NUMBER, SchemaError, noted, says_no, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source_options import Kind


def id_bytes(text: str) -> bytes:
    """Encode an id as in files; ids that were not valid UTF-8 become their original bytes."""
    return text.encode("utf-8", "surrogateescape")


def in_byte_order(ids: Sequence[str]) -> Ints:
    """Return the places of ids, lowest id first by the bytes that it has in files: (n,) int64."""
    keys = ids if "".join(ids).isascii() else [*map(id_bytes, ids)]
    return np.array(sorted(range(len(ids)), key=keys.__getitem__), dtype=np.int64)


LARGEST_WHOLE = 2**53
"""Beyond it, two whole numbers may round to the same double."""
_INEXACT = "a whole number that no double holds exactly"
_REMEDY_OF_INEXACT = {
    "run": "so that it does not tie with others, subtract a constant, or give ranks, or choose "
    "precision float32 if ties do not matter",
    "qrels": "give smaller labels",
}
_WRITTEN = r"[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity|nan)"
Place = Callable[[int], str]
"""A function that names a row, counted from 0, in messages."""


def row_from_0(row: int) -> str:
    """Name a row by its number."""
    return f"row {row} (from 0)"


def doubles(values: NDArray[Any], where: str) -> Floats:
    """Convert an array of numbers to C-contiguous float64, without a copy if it is that already."""
    if values.dtype.kind in "biuf" or np.can_cast(values.dtype, np.float64):  # bfloat16, say
        return np.require(values, np.float64, ("C", "ALIGNED", "ENSUREARRAY"))
    raise SchemaError(f"it is an array of {values.dtype}", "need real numbers", where=where)


def exact_numbers(values: NDArray[Any], where: str) -> NDArray[Any]:
    """Convert an array of numbers for the core: integers stay integers, others become doubles."""
    return native(values) if values.dtype.kind in "iu" else doubles(values, where)


def native(ids: NDArray[Any]) -> NDArray[Any]:
    """Convert an array of numbers for the core: contiguous, in this machine's byte order.

    Floats longer than doubles become doubles, which changes no whole number that is valid as an
    id.
    """
    longest = np.dtype(np.float64)
    kind = longest if ids.dtype.kind == "f" and ids.itemsize > 8 else ids.dtype.newbyteorder("=")
    return np.ascontiguousarray(ids, dtype=kind)


def written_number(text: str) -> float | None:
    """Return a number as it is written in files; None for anything else.

    Digits are ASCII, without signs between them; NaN and infinities are numbers.
    """
    return float(text) if re.fullmatch(_WRITTEN, text, re.IGNORECASE | re.ASCII) else None


def first_inexact(values: NDArray[Any]) -> int | None:
    """Return the flat position of the first whole number that no double represents, or None."""
    if values.dtype.kind not in "iu" or values.itemsize < 8 or not values.size:
        return None
    if int(values.min()) >= -LARGEST_WHOLE and int(values.max()) <= LARGEST_WHOLE:
        return None
    signed = values.dtype.kind == "i"
    whole = values.astype(np.int64 if signed else np.uint64).ravel()
    size = (np.where(whole < 0, -whole, whole) if signed else whole).view(np.uint64)
    odd = size // np.maximum(size & (~size + np.uint64(1)), np.uint64(1))  # no trailing zero bits
    lost = odd >= np.uint64(LARGEST_WHOLE)
    return int(lost.argmax()) if lost.any() else None


def inexact(value: object, kind: Kind) -> tuple[str, str]:
    """Return the message and remedy for a whole number that no double represents."""
    number = "label" if kind == "qrels" else "score"
    return f"the {number} is {value}, {_INEXACT}", _REMEDY_OF_INEXACT[kind]


def numbers_of(values: Sequence[Any], where: str, column: str, place: Place) -> NDArray[Any]:
    """Convert Python objects to doubles, or to integers if doubles cannot represent them."""
    return _numbers(values, where, column, place, whole=True)


def doubles_of(values: Sequence[Any], where: str, column: str, place: Place) -> Floats:
    """Convert Python objects to numbers, (n,) float64."""
    return _numbers(values, where, column, place, whole=False)


def _numbers(
    values: Sequence[Any], where: str, column: str, place: Place, *, whole: bool
) -> NDArray[Any]:
    numbers = _as_doubles(values, where, column, place)
    lost = _first_lost(values, numbers)
    if lost is None:
        return numbers
    if whole and all(hasattr(value, "__index__") for value in values):
        integers = np.array([index(value) for value in values])
        if integers.dtype.kind in "iu":
            return integers
    raise SchemaError(
        f"{column!r} is {shown(values[lost])}, {_INEXACT}",
        _REMEDY_OF_INEXACT["run"],
        where=f"{where}: {place(lost)}",
    )


def _first_lost(values: Sequence[Any], numbers: Floats) -> int | None:
    for row in np.flatnonzero(np.abs(numbers) >= LARGEST_WHOLE).tolist():
        value: Any = values[row]
        exact = index(value) if hasattr(value, "__index__") else value
        if exact != float(numbers[row]):
            return int(row)
    return None


def _as_doubles(values: Sequence[Any], where: str, column: str, place: Place) -> Floats:
    from array import array  # noqa: PLC0415

    try:
        if not any(map(_is_complex, values[:1])):
            return np.array(array("d", values), dtype=np.float64)
    except Exception as error:  # perhaps raised by the values' own code
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
    found = f"{column!r} contains objects that convert to numbers only sometimes"
    raise SchemaError(found, "need numbers", where=where) from failure


def id_text(value: object, largest: int = LARGEST_WHOLE) -> str | None:
    """Convert an id to text: text and UUIDs unchanged, whole numbers as digits; None otherwise.

    Invalid Unicode is not an id, nor is a whole number with more digits than Python writes, nor
    a float of ``largest`` or more, to which another whole number may have been rounded.
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
    """Convert a whole Decimal or Fraction to digits; None for anything else."""
    if not hasattr(value, "as_integer_ratio"):
        return None
    try:
        whole, parts = value.as_integer_ratio()
        return str(whole) if isinstance(whole, int) and parts == 1 else None
    except (ValueError, TypeError, OverflowError):  # no number, infinite, or of too many digits
        return None


def is_unicode(text: str) -> bool:
    """Return True if the text can be encoded as UTF-8, without lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    if _is_complex(value):
        return False
    from array import array  # noqa: PLC0415

    try:
        array("d", (value,))
    except Exception as error:
        if not says_no(error, value):
            raise
        return False
    return True


def _is_complex(value: Any) -> bool:
    """Return True for NumPy's complex scalars, whose imaginary part float() would drop."""
    return isinstance(value, np.complexfloating)
