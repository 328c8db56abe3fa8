"""Sparse matrices: stored entries are judged, or retrieved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import table_from_columns
from rankmark.data.arrays.item_numbers import FOR_CORE, LARGEST
from rankmark.data.contract.places import Cell, Places, Positional
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Judged
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import exact_numbers, first_inexact
from rankmark.data.ids.tensors import as_array
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import TableSource
from rankmark.errors import SchemaError

_NAME = "<sparse matrix>"


def is_sparse(source: object) -> bool:
    """Return True if an object is a sparse matrix or array of SciPy or a sparse torch tensor."""
    return _is_tensor(source) or all(
        hasattr(type(source), name) for name in ("tocsr", "tocoo", "nnz")
    )


def from_sparse(matrix: Any, kind: Kind, options: SourceOptions) -> TableSource:
    """Read a matrix of queries x items: a stored zero is judged not relevant, or a score of 0.

    A row without entries is a query, too, with nothing judged or retrieved.
    """
    options.only("a sparse matrix")
    if _is_tensor(matrix):
        return _source(*_of_tensor(matrix, kind), kind)
    if matrix.ndim != 2:
        raise SchemaError(f"{kind} is a sparse array of {matrix.ndim} dimension", "need 2")
    if matrix.format == "coo":  # converting it to CSR would add up duplicates
        rows, columns, data = matrix.row, matrix.col, matrix.data
    elif matrix.format in {"csr", "csc"}:
        where = f"{kind} {_NAME}"
        if matrix.format == "csc":
            parts = _entries(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1], where)
            columns, rows, data = parts
            _refuse_outside(rows, columns, data, matrix.shape, where)  # tocsr() does not look
            matrix = matrix.tocsr()
        parts = _entries(matrix.indptr, matrix.indices, matrix.data, matrix.shape[0], where)
        rows, columns, data = parts
    else:
        raise SchemaError(
            f"{kind} is a sparse matrix in format {matrix.format}",
            "need csr, csc or coo: convert it with tocsr(), and check that this adds no zeros",
        )
    return _source(rows, columns, data, matrix.shape, kind)


def _is_tensor(source: object) -> bool:
    return hasattr(type(source), "crow_indices") and str(source.layout).startswith("torch.sparse")  # type: ignore[attr-defined]


def _of_tensor(tensor: Any, kind: Kind) -> tuple[Any, Any, Any, tuple[int, ...]]:
    """Return rows, columns, values and shape, with duplicate entries kept."""
    if tensor.ndim != 2:
        raise SchemaError(
            f"it is a sparse tensor of {tensor.ndim} dimensions", "need 2", where=f"{kind} {_NAME}"
        )
    layout, tensor = str(tensor.layout), tensor.detach()
    where = f"{kind} {_NAME}"
    if layout == "torch.sparse_coo":  # coalesce() would add up duplicates
        (rows, columns), data = as_array(tensor._indices(), kind), tensor._values()
    elif layout in {"torch.sparse_csr", "torch.sparse_csc"}:
        by_row = layout.endswith("csr")
        inner = tensor.col_indices() if by_row else tensor.row_indices()
        starts = tensor.crow_indices() if by_row else tensor.ccol_indices()
        starts, inner, data = (as_array(part, kind) for part in (starts, inner, tensor.values()))
        size = tensor.shape[0 if by_row else 1]
        outer, inner, data = _entries(starts, inner, data, size, where)
        rows, columns = (outer, inner) if by_row else (inner, outer)
    else:
        raise SchemaError(
            f"{kind} is a tensor of layout {layout}", "convert it with to_sparse_csr()"
        )
    return rows, columns, as_array(data, kind), tuple(tensor.shape)


def _entries(
    starts: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], size: int, where: str
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the compressed row or column, the other one and the value of each stored entry."""
    if np.ndim(starts) != 1 or np.ndim(indices) != 1 or np.ndim(data) != 1:
        raise _broken("its index pointer, indices or data are not arrays of one dimension", where)
    counts = np.diff(starts)
    stored = int(starts[-1]) if len(counts) == size and starts[0] == 0 else -1
    if stored < 0 or (counts < 0).any() or stored > min(len(indices), len(data)):
        raise _broken("its index pointer does not rise from 0 to its entries", where)
    return np.repeat(np.arange(size), counts), indices[:stored], data[:stored]


def _refuse_outside(
    rows: NDArray[Any],
    columns: NDArray[Any],
    data: NDArray[Any],
    shape: tuple[int, ...],
    where: str,
) -> None:
    if not len(rows) == len(columns) == len(data):
        raise _broken("it has other numbers of rows, columns and values", where)
    for name, places, size in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if len(places) and not (places.min() >= 0 and places.max() < size):
            at = int(((places < 0) | (places >= size)).argmax())
            raise _broken(f"an entry is in {name} {places[at]} (from 0) of {size}", where)


def _broken(found: str, where: str) -> SchemaError:
    return SchemaError(found, "make the matrix anew", where=where)


def _source(
    rows: NDArray[Any],
    columns: NDArray[Any],
    data: NDArray[Any],
    shape: tuple[int, ...],
    kind: Kind,
) -> TableSource:
    _refuse_outside(rows, columns, data, shape, f"{kind} {_NAME}")
    number = "label" if kind == "qrels" else "score"
    numbers = exact_numbers(data, kind)
    table = table_from_columns(
        ["query_id", "doc_id", number],
        [np.ascontiguousarray(rows), np.ascontiguousarray(columns), numbers],
        shape[0],
    )
    source = (SparseQrels if kind == "qrels" else TableSource)(
        table,
        Chosen(0, 1, 2, None),
        kind,
        name=_NAME,
        form={"form": "sparse matrix", "shape": list(shape), "stored": len(data)},
        place=Cell(rows, columns),
        shape=tuple(shape),
    )
    if isinstance(source, SparseQrels):
        source.rows_of_entries, source.columns, source.data = rows, columns, data
    return source


class SparseQrels(TableSource):
    """Judgments in a sparse matrix: by number if its entries are sorted and none appears twice."""

    rows_of_entries: NDArray[Any]
    columns: NDArray[Any]
    data: NDArray[Any]

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        positional = self._by_number()
        if positional is None:
            return super().read_qrels(reading)
        places = positional.places
        return Judged(
            None, places.query_ids, len(self.data), shape=places.shape, positional=positional
        )

    def keep(self) -> None:
        """Copy what the caller may change."""
        super().keep()
        self.rows_of_entries, self.columns = self.rows_of_entries.copy(), self.columns.copy()
        self.data = self.data.copy()

    def _by_number(self) -> Positional | None:
        """Return the judgments by place; None if the core has to read them, and refuse some."""
        rows, columns, data = self.rows_of_entries, self.columns, self.data
        queries, items = self._shape or (0, 0)
        if not queries or items > LARGEST or data.dtype.kind not in "biuf" or data.itemsize > 8:
            return None
        step = np.diff(rows)
        if (step < 0).any() or (np.diff(columns)[step == 0] <= 0).any():
            return None
        labels = np.require(data, np.float64, FOR_CORE)
        if first_inexact(data) is not None or not np.isfinite(labels).all():
            return None
        counts = np.bincount(rows, minlength=queries)
        starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        places = Places(
            starts, tuple(map(str, range(queries))), (queries, items), columns.astype(np.int32)
        )
        return Positional(labels, places, sparse=True)
