"""Files of neighbours: .npy, .ivecs, .fvecs, .bvecs, and HDF5 as of ann-benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankmark.errors import InputError, MissingDependencyError, ParseError, shown

_VECTORS: dict[str, np.dtype[Any]] = {
    ".ivecs": np.dtype("<i4"),
    ".fvecs": np.dtype("<f4"),
    ".bvecs": np.dtype("u1"),
}
_HDF5 = (".hdf5", ".h5")
ENDINGS = (".npy", *_VECTORS, *_HDF5)
"""The endings of files that can be read."""

_LENGTH = 4  # bytes of the number before each row
_AT_ONCE = 1 << 16  # rows


class Neighbours(NamedTuple):
    """What a file holds, left in the file: (n_queries, columns) each.

    Parameters
    ----------
    table
        Ids or distances.
    distances
        The distances beside ids, which HDF5 files have; or None.
    """

    table: Any
    distances: Any = None


def read_neighbours(path: str) -> Neighbours:
    """Open a file of ids or distances; its rows are read when they are used.

    Raises
    ------
    InputError
        If it cannot be read, or its ending is unknown.
    ParseError
        If it is damaged.
    MissingDependencyError
        If it is an HDF5 file, and h5py is not installed.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(
            f"the ending {ending} does not say what the file holds"
            if ending
            else "its name has no ending that says what the file holds",
            f"need one of {', '.join(ENDINGS)}",
            where=path,
        )
    try:
        if ending in _HDF5:
            return _hdf5(path)
        return Neighbours(_npy(path) if ending == ".npy" else _vectors(path, _VECTORS[ending]))
    except FileNotFoundError:
        raise InputError("there is no such file", "check the path", where=path) from None
    except OSError as error:
        reason = error.strerror or shown(str(error))
        raise InputError(f"cannot be read: {reason}", "check the path", where=path) from None


def _npy(path: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ParseError(
            f"is not an array of numbers: {shown(str(error))}",
            "write it with numpy.save",
            where=path,
        ) from None


def _vectors(path: str, kind: np.dtype[Any]) -> Any:
    """Return the rows of a file in which each begins with its length."""
    size = Path(path).stat().st_size
    if not size:
        raise ParseError("is empty", "need rows of a length and values", where=path)
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    length = int(whole[:_LENGTH].view("<i4")[0]) if size >= _LENGTH else 0
    row = _LENGTH + length * kind.itemsize
    if length < 1 or size % row:
        raise ParseError(
            f"has {size:,} bytes, which are no rows of {length:,} values",
            "write it anew; all rows must be equally long",
            where=path,
        )
    rows = whole.reshape(-1, row)
    for start in range(0, len(rows), _AT_ONCE):
        lengths = np.ascontiguousarray(rows[start : start + _AT_ONCE, :_LENGTH]).view("<i4")[:, 0]
        other = np.flatnonzero(lengths != length)
        if len(other):
            at = int(other[0])
            raise ParseError(
                f"row {start + at} has {int(lengths[at]):,} values, and row 0 {length:,}",
                "pad the rows to one length",
                where=path,
            )
    if kind.itemsize == 1:
        return rows[:, _LENGTH:]
    # A row is a number of 4 bytes each, the first of which is its length.
    return rows.view(kind)[:, 1:]


def _hdf5(path: str) -> Neighbours:
    try:
        import h5py  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("h5py", "hdf5", "an HDF5 file", where=path) from None
    # The file is closed when nothing refers to its arrays any more.
    file = h5py.File(path, "r")
    if "neighbors" not in file:
        names = ", ".join(file) or "nothing"
        raise ParseError(
            f"has no array neighbors, but {names}", "need a file as of ann-benchmarks", where=path
        )
    return Neighbours(file["neighbors"], file.get("distances"))
