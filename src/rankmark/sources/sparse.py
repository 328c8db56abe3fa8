"""Sparse matrices: what is stored is judged, or retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _core
from rankmark.errors import SchemaError
from rankmark.sources.columns import Chosen
from rankmark.sources.numeric import doubles
from rankmark.sources.table import TableSource

if TYPE_CHECKING:
    from rankmark.sources.options import Kind, Options

_NAME = "<sparse matrix>"


def is_sparse(source: object) -> bool:
    """Say whether an object is a sparse matrix or array of SciPy's."""
    return all(hasattr(type(source), name) for name in ("tocsr", "tocoo", "nnz"))


def from_sparse(matrix: Any, kind: Kind, options: Options) -> TableSource:
    """Take a matrix of queries x items: a stored zero is judged not relevant, or a score of 0.

    A row in which nothing is stored is not judged, or not answered.

    Raises
    ------
    SchemaError
        If it has another number of dimensions, or another format than CSR, CSC or COO.
    """
    options.only("a sparse matrix")
    if matrix.ndim != 2:
        raise SchemaError(f"{kind} is a sparse array of {matrix.ndim} dimension; need 2")
    if matrix.format == "coo":  # making it CSR would add up what stands twice
        rows, columns, data = matrix.row, matrix.col, matrix.data
    elif matrix.format in {"csr", "csc"}:
        matrix = matrix.tocsr()
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        columns, data = matrix.indices, matrix.data
    else:
        raise SchemaError(
            f"{kind} is a sparse matrix in format {matrix.format}; need csr, csc or coo: tocsr() "
            "it first, and look whether that stores zeros that nobody put there"
        )
    number = "label" if kind == "qrels" else "score"
    table = _core.table_from_columns(
        ["query_id", "doc_id", number],
        [np.ascontiguousarray(rows), np.ascontiguousarray(columns), doubles(data, kind)],
    )
    return TableSource(
        table,
        Chosen(0, 1, 2, None),
        kind,
        name=_NAME,
        form={"form": "sparse matrix", "shape": list(matrix.shape), "stored": len(data)},
        place=lambda row: f"row {rows[row]}, column {columns[row]} (from 0)",
        shape=tuple(matrix.shape),
    )
