"""True and found neighbours: arrays or files of them, checked whole, read by blocks of rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import numpy as np

from rankmark.arguments import Kind
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.errors import InputError, MissingDependencyError, ParseError, SchemaError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats
    from rankmark.data.alignment.ranking_pairs import Ids

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
    """Open a file of ids or distances; its rows are read when they are used."""
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


Nearest = Literal["smallest", "largest"]

_BLOCK = 1 << 20  # ids a block, so that what is converted takes some tens of megabytes
_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some rows, ready to be counted.

    Parameters
    ----------
    start
        The number of the first row.
    true_ids, ids
        (rows, columns), of one type, contiguous.
    true_distances, distances
        (rows, columns) float64, rising with the distance, NaN in empty places; or None.
    """

    start: int
    true_ids: Ids
    ids: Ids
    true_distances: Floats | None
    distances: Floats | None


class NeighbourArrays:
    """True and found neighbours of Q queries, with or without distances.

    Arrays stay where they are, in memory or in files; ``blocks`` converts some rows at a time.
    """

    def __init__(
        self,
        true_ids: Any,
        ids: Any,
        true_distances: Any,
        distances: Any,
        *,
        k: int,
        padding: int | None,
        nearest: Nearest,
    ) -> None:
        self.true_ids = _table("true_ids", true_ids, "iu")
        self.ids = _table("ids", ids, "iu")
        self.queries = self.true_ids.shape[0]
        self.k = k
        self.padding = padding
        self.nearest = nearest
        self._sign = 1.0 if nearest == "smallest" else -1.0
        if self.ids.shape[0] != self.queries:
            raise SchemaError(
                f"true_ids has {self.queries:,} rows and ids {self.ids.shape[0]:,}",
                "need a row for each query, in the same order",
            )
        if not self.queries:
            raise InputError("true_ids has no rows", "need at least one query")
        columns = self.true_ids.shape[1]
        if columns < k:
            raise SchemaError(
                f"true_ids has {columns:,} columns, and k is {k:,}",
                f"give k true neighbours a query, padded where there are fewer, or k={columns}"
                if columns
                else "give k true neighbours a query, padded where there are fewer",
            )
        self.true_distances = self._distances("true_distances", true_distances, "true_ids")
        self.distances = self._distances("distances", distances, "ids")
        if self.distances is not None and self.true_distances is None:
            raise InputError(
                "distances are given without true_distances",
                "give both: a neighbour is near enough if the k-th true one is not nearer",
            )

    def _distances(self, name: str, given: Any, beside: str) -> Any:
        if given is None:
            return None
        table, ids = _table(name, given, "fiu"), getattr(self, beside)
        if tuple(table.shape) != tuple(ids.shape):
            raise SchemaError(
                f"{name} has the shape {_shape(table)}, and {beside} {_shape(ids)}",
                "need a distance for each id",
            )
        return table

    def padding_in(self, kind: np.dtype[Any]) -> int | None:
        """Return the id of empty places, or None if ids of this type cannot be it."""
        limits = np.iinfo(kind)
        fits = self.padding is not None and limits.min <= self.padding <= limits.max
        return self.padding if fits else None

    def blocks(self) -> Iterator[Block]:
        """Yield the rows in order, checking distances on the way."""
        widest = max(self.true_ids.shape[1], self.ids.shape[1], 1)
        rows = max(_BLOCK // widest, 1)
        for start in range(0, self.queries, rows):
            part = slice(start, min(start + rows, self.queries))
            true_ids, ids = _alike(
                _rows("true_ids", self.true_ids, part), _rows("ids", self.ids, part)
            )
            true_distances = self._read("true_distances", self.true_distances, part, true_ids)
            if true_distances is not None:
                self._refuse_unsorted(true_distances, start)
            distances = self._read("distances", self.distances, part, ids)
            yield Block(start, true_ids, ids, true_distances, distances)

    def _read(self, name: str, table: Any, part: slice, ids: Ids) -> Floats | None:
        """Return distances that rise, with NaN in empty places."""
        if table is None:
            return None
        values = self._sign * _rows(name, table, part).astype(np.float64)
        wrong = ~np.isfinite(values)
        if self.padding is not None:
            empty = ids == self.padding
            wrong &= ~empty
            values[empty] = np.nan
        if wrong.any():
            row, column = (int(at[0]) for at in np.nonzero(wrong))
            value = self._sign * values[row, column]
            raise InputError(
                f"{name} is {value:g} in row {part.start + row}, column {column}",
                "need finite distances; where nothing was found, the id must be the padding",
            )
        return values

    def _refuse_unsorted(self, distances: Floats, start: int) -> None:
        """Refuse rows of true distances that do not begin with the nearest."""
        # What was nearest so far, over empty places.
        furthest = np.fmax.accumulate(distances, axis=1)
        falls = distances[:, 1:] < furthest[:, :-1]
        if falls.any():
            row, column = (int(at[0]) for at in np.nonzero(falls))
            before = self._sign * furthest[row, column]
            after = self._sign * distances[row, column + 1]
            other = "largest" if self._sign > 0 else "smallest"
            raise InputError(
                f"true_distances go from {before:g} to {after:g} in row {start + row}, column "
                f"{column + 1}, and so are not in the order of the neighbours",
                f'sort each row by distance; for similarities, give nearest="{other}"'
                if other == "largest"
                else f'sort each row by similarity; for distances, give nearest="{other}"',
            )


def _tolerance(name: str, given: Any) -> float:
    is_number = isinstance(given, (int, float, np.integer, np.floating))
    if not is_number or isinstance(given, bool) or not 0 <= given <= sys.float_info.max:
        raise InputError(f"{name} is {shown(given)}", "need a finite number from 0")
    return float(given)


def _padding(name: str, given: Any) -> int:
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, np.integer)):
        raise InputError(f"{name} is {shown(given)}", "need a whole number, or None for none")
    return int(given)


