"""One target a query, by the number of its column: the judgments beside a matrix of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import fingerprint
from rankmark.data.arrays.item_numbers import LARGEST, shape_text
from rankmark.data.arrays.positional import PositionalSource
from rankmark.data.contract.places import Places, Positional
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import Judged
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.errors import SchemaError


def targets_of(given: Any) -> Targets:
    """Read the column of each query's target, from an array or a list."""
    return Targets(as_array(given, "qrels") if is_array(given) else np.asarray(given))


class Targets(PositionalSource):
    """The relevant item of each query, of which only the column is known.

    How many columns there are, only the run knows.

    Parameters
    ----------
    columns
        (Q,) whole numbers from 0.
    """

    def __init__(self, columns: NDArray[Any]) -> None:
        if columns.ndim != 1 or columns.dtype.kind not in "iu":
            raise SchemaError(
                f"targets are of {columns.dtype}, {shape_text(columns.shape)}",
                "need a column for each query: whole numbers in one dimension",
                where="qrels <array>",
            )
        wrong = np.flatnonzero((columns < 0) | (columns > LARGEST))
        if len(wrong):
            raise SchemaError(
                f"the target is {columns[wrong[0]]}, which is no column",
                "columns count from 0; leave queries without a target out of both sides, as with "
                "scores[targets >= 0]",
                where=f"qrels <array>: row {wrong[0]} (from 0)",
            )
        queries = len(columns)
        places = Places(
            np.arange(queries + 1, dtype=np.int64),
            tuple(map(str, range(queries))),
            (queries, int(columns.max(initial=-1)) + 1),
            columns.astype(np.int32),
        )
        super().__init__(np.ones(queries), places, "qrels")
        self.fingerprint, _ = fingerprint(columns.astype(np.float64), finite=True, threads=cores())

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        judged = super().read_qrels(reading)
        assert judged.positional is not None  # noqa: S101
        positional = Positional(judged.positional.labels, judged.positional.places, sparse=True)
        return judged._replace(shape=(judged.rows,), positional=positional)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {"form": "targets", "queries": len(self._values)}
