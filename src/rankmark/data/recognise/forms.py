"""Recognise the form of judgments or a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Protocol

from rankmark.data.contract.source_options import NO_OPTIONS, Kind, SourceOptions
from rankmark.data.files.byte_streams import as_bytes
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.formats import GROUPED, OF_TEXT
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source

_MAGIC = frozenset("*?[")


def is_not_one_file(path: str) -> bool:
    """Return True for a folder, a URL, and a pattern that is not itself the path of a file."""
    if "://" in path or os.path.isdir(path):  # noqa: PTH112
        return True
    return not _MAGIC.isdisjoint(path) and not os.path.exists(path)  # noqa: PTH110


def of_several_or_url(path: str, kind: Kind, options: SourceOptions) -> Source:
    """Read a folder, a pattern or a URL as one source."""
    if "://" in path:
        from rankmark.data.files.several_files import from_url  # noqa: PLC0415  (most files are here)

        return from_url(path, kind, options)
    from rankmark.data.files.several_files import from_several  # noqa: PLC0415

    if options.format in OF_TEXT:
        raise InputError(
            f"format is {options.format!r}, and this is "
            + ("a folder" if os.path.isdir(path) else "a pattern"),  # noqa: PTH112
            "name one file; only files of Parquet, Arrow or JSON are read together",
            where=path,
        )
    return from_several(path, kind, options)


class ArrowStream(Protocol):
    """A frame of any library that exports Arrow data."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """A batch of any library that exports Arrow data."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class Tensor(Protocol):
    """An array of any library that supports DLPack."""

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
"""Anything that may contain judgments or a run."""


def recognised(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Return a source for an object of any form."""
    if options is NO_OPTIONS:  # as in most small calls
        read = _reader_of_objects() if type(source) is dict else _found
        return read(source, kind, options)
    if options.split is not None:
        from rankmark.data.recognise.split_cells import SplitCells  # noqa: PLC0415  (rarely used)

        whole = recognised(source, kind, options._replace(split=None))
        return SplitCells(whole, kind, options.split)
    if options.contents in {"ranks", "targets"}:
        return _of_targets(source, kind, options)
    if options.format in GROUPED:
        return _by_group(source, kind, options)
    if kind == "qrels" and options.by_subtopic:
        from rankmark.data.judgments.subtopic_judgments import BySubtopic  # noqa: PLC0415  (few ask for it)

        return BySubtopic(_recognised(source, kind, options))
    return _recognised(source, kind, options)


def _of_targets(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read ranks of targets as a run, or their columns as judgments."""
    if options.contents == "targets":
        from rankmark.data.arrays.target_columns import targets_of  # noqa: PLC0415

        options.only("targets", "contents")
        return targets_of(source)
    from rankmark.data.recognise.target_ranks import TargetRanks, ranks_of_targets  # noqa: PLC0415

    found = ranks_of_targets(source)
    if found is not None:
        options.only("ranks of targets", "contents")
        return found
    return TargetRanks(recognised(source, kind, options._replace(contents="scores")))


def _by_group(source: Any, kind: Kind, options: SourceOptions) -> Source:
    from rankmark.data.judgments.group_judgments import ByGroup  # noqa: PLC0415  (few files have groups)

    assert options.format is not None  # noqa: S101
    if kind == "run":
        raise InputError(f"format {options.format} is for judgments", "a run has no groups")
    if options.by_subtopic:
        raise InputError(
            f"format {options.format} has no subtopics, which measures of diversity need",
            "ask for other measures, or give judgments by subtopic",
        )
    if not is_file(source):
        raise InputError(f"format {options.format} is for files", "give the path of one")
    options.only("a file", "format")
    file = FileSource(InputFile(source), kind, options)
    return ByGroup(file, options.format)


def _recognised(source: Any, kind: Kind, options: SourceOptions) -> Source:
    found = _found(source, kind, options)
    if options is not NO_OPTIONS:
        found.vouched = options.vouch_for(kind) or _are_own_labels(source, kind)
    return found


def _are_own_labels(source: Any, kind: Kind) -> bool:
    """Return whether judgments are a result of a verb, whose labels may be any numbers."""
    return kind == "qrels" and hasattr(type(source), "_is_result")


def _found(source: Any, kind: Kind, options: SourceOptions) -> Source:
    if type(source) is dict:  # the most frequent form
        return _reader_of_objects()(source, kind, options)
    if is_file(source):
        options.only("a file", "format", "columns")
        if isinstance(source, (str, os.PathLike)) and is_not_one_file(path := os.fsdecode(source)):
            return of_several_or_url(path, kind, options)
        if isinstance(source, str) and not os.path.exists(source):  # noqa: PTH110
            from rankmark.data.recognise.named_datasets import from_named_dataset  # noqa: PLC0415

            named = from_named_dataset(source, kind, options, _reader_of_objects())
            if named is not None:
                return named
        return FileSource(InputFile(source), kind, options)
    if hasattr(type(source), "__next__") and not hasattr(type(source), "__arrow_c_stream__"):
        source = as_bytes(source, kind)
        if is_file(source):
            return _recognised(source, kind, options)
    found = _reader_of_objects()(source, kind, options)
    if _are_own_labels(source, kind):
        found.vouched = True
    return found


@cache  # as looking up a module takes longer than a small dict
def _reader_of_objects() -> Callable[[Any, Kind, SourceOptions], Source]:
    from rankmark.data.recognise.objects import of_object  # noqa: PLC0415  (not needed for files)

    return of_object
