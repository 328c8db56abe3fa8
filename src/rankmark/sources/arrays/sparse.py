"""Sparse matrices: stored entries are judged, or retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _core
from rankmark.errors import SchemaError
from rankmark.sources.arrays.item_numbers import SparseQrels
from rankmark.sources.contract.places import Cell
from rankmark.sources.ids.numeric import exact_numbers
from rankmark.sources.ids.tensors import as_array
from rankmark.sources.tables.columns import Chosen
from rankmark.sources.tables.table import TableSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.sources.contract.source_options import Kind, SourceOptions

_NAME = "<sparse matrix>"


def is_sparse(source: object) -> bool:
    """Return True if an object is a sparse matrix or array of SciPy or a sparse torch tensor."""
    return _is_tensor(source) or all(
        hasattr(type(source), name) for name in ("tocsr", "tocoo", "nnz")
    )


def from_sparse(matrix: Any, kind: Kind, options: SourceOptions) -> TableSource:
    """Read a matrix of queries x items: a stored zero is judged not relevant, or a score of 0.

    A row without entries is a query, too, with nothing judged or retrieved.

    Raises
    ------
    SchemaError
        If it does not have two dimensions, or is not in CSR, CSC or COO format.
    """
    options.only("a sparse matrix")
    if _is_tensor(matrix):
        return _source(*_of_tensor(matrix, kind), kind)
    if matrix.ndim != 2:
        raise SchemaError(f"{kind} is a sparse array of {matrix.ndim} dimension", "need 2")
    if matrix.format == "coo":  # converting it to CSR would add up duplicates
        rows, columns, data = matrix.row, matrix.col, matrix.data
    elif matrix.format in {"csr", "csc"}:
        matrix = matrix.tocsr()
        rows = _repeated(matrix.indptr)
        columns, data = matrix.indices, matrix.data
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
    if layout == "torch.sparse_coo":  # coalesce() would add up duplicates
        (rows, columns), data = as_array(tensor._indices(), kind), tensor._values()
    elif layout == "torch.sparse_csr":
        starts, columns = tensor.crow_indices(), as_array(tensor.col_indices(), kind)
        rows, data = _repeated(as_array(starts, kind)), tensor.values()
    elif layout == "torch.sparse_csc":
        starts, rows = tensor.ccol_indices(), as_array(tensor.row_indices(), kind)
        columns, data = _repeated(as_array(starts, kind)), tensor.values()
    else:
        raise SchemaError(
            f"{kind} is a tensor of layout {layout}", "convert it with to_sparse_csr()"
        )
    return rows, columns, as_array(data, kind), tuple(tensor.shape)


def _repeated(starts: NDArray[Any]) -> NDArray[Any]:
    """Return the row or column number of each stored entry."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def _source(
    rows: NDArray[Any],
    columns: NDArray[Any],
    data: NDArray[Any],
    shape: tuple[int, ...],
    kind: Kind,
) -> TableSource:
    number = "label" if kind == "qrels" else "score"
    numbers = exact_numbers(data, kind)
    table = _core.table_from_columns(
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