Tolerance = Annotated[float, Kind(_tolerance)]
Padding = Annotated[int, Kind(_padding)]
"""The id of empty places."""


def _table(name: str, given: Any, kinds: str) -> Any:
    """Return an array of two dimensions and of a type that fits."""
    table = given
    if not isinstance(getattr(given, "dtype", None), np.dtype) or not hasattr(given, "shape"):
        try:
            table = as_array(given, name) if is_array(given) else np.asarray(given)
        except (TypeError, ValueError, RuntimeError) as error:
            raise SchemaError(
                f"{name} is not an array: {shown(str(error))}",
                "need rows of equal length, padded with -1 where neighbours are missing",
            ) from None
    what = "whole numbers" if "f" not in kinds else "numbers"
    if len(table.shape) != 2:
        raise SchemaError(
            f"{name} has the shape {_shape(table)}",
            "need two dimensions, a row for each query; one query is [[...]]",
        )
    if table.dtype.kind not in kinds and table.shape[0] and table.shape[1]:
        raise SchemaError(f"{name} has the type {table.dtype}", f"need {what}")
    return table


def _shape(table: Any) -> str:
    return "x".join(map(str, table.shape)) or "of a single value"


def _rows(name: str, table: Any, part: slice) -> NDArray[Any]:
    """Read some rows."""
    try:
        return np.asarray(table[part])
    except OSError as error:
        raise InputError(
            f"{name} cannot be read: {shown(str(error))}", "check the file and its disk"
        ) from None


def _alike(true_ids: NDArray[Any], ids: NDArray[Any]) -> tuple[Ids, Ids]:
    """Return two arrays as int32 if both are, else as int64."""
    are_short = true_ids.dtype == ids.dtype == np.int32
    kind: np.dtype[Any] = np.dtype(np.int32 if are_short else np.int64)
    return _as_ids("true_ids", true_ids, kind), _as_ids("ids", ids, kind)


def _as_ids(name: str, values: NDArray[Any], kind: np.dtype[Any]) -> Any:
    if values.dtype == np.uint64 and values.size and int(values.max()) > _LARGEST:
        raise InputError(
            f"{name} holds {int(values.max())}", f"need ids up to {_LARGEST}, which int64 holds"
        )
    return np.require(values, kind, ["C", "A"])
