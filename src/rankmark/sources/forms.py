"""Which form of judgments or of a run an object is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol

from rankmark.errors import InputError, SchemaError
from rankmark.sources.arrays import as_array, from_array, is_array
from rankmark.sources.columns import NAMES
from rankmark.sources.files import TextFile, is_file
from rankmark.sources.frames import from_frame, is_frame
from rankmark.sources.lists import OneQuery, from_list, holds_numbers
from rankmark.sources.mappings import NestedMapping
from rankmark.sources.records import from_records, is_record
from rankmark.sources.sparse import from_sparse, is_sparse
from rankmark.sources.trec import TrecText

if TYPE_CHECKING:
    from rankmark.sources.source import Source

Kind = Literal["qrels", "run"]


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


@dataclass(frozen=True, slots=True)
class Options:
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
        names = (field.name for field in fields(self) if field.name != "unused")
        return [name for name in names if getattr(self, name) is not None]

    def used(self) -> set[str]:
        """Name the options that were said, and of use."""
        return {*self.given()} - {*(self.unused or ())}

    def only(self, form: str, *known: str) -> None:
        """Refuse options that this form has no use for."""
        strangers = [name for name in self.given() if name not in known]
        if self.unused is not None:
            self.unused.extend(strangers)
        elif strangers:
            raise InputError(f"{strangers[0]} says nothing about {form}; leave it out")


def recognised(source: Any, kind: Kind, options: Options) -> Source:
    """Find the form of an object.

    Raises
    ------
    SchemaError
        If it has none of the forms that are known.
    InputError
        If an option does not belong to its form.
    """
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
    options.only("TREC text")
    return TrecText(TextFile(source), kind=kind)


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
    named = {str(name).lower().replace("_", "") for name in row}
    return all(
        named & {known.replace("_", "") for known in NAMES[role]} for role in ("query_id", "doc_id")
    )


# In this order: a frame is also an array, and an array can be iterated over.
_FORMS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Kind, Options], Source]], ...] = (
    (_is_mapping, _from_mapping),
    (is_file, _from_file),
    (is_sparse, from_sparse),
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
