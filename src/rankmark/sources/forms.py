"""Which form of judgments or of a run an object is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from rankmark.errors import InputError, SchemaError
from rankmark.sources.arrays import as_array, from_array, is_array
from rankmark.sources.columns import is_known
from rankmark.sources.file_source import FileSource
from rankmark.sources.files import InputFile, is_file
from rankmark.sources.frames import from_frame, is_frame
from rankmark.sources.lists import OneQuery, from_list, holds_numbers
from rankmark.sources.mappings import NestedMapping
from rankmark.sources.records import from_records, is_record
from rankmark.sources.sparse import from_sparse, is_sparse

if TYPE_CHECKING:
    from rankmark.sources.source import Source

Kind = Literal["qrels", "run"]


_OF_ONE_KIND: dict[str, Kind] = {"label": "qrels", "score": "run", "rank": "run"}


class ForBoth(dict[str, Any]):
    """Columns named for judgments and a run at once: a form that has none passes over them."""

    def of(self, kind: Kind) -> ForBoth:
        """Leave out the roles that this kind has no use for."""
        return ForBoth((r, n) for r, n in self.items() if _OF_ONE_KIND.get(r, kind) == kind)


class ArrowStream(Protocol):
    """A frame of any library that hands over its columns as Arrow does."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """A batch of any library that hands over its columns as Arrow does."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class Tensor(Protocol):
    """An array of any library that exchanges them as DLPack does."""

    def __dlpack__(self, **options: Any) -> Any: ...


Readable = (
    str
    | os.PathLike[str]
    | IO[Any]
    | Mapping[Any, Any]
    | Iterable[Any]
    | ArrowStream
    | ArrowArray
    | Tensor
)
"""Whatever may hold judgments or a run."""


class Options(NamedTuple):
    """What a caller says about a source; None where the source speaks for itself.

    ``unused`` is a list where the options were said of two sources at once: then those that this
    one has no use for are noted there, and are no mistake unless the other has none either.
    """

    format: str | None = None
    columns: Mapping[str, Any] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    holds: Literal["ids", "scores", "labels"] | None = None
    unused: list[str] | None = None

    def given(self) -> list[str]:
        """Name the options that were said."""
        named = zip(self._fields[:-1], self[:-1], strict=True)
        return [name for name, value in named if value is not None]

    def used(self) -> set[str]:
        """Name the options that were said, and of use."""
        return {*self.given()} - {*(self.unused or ())}

    def only(self, form: str, *known: str) -> None:
        """Refuse options that this form has no use for."""
        if self is NOTHING_SAID:
            return
        strangers = [
            name
            for name in self.given()
            if name not in known and not isinstance(getattr(self, name), ForBoth)
        ]
        if self.unused is not None:
            self.unused.extend(strangers)
        elif strangers:
            raise InputError(f"{strangers[0]} says nothing about {form}; leave it out")


NOTHING_SAID = Options()


def recognised(source: Any, kind: Kind, options: Options) -> Source:
    """Find the form of an object.

    Raises
    ------
    SchemaError
        If it has none of the forms that are known.
    InputError
        If an option does not belong to its form.
    """
    if isinstance(options.columns, ForBoth):
        options = options._replace(columns=options.columns.of(kind) or None)
    for has_form, take in _FORMS:
        if has_form(source):
            return take(source, kind, options)
    raise SchemaError(f"{kind} is {type(source).__name__}{_advice(source)}; need {_wanted(kind)}")


def _is_mapping(source: Any) -> bool:
    return isinstance(source, Mapping)


def _from_mapping(source: Mapping[Any, Any], kind: Kind, options: Options) -> Source:
    options.only("a mapping")
    return OneQuery(source, kind) if holds_numbers(source) else NestedMapping(source, kind)


def _from_file(source: Any, kind: Kind, options: Options) -> Source:
    options.only("a file", "format", "columns")
    return FileSource(InputFile(source), kind, options)


def _is_set(source: Any) -> bool:
    return isinstance(source, AbstractSet)


def _from_set(source: AbstractSet[Any], kind: Kind, options: Options) -> Source:
    options.only("a set")
    return OneQuery(source, kind)


def _is_iterable(source: Any) -> bool:
    return isinstance(source, Iterable) and not isinstance(source, (bytes, bytearray, memoryview))


def _from_array(source: Any, kind: Kind, options: Options) -> Source:
    array = as_array(source, kind)
    if array.dtype == object:  # ids of several types, lists of several lengths
        return _from_iterable(array.tolist(), kind, options)
    return from_array(array, kind, options)


def _from_iterable(source: Iterable[Any], kind: Kind, options: Options) -> Source:
    """Take rows, or a list of ids or of rankings; what can be read only once is kept."""
    rows = list(source)
    if not rows and not isinstance(source, list):
        raise InputError(
            f"{kind}: {type(source).__name__}: it holds nothing; was it read through already?"
        )
    first = rows[0] if rows else None
    if is_record(first) or (isinstance(first, Mapping) and _names_its_fields(first, options)):
        return from_records(rows, kind, options)
    options.only("a list")
    return from_list(rows, kind)


def _names_its_fields(row: Mapping[Any, Any], options: Options) -> bool:
    """Say whether a mapping is a row with fields, and not ids with their labels or scores."""
    if options.columns is not None:
        return True
    return all(any(is_known(str(name), role) for name in row) for role in ("query_id", "doc_id"))


# In this order: a sparse matrix may be a mapping, a frame is also an array, and an array can be
# iterated over.
_FORMS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Kind, Options], Source]], ...] = (
    (is_sparse, from_sparse),
    (_is_mapping, _from_mapping),
    (is_file, _from_file),
    (is_frame, from_frame),
    (is_array, _from_array),
    (_is_set, _from_set),
    (_is_iterable, _from_iterable),
)


def _wanted(kind: Kind) -> str:
    number = "label" if kind == "qrels" else "score"
    return (
        f"a path, an open file, {{query id: {{document id: {number}}}}}, a frame, an array, a "
        f"sparse matrix, rows of (query_id, doc_id, {number}), or lists of ids"
    )


def _advice(source: Any) -> str:
    kind = type(source)
    if hasattr(kind, "collect"):
        return ", which holds no data yet: collect() it first"
    if hasattr(kind, "compute"):
        return ", which holds no data yet: compute() it first"
    return ""
