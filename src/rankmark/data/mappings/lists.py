"""Lists of ids for one query, best first; or lists with one list, set or mapping per query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankmark._core import RankingOptions
from rankmark.data.contract.places import Shape
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import AlignedRun, Judged, PreparedQrels
from rankmark.data.contract.source_options import Kind
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import is_series
from rankmark.data.tables.table import refuse_another_shape
from rankmark.errors import DuplicateError, SchemaError, shown


class Numbered(NestedMapping):
    """A list with one entry per query; the query ids are "0", "1", "2", ..."""

    name = "<list>"
    positions = True

    def __init__(self, held: Sequence[Any], kind: Kind) -> None:
        super().__init__({str(row): of_query for row, of_query in enumerate(held)}, kind)
        self._shape: Shape = (len(held),)

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        with self._explained():
            judged = super().read_qrels(reading)
        return judged._replace(shape=self._shape)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        with self._explained():
            refuse_another_shape(self._shape, qrels)
            return super().align_run(qrels, ranking, reading, by_rank=by_rank)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {"form": "list", "queries": self._shape[0]}

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Add to errors how lists are interpreted."""
        try:
            yield
        except (DuplicateError, SchemaError) as error:
            if not any(isinstance(of_query, list) for of_query in self.mapping.values()):
                raise
            error.add_remedy(
                "lists hold ids: give labels and scores of all items as an array, and rows as "
                "tuples"
            )
            raise


class OneQuery(Numbered):
    """A single query without an id."""

    name = "<one query>"
    nameless = True

    def __init__(self, held: Any, kind: Kind) -> None:
        super().__init__([held], kind)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {"form": "one query"}


def from_list(held: Sequence[Any], kind: Kind) -> Numbered:
    """Read a list of ids as one query, and a list of lists, sets or mappings as one per query."""
    if not held:
        return Numbered(held, kind)
    if not _is_collection(held[0]):
        _refuse_numbers(held, kind)
        return OneQuery(held, kind)
    for row, of_query in enumerate(held):
        if not _is_collection(of_query):
            raise SchemaError(
                f"found {shown(of_query)}, and the first entry is {type(held[0]).__name__}",
                "need an entry for each query, or ids alone",
                where=f"{kind}: entry {row} (from 0)",
            )
        _refuse_numbers(of_query, kind)
    return Numbered(held, kind)


def _refuse_numbers(of_query: Any, kind: Kind) -> None:
    """Refuse a list that begins with a float, which is not an id even if it is whole."""
    if isinstance(of_query, Mapping) or not hasattr(of_query, "__len__") or is_series(of_query):
        return
    first = next(iter(of_query), None)
    if isinstance(first, (float, np.floating)):
        whole = ""
        if float(first).is_integer():
            whole = ", and if these are ids that became floats, give int(id)"
        raise SchemaError(
            f"found {shown(first)} in a list, and lists hold ids",
            f"give labels and scores of all items as an array, and rows as tuples{whole}",
            where=kind,
        )


def _is_collection(value: Any) -> bool:
    return not isinstance(value, str) and hasattr(value, "__iter__")


def holds_numbers(mapping: Mapping[Any, Any]) -> bool:
    """Return True if a mapping is one query's: ``{document id: number}``."""
    value = next(iter(mapping.values()), None)
    if type(value) is dict:  # the most frequent form
        return False
    return (
        not isinstance(value, (str, bytes))
        and hasattr(value, "__float__")
        and not hasattr(value, "__len__")
    )
