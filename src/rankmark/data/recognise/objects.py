"""Recognise the form of judgments or a run in memory."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from rankmark.data.arrays.array_forms import from_array
from rankmark.data.arrays.item_numbers import (
    from_pair_of_arrays,
    from_search_with_ids,
    is_search_with_ids,
)
from rankmark.data.arrays.on_device import on_device
from rankmark.data.arrays.sparse import from_sparse, is_sparse
from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import LIST, NO_OPTIONS, Kind, SourceOptions
from rankmark.data.frames.arrow_frames import from_frame, is_frame, is_pandas
from rankmark.data.frames.column_dicts import from_column_dict, is_column_dict, is_row_dict
from rankmark.data.frames.records import (
    are_fields,
    from_listed,
    from_listed_array,
    from_records,
    from_structured,
    is_listed,
    is_record,
)
from rankmark.data.frames.series import Takers, from_series
from rankmark.data.frames.stream_kinds import is_stream, refuse_spark
from rankmark.data.frames.streams import from_stream
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.data.mappings.hits import (
    by_query,
    is_hit,
    is_pair_of_arrays,
    of_mteb,
    plain,
    walked,
)
from rankmark.data.mappings.lists import OneQuery, from_list, holds_numbers
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.shapes.plain_forms import FEW, WITH_EMPTY_CELLS, is_plain
from rankmark.data.tables.column_values import is_series
from rankmark.data.tables.columns import is_known
from rankmark.errors import InputError, SchemaError, noted


def of_object(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Return a source for an object in memory; see ``recognised``."""
    if type(source) is dict:  # the most frequent form
        if type(next(iter(source.values()), None)) is dict:
            return _of_mapping(source, kind, options)  # dicts run no code of the caller
        return _from_mapping(source, kind, options)
    if hasattr(type(source), "per_query"):
        raise SchemaError(
            f"{kind} is {type(source).__name__}, which contains scores by query and measure",
            f"need {_needed(kind)}",
        )
    refuse_spark(source, kind)
    if type(source).__module__.startswith(("pandas.", "polars.")):
        _refuse_unfinished(source, kind)
    for has_form, read in _FORMS:
        if has_form(source):
            return read(source, kind, options)
    if (shaped := _shaped(source, kind, options)) is not None:
        return shaped
    raise SchemaError(
        f"{kind} is {type(source).__name__}{_advice(source)}", f"need {_needed(kind)}"
    )


_UNFINISHED = ("GroupBy", "Rolling", "Expanding", "Window", "Resampler", "Styler", "Indexer")


def _refuse_unfinished(source: Any, kind: Kind) -> None:
    """Refuse what a frame's methods return before there is a table again, as groupby()."""
    if type(source).__name__.endswith(_UNFINISHED):
        raise SchemaError(
            f"{kind} is {type(source).__name__}, which is no table", "give the frame itself"
        )


def _is_mapping(source: Any) -> bool:
    return isinstance(source, Mapping)


def _is_dataset_dict(source: Any) -> bool:
    """Return True for Hugging Face's DatasetDict and IterableDatasetDict: datasets by split."""
    return type(source).__name__ in {"DatasetDict", "IterableDatasetDict"}


def _from_dataset_dict(source: Mapping[str, Any], kind: Kind, options: SourceOptions) -> Source:
    if len(source) == 1:
        return of_object(next(iter(source.values())), kind, options)
    splits = [*map(str, source)]
    raise SchemaError(
        f"{kind} is {type(source).__name__} with the splits {', '.join(splits)}",
        f"give one of them, as in dataset[{(splits or ['test'])[0]!r}]",
    )


def _from_mapping(source: Mapping[Any, Any], kind: Kind, options: SourceOptions) -> Source:
    with walked(kind):
        return _of_mapping(source, kind, options)


def _of_mapping(source: Mapping[Any, Any], kind: Kind, options: SourceOptions) -> Source:
    if (shaped := _shaped(source, kind, options)) is not None:
        return shaped
    if is_column_dict(source, kind, options):
        return from_column_dict(source, kind, options)
    if is_row_dict(source):
        return from_records(list(source.values()), kind, options)
    options.only("a mapping")
    source = of_mteb(source, kind, kind)
    return OneQuery(source, kind) if holds_numbers(source) else NestedMapping(source, kind)


