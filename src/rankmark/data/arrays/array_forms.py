"""Arrays and tensors: dense or flat labels and scores, with their groups, and ids in order."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankmark.array_types import Bools, Ints
from rankmark.data.arrays.item_numbers import NumberedRun, numbered_run, shape_text
from rankmark.data.arrays.mapped import MappedScores, is_mapped
from rankmark.data.arrays.positional import PositionalSource
from rankmark.data.arrays.target_columns import Targets
from rankmark.data.contract.places import Places
from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import LARGEST_WHOLE, id_text
from rankmark.data.ids.tensors import as_array
from rankmark.data.mappings.lists import OneQuery
from rankmark.errors import InputError, SchemaError, shown


def grouped(groups: NDArray[Any], rows: int) -> Places:
    """Group rows by query.

    Parameters
    ----------
    groups
        (n_queries,) sizes that sum to ``rows``, or (rows,) query ids; the rows of a query need not
        be consecutive, and queries are in the order of their first rows.
    """
    if groups.ndim == 2 and groups.shape[1] == 1:
        groups = groups[:, 0]  # a column
    if groups.ndim != 1 or np.ma.is_masked(groups):
        raise SchemaError(f"groups has {groups.ndim} dimensions", "need one, and nothing masked")
    if not rows:
        return Places(np.zeros(1, dtype=np.int64), (), (0,))
    whole = groups.dtype.kind in "iu"
    total = int(groups.sum()) if whole else -1
    sizes = whole and total == rows and bool((groups >= 0).all())
    ids = len(groups) == rows
    if sizes and ids and rows > 1:  # of one row, both are the same query
        raise SchemaError(
            f"groups holds {rows:,} whole numbers that sum to {rows:,}, so they may be sizes "
            "or a query id for each row",
            "give query ids as text, as in np.repeat(np.arange(n_queries), sizes).astype(str)",
        )
    if sizes:
        starts = np.concatenate(([0], np.cumsum(groups, dtype=np.int64)))
        return Places(starts, tuple(map(str, range(len(groups)))), (len(groups),))
    if not ids:
        summed = f" that sum to {total:,}" if whole else ""
        raise SchemaError(
            f"groups holds {len(groups):,} entries{summed}",
            f"need sizes that sum to {rows:,}, or {rows:,} query ids",
        )
    return _of_ids(groups)


def _of_ids(groups: NDArray[Any]) -> Places:
    firsts = np.concatenate(([0], np.flatnonzero(groups[1:] != groups[:-1]) + 1))
    ids, codes = _numbered(groups[firsts], firsts)
    if len(ids) == len(firsts):  # each query's rows are consecutive
        return Places(np.append(firsts, len(groups)), ids, None)
    codes = np.repeat(codes, np.diff(np.append(firsts, len(groups))))
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes), dtype=np.int64)))
    return Places(starts, ids, None, order=np.argsort(codes, kind="stable"))


def _numbered(ids: NDArray[Any], rows: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return distinct ids as text, in order of appearance, and the code of each of ``ids``."""
    if ids.dtype != object and ids.dtype.kind not in "iufUT":
        raise SchemaError(f"groups is an array of {ids.dtype}", "ids are text or whole numbers")
    # Beyond it, another whole number may have been rounded to a float.
    largest = 2 ** (np.finfo(ids.dtype).nmant + 1) if ids.dtype.kind == "f" else LARGEST_WHOLE
    numbers: dict[str, int] = {}
    codes = []
    for row, value in zip(rows.tolist(), ids.tolist(), strict=True):
        text = id_text(value, largest)
        if text is None:
            raise SchemaError(
                f"groups: row {row} (from 0) is {shown(value)}", "ids are text or whole numbers"
            )
        codes.append(numbers.setdefault(text, len(numbers)))
    return tuple(numbers), np.array(codes, dtype=np.int64)


Contents = Literal["ids", "scores", "labels", "targets"]
_NAME = "<array>"
_LARGEST = 2**31 - 1  # columns are int32
_AT_ONCE = 1 << 20  # values, when all are looked at


