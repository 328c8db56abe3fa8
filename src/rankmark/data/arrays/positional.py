"""Labels or scores by position: both sides have the same documents, so no ids are looked up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import RankingOptions, align_rows, convert_whole, fingerprint
from rankmark.array_types import Floats
from rankmark.data.arrays.item_numbers import ItemRows
from rankmark.data.contract.places import Places, Positional, by_ids
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import (
    AlignedRun,
    Columns,
    Judged,
    PreparedQrels,
    Rows,
    Source,
    side,
)
from rankmark.data.contract.source_options import Kind
from rankmark.data.ids.numeric import doubles, first_inexact, inexact, row_from_0
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import (
    TableSource,
    of_one_query,
    refuse_another_shape,
    rows_of_table,
    worded,
)
from rankmark.errors import InputError, SchemaError


class PositionalSource(Source):
    """An array of labels or scores in which a position is a query and a document.

    Parameters
    ----------
    values
        (n,) numbers, query by query if ``places`` is given.
    places
        None for a flat run without groups, which uses those of the judgments.
    either
        Whether the numbers may be ids as well, unless judgments are by position, too.

    Attributes
    ----------
    fingerprint
        A number by which changed values are detected, or several for parts of the values.
    """

    fingerprint: int | tuple[int, ...]

    name = "<array>"
    positions = True
    by_column = True
    index: Any = None
    """The index of a pandas Series, which must equal that of the other side."""

    def __init__(
        self, values: NDArray[Any], places: Places | None, kind: Kind, *, either: bool = False
    ) -> None:
        self._places = places
        self._either = either
        self._kind = kind
        self._where = side(self.name, kind)
        self._values, self._whole = values, None
        if kind == "qrels" and _is_native_int64(values):
            # Labels are left as they are: few are looked at after the highest were found.
            self.fingerprint, beyond = fingerprint(values, finite=True, threads=cores())
            if beyond is None:
                return
        self._values, lost = _doubles_and_first_inexact(values, kind)
        self._whole = None if lost is None else values
        self._refuse_no_numbers()

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        places = self._places
        if places is None or not len(places.query_ids):
            raise InputError("the qrels hold no judgments", "need one query at least")
        self._refuse_inexact()
        positional = Positional(self._values, places)
        rows = len(self._values)
        return Judged(None, places.query_ids, rows, shape=places.shape, positional=positional)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments: by position if both have the same, else by ids."""
        if by_rank:
            raise InputError('ties="rank" needs a rank column, and arrays have none', 'use "input"')
        if self._either and (qrels.shape is None or len(qrels.shape) < 2):
            raise SchemaError(
                "run is an array of whole numbers stored as floats, and the judgments have ids; "
                "it may hold ids, best first, or scores of all items",
                'choose contents="ids" or contents="scores"',
            )
        index = getattr(qrels.source, "index", None)
        if self.index is not None and index is not None and not self.index.equals(index):
            raise SchemaError(
                "the qrels and the run are Series with different indexes",
                "reorder one to match "
                "the other, as with scores.loc[labels.index], or use .to_numpy() of both if their "
                "rows belong together",
            )
        values, places = self._placed(qrels)
        theirs = qrels.positional
        same = theirs is not None and places.same_as(theirs.places)
        if theirs is None or not same or ranking.looks_at_ids or not len(values):
            if not same and len(values):
                self._refuse_others(places, qrels)
            if not places.flat and values.dtype == np.float64:
                ids = None if places.documents is None else places.documents.astype(np.int64)
                with worded(self._where, ("label", "score"), places.place):
                    found = ItemRows(places.starts, ids, values).align(theirs, ranking, reading)
                if found is not None:
                    return found
            table = TableSource(
                by_ids(values, places),
                Chosen(0, 1, 2, None),
                self._kind,
                name=self.name,
                form={},
                place=places.place,
                shape=places.shape,
            )
            return table.align_run(qrels, ranking, reading, by_rank=by_rank)
        if not ranking.single:
            self._refuse_inexact()
        # The caller may have changed the array since it was checked.
        with worded(self._where, ("label", "score"), places.place):
            columns = align_rows(
                theirs.labels,
                doubles(values, self._kind),
                places.starts,
                places.documents,
                ranking,
                reading.workers,
            )
        return AlignedRun(Columns(*columns), 0, [], len(values), 0, 0)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all values; a flat run without groups cannot be listed."""
        if self._places is None:
            raise InputError(
                "scores of one dimension cannot be listed without groups",
                "give groups=",
                where=self.name,
            )
        if not lenient:
            self._refuse_inexact()
        table = by_ids(self._values, self._places)
        rows = rows_of_table(table, Chosen(0, 1, 2, None), self._kind)
        if not self._places.flat:
            return rows
        order = self._places.order
        return rows._replace(row=range(len(self._values)) if order is None else order)

    def for_query(self, query: str, reading: Reading) -> TableSource | None:
        """Return the values of one query, by ids; a flat run needs groups for that."""
        places = self._places
        if places is None:
            raise InputError(
                f"the scores of {query!r} cannot be found in an array of one dimension",
                "give groups=",
                where=self.name,
            )
        if query not in places.query_ids:
            return None
        at = places.query_ids.index(query)
        first, end = places.starts[at : at + 2].tolist()
        documents = np.arange(end - first)
        if places.documents is not None:
            documents = places.documents[first:end]
        source = of_one_query(
            query,
            map(str, documents.tolist()),
            self._of_query(at, first, end),
            None,
            self._kind,
            name=self.name,
            form=self.description(),
            place=lambda row: places.place(first + row),
            shape=places.shape,
        )
        if source is not None:
            # Also if groups have ids, as documents have none.
            source.positions = source.by_column = True
        return source

    def _of_query(self, _at: int, first: int, end: int) -> NDArray[Any]:
        """Return the values of one query, which is at a place."""
        return self._exact[first:end]

    def with_groups_of(self, qrels: PreparedQrels) -> PositionalSource:
        """Return the run with the groups of the judgments, if it has none of its own."""
        if self._places is not None:
            return self
        return PositionalSource(*self._placed(qrels), self._kind)

    def keep(self) -> None:
        """Copy the values, which may share the caller's memory."""
        self._values = self._values.copy()
        self._whole = None if self._whole is None else self._whole.copy()

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        contents = "labels" if self._kind == "qrels" else "scores"
        places = self._places
        if places is None or places.flat:
            form = {"form": "flat array", "holds": contents, "rows": len(self._values)}
            return form if places is None else form | {"groups": len(places.query_ids)}
        return {"form": "dense array", "holds": contents, "shape": list(places.shape or ())}

    def _refuse_no_numbers(self) -> None:
        """Refuse NaN, which often pads short rankings, and infinite labels."""
        values = self._values
        self.fingerprint, first = fingerprint(values, finite=self._kind == "qrels", threads=cores())
        if first is not None:
            number = "label" if self._kind == "qrels" else "score"
            found, remedy = "infinite", "need a finite label"
            if np.isnan(values[first]):
                found, remedy = "NaN", "mark places without a document with mask= or lengths="
            raise SchemaError(f"the {number} is {found}", remedy, where=self._where_is(first))

    def _where_is(self, value: int) -> str:
        place = row_from_0 if self._places is None else self._places.place
        return f"{self._where}: {place(value)}"

    @property
    def _exact(self) -> NDArray[Any]:
        """The numbers, as integers if doubles do not represent them."""
        return self._values if self._whole is None else self._whole

    def _refuse_inexact(self) -> None:
        row = None if self._whole is None else first_inexact(self._whole)
        if self._whole is not None and row is not None:
            found, remedy = inexact(self._whole.ravel()[row], self._kind)
            raise SchemaError(found, remedy, where=self._where_is(row))

    def _placed(self, qrels: PreparedQrels) -> tuple[NDArray[Any], Places]:
        if self._places is not None:
            return self._exact, self._places
        if not len(self._values):
            return self._values, Places(np.zeros(1, dtype=np.int64), (), (0,))
        theirs = None if qrels.positional is None else qrels.positional.places
        if theirs is None or not theirs.flat or len(self._values) != theirs.starts[-1]:
            raise SchemaError(
                f"{len(self._values):,} scores in one dimension need groups=, sizes or query ids",
                "those of the qrels can be used only for the same number of rows; "
                'ids of one query need contents="ids"',
                where=self._where,
            )
        return self._exact if theirs.order is None else self._exact[theirs.order], theirs

    def _refuse_others(self, places: Places, qrels: PreparedQrels) -> None:
        """Refuse positions that would be matched by number but cannot be the same documents."""
        theirs = qrels.positional
        if theirs is not None and (places.flat or theirs.places.flat):
            raise SchemaError(
                f"the run has {places.description()}, the qrels have {theirs.places.description()}"
                f"{_first_difference(places, theirs.places)}",
                "give both the same groups",
            )
        if places.shape is not None:
            refuse_another_shape(places.shape, qrels)
            last = -1 if theirs is None else (theirs.places.shape or (0, 0))[1] - 1
            if not places.flat and last >= places.shape[1]:
                raise SchemaError(
                    f"the qrels have a target in column {last}, and the run "
                    f"has {places.shape[1]} columns, from 0",
                    "do targets count from 0?",
                )


def _is_native_int64(values: NDArray[Any]) -> bool:
    return values.dtype == np.int64 and values.flags.c_contiguous and values.flags.aligned


def _doubles_and_first_inexact(values: NDArray[Any], where: str) -> tuple[Floats, int | None]:
    """Convert as ``doubles`` does, and find what ``first_inexact`` finds."""
    if _is_native_int64(values):
        converted = np.empty(len(values))
        exact = convert_whole(values, converted, threads=cores())
        return converted, None if exact else first_inexact(values)
    return doubles(values, where), first_inexact(values)


def _first_difference(run: Places, qrels: Places) -> str:
    if not (run.flat and qrels.flat and len(run.query_ids) == len(qrels.query_ids)):
        return ""
    sizes, others = np.diff(run.starts), np.diff(qrels.starts)
    differ = np.flatnonzero(sizes != others)
    if not len(differ):
        return ", of other queries or in another order"
    at = int(differ[0])
    return f", and group {at} (from 0) has {sizes[at]} and {others[at]}"