def _from_series(source: Any, kind: Kind, options: SourceOptions) -> Source:
    take = Takers(_from_mapping, from_frame, _from_array, _from_iterable)
    return from_series(source, kind, options, take)


def _shaped(source: Any, kind: Kind, options: SourceOptions) -> Source | None:
    """Read what a tool returns by the table of shapes; None for other objects."""
    first = source[0] if isinstance(source, list) else source
    told = options is not NO_OPTIONS and (options.format or LIST in (options.columns or {}))
    if is_plain(first) and not told:
        return None
    from rankmark.data.mappings.shaped import from_shape  # noqa: PLC0415  (most forms need none)

    return from_shape(source, kind, options)


def _from_frame(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read a frame by the names of its columns, or else by the table of shapes."""
    names = getattr(source, "column_names", getattr(source, "columns", ()))
    may_be_empty = kind == "qrels" and len(names) == 3 and {*names} == WITH_EMPTY_CELLS
    shaped = _rows_of_shape(source, kind, options) if may_be_empty else None
    if shaped is not None:
        return shaped
    try:
        return from_frame(source, kind, options)
    except SchemaError:
        shaped = _rows_of_shape(source, kind, options)
        if shaped is None:
            raise
        return shaped


def _rows_of_shape(frame: Any, kind: Kind, options: SourceOptions) -> Source | None:
    """Read the rows of a frame by the table of shapes; None if the first ones have none."""
    from rankmark.data.mappings.shaped import from_shape  # noqa: PLC0415  (rarely needed)

    with suppress(Exception):  # whatever another library raises
        if from_shape(_records(frame[:FEW]), kind, options, also_plain=True) is not None:
            return from_shape(_records(frame), kind, options, also_plain=True)
    return None


def _from_rows(rows: list[Any], kind: Kind, options: SourceOptions) -> Source:
    """Read mappings by the usual names of their fields, or else by the table of shapes."""
    try:
        return from_records(rows, kind, options)
    except SchemaError as error:
        from rankmark.data.mappings.shaped import from_shape, nearest_shape  # noqa: PLC0415

        shaped = from_shape(rows, kind, options, also_plain=True)
        if shaped is not None:
            return shaped
        if nearest := nearest_shape(rows[0], kind, options):
            error.add_remedy(nearest)
        raise


def _records(frame: Any) -> list[Any]:
    """Return the rows of a frame as objects, by the method that its library has for that."""
    if is_pandas(frame):
        return list(frame.to_dict("records"))
    method = "to_dicts" if hasattr(frame, "to_dicts") else "to_pylist"
    return list(getattr(frame, method)())


def _is_labelled(source: Any) -> bool:
    """Return True if an object has labels in groups, like LightGBM's Dataset."""
    return all(hasattr(type(source), name) for name in ("get_label", "get_group", "set_group"))


def _from_labelled(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read the labels as a flat array, with group sizes."""
    options.only(f"a {type(source).__name__}")
    if kind == "run":
        raise SchemaError(
            f"run is {type(source).__name__}, which contains labels",
            "give the scores that a model predicts for it",
        )
    try:
        label, group = source.get_label(), source.get_group()
    except Exception as error:  # whatever its library raises
        raise SchemaError(
            f"{type(source).__name__} has no labels and groups: {error}",
            "make it with label= and group=",
            where="qrels",
        ) from error
    if label is None or group is None:
        missing = "labels" if label is None else "groups"
        raise SchemaError(
            f"qrels: {type(source).__name__} has no {missing}", "make it with label= and group="
        )
    options = options._replace(groups=np.asarray(group))
    return from_array(np.asarray(label, dtype=np.float64), kind, options)


def _is_set(source: Any) -> bool:
    return isinstance(source, AbstractSet)


def _from_set(source: AbstractSet[Any], kind: Kind, options: SourceOptions) -> Source:
    if isinstance(source, ItemsView):
        return _from_mapping(dict(source), kind, options)
    options.only("a set")
    return OneQuery(list(source) if isinstance(source, KeysView) else source, kind)


def _is_dataset(source: Any) -> bool:
    return hasattr(source, "docs_iter") or hasattr(source, "qrels_iter")


def _from_dataset(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read the judgments of a dataset of ir_datasets, or its scored documents as a run."""
    name = "qrels_iter" if kind == "qrels" else "scoreddocs_iter"
    if not hasattr(source, name):
        raise SchemaError(f"this dataset has no {name}()", f"give one that has {kind}", where=kind)
    return _from_iterable(getattr(source, name)(), kind, options)


def _is_iterable(source: Any) -> bool:
    return isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray, memoryview))


