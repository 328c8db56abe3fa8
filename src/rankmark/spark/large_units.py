"""Units of the documents of a query with more rows than memory holds, combined part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import combination
from rankmark.data.preparing.parents import parents_of
from rankmark.data.preparing.units import document_of, without_sum
from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.spark.frame_columns import FrameColumns


class Combined(NamedTuple):
    """Documents in place of units.

    ``ids`` is an Arrow array; ``scores`` and ``places`` are (n,) float64, of the documents and of
    their best units; then the number of units, of those whose ids are documents', and of those
    with scores below 0 that were added up.
    """

    ids: Any
    scores: Floats
    places: Floats | None
    units: int
    whole: int
    negative: int


class LargeUnits:
    """How the units of a large query become documents.

    All units of a document must be in one part.

    Parameters
    ----------
    columns
        The columns of the rows.
    conventions
        Which are combined, and how.
    parents
        The document of each unit, as a mapping or a function; None if a column or the separator of
        ``conventions`` tells it.
    """

    def __init__(self, columns: FrameColumns, conventions: Conventions, parents: Any) -> None:
        self._columns = columns
        self._conventions = conventions
        self._parents = parents

    @property
    def are_named(self) -> bool:
        """Whether their documents are given, in a column or otherwise."""
        return self._parents is not None or self._columns.parent is not None

    @property
    def keep_scores(self) -> bool:
        """Whether scores of documents are scores of the same kind."""
        return combination(self._conventions.combine).how in {"best", "sum", "mean"}

    def documents(self, table: Any) -> Any:
        """Return the documents of rows as an Arrow array of text."""
        import pyarrow as pa  # noqa: PLC0415

        columns, separator = self._columns, self._conventions.unit
        if self._parents is None and columns.parent is not None:
            return texts(table.column(columns.parent))
        units = texts(table.column(columns.chosen.doc_id)).to_pylist()
        if self._parents is not None:
            parents = parents_of(self._parents, lambda: units)
            named = [parents.document_of(unit, columns.where) for unit in units]
        else:
            assert separator is not None  # noqa: S101  (there are units)
            named = [document_of(unit, separator) for unit in units]
        return pa.array(named, pa.string())

    def combined(
        self, query: str, table: Any, ids: Any, scores: Floats, places: Floats | None
    ) -> Combined:
        """Combine the units of each document of a part.

        Parameters
        ----------
        table
            The rows, each with a unit of its own.
        ids, scores, places
            Of these units, as ``Part`` has them.

        Raises
        ------
        InputError
            If units are combined by their ranks, or have no sum.
        """
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        how, of_best = combination(self._conventions.combine)
        self._refuse(query, how)
        named = self.documents(table)
        codes = named.dictionary_encode()
        documents, code = codes.dictionary, codes.indices.to_numpy()
        order = np.lexsort((np.zeros(len(code)) if places is None else places, -scores, code))
        code, value = code[order], scores[order]
        first = np.append(True, code[1:] != code[:-1]) if len(code) else np.zeros(0, np.bool_)
        begin = np.flatnonzero(first)
        best: Floats = value[begin]
        if how != "best":
            sizes = np.diff(np.append(begin, len(code)))
            counted = np.arange(len(code)) - np.repeat(begin, sizes)
            some = counted < (len(code) if of_best is None else of_best)
            number = np.bincount(code[some], minlength=len(documents)).astype(np.float64)
            # From the highest score to the lowest, one after another, as the core adds them up.
            sums = np.bincount(code[some], weights=value[some], minlength=len(documents))
            made = number if how == "count" else sums if how == "sum" else sums / number
            best = np.asarray(made, dtype=np.float64)
            if np.isnan(best).any():
                document = documents[int(np.isnan(best).argmax())].as_py()
                raise InputError(
                    f"the scores of the units of document {document!r} are infinite, and have no "
                    "sum",
                    "replace infinite scores, or combine units by their best",
                    where=self._columns.where,
                )
        whole = 0 if self.are_named else int(pc.sum(pc.equal(named, ids)).as_py() or 0)
        return Combined(
            documents.take(pa.array(code[begin])),
            best,
            None if places is None else places[order][begin],
            len(code),
            whole,
            int(np.count_nonzero(value < 0)) if how == "sum" else 0,
        )

    def _refuse(self, query: str, how: str) -> None:
        by_rank = how if how in {"first", "rrf"} else None
        if by_rank is not None or self._conventions.unit_depth is not None:
            what = f"combine={by_rank!r}" if by_rank is not None else "unit_depth"
            raise InputError(
                f"{what} needs the rank of each unit among all of query {query!r}, which has more "
                "rows than fit into memory",
                "allow tasks more memory=, or combine units by best, sum, mean or count",
                where=self._columns.where,
            )
        if how in {"sum", "mean"} and self._columns.chosen.number is None:
            raise without_sum(self._columns.where)


def texts(column: Any) -> Any:
    """Return ids as one Arrow array of text."""
    import pyarrow as pa  # noqa: PLC0415

    array = column.combine_chunks()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return array if pa.types.is_string(array.type) else array.cast(pa.string())