def from_array(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read an array of labels, scores or ids, by its number of dimensions and its type."""
    array = as_array(source, kind)
    if options.groups is not None and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]  # a column
    if array.ndim not in {1, 2}:
        raise SchemaError(
            f"it has {array.ndim} dimensions",
            "need 2, queries x items, or 1 with groups=",
            where=f"{kind} <array>",
        )
    contents = _contents(array, kind, options)
    if contents == "targets":
        options.only("targets")
        return Targets(array)
    if array.ndim == 1 and contents == "ids":
        options.only("ids of one query", "contents")
        return OneQuery(array.tolist(), kind)
    if array.ndim == 1:
        return _flat(array, kind, options)
    if contents == "ids":
        return _ids(array, kind, options)
    return _dense(array, kind, options)


def _contents(array: NDArray[Any], kind: Kind, options: SourceOptions) -> Contents:
    """Return what an array contains: the caller's choice, else by type and dimensions."""
    number: Contents = "labels" if kind == "qrels" else "scores"
    if options.contents not in {None, "ids", number}:
        raise InputError(
            f"contents is {shown(options.contents)}", f"need ids or {number}, as this is a {kind}"
        )
    if options.contents is not None:
        return "ids" if options.contents == "ids" else number
    if array.dtype.kind in "UST":
        return "ids"
    if array.ndim == 2:
        return "ids" if kind == "run" and array.dtype.kind in "iu" else number
    if kind == "qrels" and options.groups is None:
        if array.dtype.kind in "iu":
            return "targets"
        raise SchemaError(
            "it is an array of one dimension",
            'give groups=, sizes or query ids, for labels; contents="ids" for the ids of one '
            "query; labels[None, :] for the labels of one query; whole numbers for the column of "
            "each query's target",
            where="qrels <array>",
        )
    if kind == "run" and array.dtype.kind in "iu" and options.groups is None:
        raise SchemaError(
            "it is an array of whole numbers in one dimension",
            'give contents="ids" for the ids of one query; groups= or contents="scores" for scores',
            where="run <array>",
        )
    return number


def _flat(array: NDArray[Any], kind: Kind, options: SourceOptions) -> PositionalSource:
    options.only("an array of one dimension", "groups", "contents")
    if np.ma.is_masked(array):
        raise SchemaError(
            "values of a flat array are masked",
            "drop them and their groups: compressed()",
            where=f"{kind} <array>",
        )
    values = np.asarray(array)
    if options.groups is None:
        if kind == "qrels":
            raise SchemaError(
                "labels have one dimension",
                "give groups=, sizes or query ids",
                where="qrels <array>",
            )
        return PositionalSource(values, None, kind)
    places = grouped(as_array(options.groups, "groups"), len(values))
    if places.order is not None:
        values = values[places.order]
    return PositionalSource(values, places, kind)


def _dense(array: NDArray[Any], kind: Kind, options: SourceOptions) -> PositionalSource:
    options.only("an array of two dimensions", "mask", "lengths", "contents")
    present = _present(array, options)
    queries, items = array.shape
    if items > _LARGEST:
        raise SchemaError(
            f"it has {items:,} columns", f"need at most {_LARGEST:,}", where=f"{kind} <array>"
        )
    values = np.asarray(array)
    either = kind == "run" and options.contents is None and _could_be_ids(values, present)
    query_ids = tuple(map(str, range(queries)))
    mapped = kind == "run" and is_mapped(array)
    if present is None:
        starts = np.arange(queries + 1, dtype=np.int64) * items
        places = Places(starts, query_ids, array.shape)
        if mapped:
            return MappedScores(array, None, places, either=either)
        return PositionalSource(values.ravel(), places, kind, either=either)
    starts = np.concatenate(([0], np.cumsum(present.sum(axis=1, dtype=np.int64))))
    documents = None
    if (present[:, 1:] > present[:, :-1]).any():  # otherwise each row is filled from the left
        documents = np.nonzero(present)[1].astype(np.int32)
    places = Places(starts, query_ids, array.shape, documents)
    if mapped:
        return MappedScores(array, present, places, either=either)
    return PositionalSource(values[present], places, kind, either=either)


def _could_be_ids(values: NDArray[Any], present: Bools | None) -> bool:
    """Return True if floats are whole numbers from -1, and no row contains one twice but -1."""
    if present is not None or values.dtype.kind != "f" or not values.size:
        return False
    step = max(1, _AT_ONCE // values.shape[1])
    return values.shape[1] > 1 and all(
        _are_different(values[first : first + rows])
        for first, rows in ((0, 1), *((row, step) for row in range(0, len(values), step)))
    )  # scores fail at the first row


def _are_different(values: NDArray[Any]) -> bool:
    with np.errstate(invalid="ignore"):  # another thread may change them meanwhile
        if not (np.isfinite(values).all() and (values >= -1).all() and (values % 1 == 0).all()):
            return False
    ordered = np.sort(values, axis=1)
    return not bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any())


def _present(array: NDArray[Any], options: SourceOptions) -> Bools | None:
    """Return where there are documents; None for everywhere."""
    masks = [options.mask is not None, options.lengths is not None, np.ma.is_masked(array)]
    if sum(masks) > 1:
        raise InputError("mask, lengths and a masked array exclude one another", "give one of them")
    if options.mask is not None:
        mask = as_array(options.mask, "mask")
        if mask.dtype != bool or mask.shape != array.shape:
            raise SchemaError(
                f"mask is of {mask.dtype}, {shape_text(mask.shape)}",
                f"need bool, {shape_text(array.shape)}, True where there is a document",
            )
        return np.asarray(mask)
    if options.lengths is not None:
        lengths = as_array(options.lengths, "lengths")
        queries, items = array.shape
        if lengths.shape != (queries,) or lengths.dtype.kind not in "iu":
            raise SchemaError(
                f"lengths is of {lengths.dtype}, {shape_text(lengths.shape)}",
                f"need whole numbers, {queries}, one for each query",
            )
        wrong = np.flatnonzero((lengths < 0) | (lengths > items))
        if len(wrong):
            raise SchemaError(
                f"length {lengths[wrong[0]]} in row {wrong[0]} (from 0) is out of range",
                f"need 0 to {items}",
                where="lengths",
            )
        return np.asarray(np.arange(items) < lengths[:, None])
    return ~np.ma.getmaskarray(array) if np.ma.is_masked(array) else None


def _ids(array: NDArray[Any], kind: Kind, options: SourceOptions) -> NumberedRun:
    """Read rows of ids, for a run best first; -1 marks no item, as in search libraries."""
    options.only("an array of ids", "mask", "lengths", "contents")
    present = _present(array, options)
    ids = np.asarray(array)
    numbers = ids.dtype.kind in "iuf"
    if numbers and (ids == -1).any():
        present = (ids != -1) if present is None else present & (ids != -1)
    if ids.dtype.kind == "S" or ids.dtype.kind not in "iufUT":
        raise SchemaError(
            f"it is an array of {ids.dtype}", "need text or whole numbers", where=f"{kind} <array>"
        )
    ambiguous = array.shape if ids.dtype.kind in "iu" and options.contents is None else None
    return numbered_run(ids, present, kind, _NAME, "array of ids", ambiguous=ambiguous)