def _from_array(source: Any, kind: Kind, options: SourceOptions) -> Source:
    if (there := on_device(source, kind, options, _from_array)) is not None:
        return there
    array = as_array(source, kind)
    if array.dtype.names is not None:
        return from_structured(array, kind, options)
    if array.dtype == object:  # ids of several types, lists of several lengths
        return _from_iterable(array.tolist(), kind, options)
    rows = None if array.ndim != 2 else from_listed_array(array, kind, options)
    return from_array(array, kind, options) if rows is None else rows


def _from_iterable(source: Iterable[Any], kind: Kind, options: SourceOptions) -> Source:  # noqa: PLR0911  (one per form)
    """Read rows, or a list of ids or of rankings; iterators are kept as lists."""
    rows: list[Any] = []
    with noted(lambda: f"{kind}: entry {len(rows):,} (from 0)"):
        rows.extend(source)
    if not rows and kind == "qrels":
        raise InputError(
            f"qrels: {type(source).__name__}: it holds no judgments", "has it been read already?"
        )
    first = rows[0] if rows else None
    if isinstance(first, Mapping) and (shaped := _shaped(rows, kind, options)) is not None:
        return shaped
    if options.columns is None and _is_ranking(rows, kind):
        options.only("a list of hits")
        return OneQuery(plain(rows, kind, kind), kind)
    if is_record(first):
        return from_records(rows, kind, options)
    if isinstance(first, Mapping):
        held, used = by_query(rows, options.columns, kind)
        if held:
            options.only("queries with documents", "columns")
            found = NestedMapping(held, kind)
            found.form = {"form": "records", "columns": used}
            return found
        if are_fields(rows, options):
            with _or_by_query(kind):
                return _from_rows(rows, kind, options)
    if is_listed(first) and (listed := from_listed(rows, kind, options)) is not None:
        return listed
    if (
        rows
        and not isinstance(first, Mapping)
        and (shaped := _shaped(rows, kind, options)) is not None
    ):
        return shaped
    options.only("a list", "contents")
    return from_list(rows, kind)


@contextmanager
def _or_by_query(kind: Kind) -> Iterator[None]:
    """Add to errors how documents with numbers are given by query."""
    try:
        yield
    except SchemaError as error:
        if error.found.startswith("no column has a usual name"):
            number = "label" if kind == "qrels" else "score"
            error.add_remedy(f"for {{document id: {number}}} by query, give {{query id: {{...}}}}")
        raise


def _is_ranking(rows: list[Any], kind: Kind) -> bool:
    """Return True if a list is one query's: pairs of an id and a float, or hits without a query."""
    first = rows[0] if rows else None
    if isinstance(first, tuple) and not hasattr(first, "_fields") and len(first) == 2:
        return isinstance(first[1], (float, np.floating)) or is_hit(first[0], kind)
    return is_hit(first, kind) and not (
        isinstance(first, Mapping) and any(is_known(str(name), "query_id") for name in first)
    )


# The order matters: a sparse matrix may be a mapping, a frame is also an array, and an array is
# iterable.
_FORMS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Kind, SourceOptions], Source]], ...] = (
    (is_sparse, from_sparse),
    (_is_dataset_dict, _from_dataset_dict),
    (_is_mapping, _from_mapping),
    (is_series, _from_series),
    (is_stream, from_stream),
    (is_frame, _from_frame),
    (is_array, _from_array),
    (_is_labelled, _from_labelled),
    (_is_set, _from_set),
    (is_pair_of_arrays, from_pair_of_arrays),
    (is_search_with_ids, from_search_with_ids),
    (_is_dataset, _from_dataset),
    (_is_iterable, _from_iterable),
)


def _needed(kind: Kind) -> str:
    number = "label" if kind == "qrels" else "score"
    return (
        f"a path, an open file, {{query id: {{document id: {number}}}}}, a frame, an array, a "
        f"sparse matrix, rows of (query_id, doc_id, {number}), or lists of ids or of (id, {number})"
    )


def _advice(source: Any) -> str:
    kind = type(source)
    if hasattr(kind, "collect"):
        return ", which has no data yet: collect() it first"
    if hasattr(kind, "compute"):
        return ", which has no data yet: compute() it first"
    return ""
