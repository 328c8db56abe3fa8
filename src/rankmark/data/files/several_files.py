"""Folders, patterns and URLs: Parquet and Arrow files that are one source together."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import unquote

from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.files.columnar import (
    ColumnarFile,
    FileBatches,
    RandomAccess,
    from_columnar_file,
)
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.first_bytes import Head, first_bytes
from rankmark.data.files.formats import FormatName, columnar_form, json_form
from rankmark.data.files.input_file import InputFile, printable
from rankmark.data.files.opened import pieces_of
from rankmark.data.frames.streams import from_batches
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.errors import InputError, MissingDependencyError, ParseError, SchemaError

_MAGIC_BYTES = 6
_JSON = r"\.(json|jsonl|ndjson)(\.(gz|bz2|xz|zst))?$"
_NO_DATA = ("_", ".")  # how the names of files begin that hold no rows, such as _SUCCESS


def from_several(path: str, kind: Kind, options: SourceOptions) -> Source:
    """Read the files of a folder, or those that a pattern names, as one source."""
    name = printable(path)
    if os.path.isdir(path):  # noqa: PTH112
        if (of_json := _json_in([path])) is not None:
            return _from_json(of_json, name, kind, options)
        try:
            paths = _columnar_in([path], name)
        except ParseError:
            _refuse_beir(path, name, kind)
            raise
        if not paths:
            raise InputError("the folder has no files", "check the path", where=name)
    else:
        found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207
        if len(found) == 1 and os.path.isfile(found[0]):  # noqa: PTH113
            return FileSource(InputFile(found[0]), kind, options)
        if (of_json := _json_in(found)) is not None:
            return _from_json(of_json, name, kind, options)
        paths = _columnar_in(found, name)
        if not paths:
            raise InputError("no file matches", "check the pattern", where=name)
    return source_of(name, [*map(InputFile, paths)], paths, kind, options)


def _json_in(paths: Sequence[str]) -> list[str] | None:
    """List the files if all have names of JSON; None for others, or if they cannot be listed."""
    try:
        found = [file for path in paths for file in _files_in(path)]
    except OSError:
        return None
    return found if found and all(re.search(_JSON, file.lower()) for file in found) else None


def _from_json(
    paths: Sequence[str], name: str, kind: Kind, options: SourceOptions
) -> NestedMapping:
    """Read files of JSON together; a file's name is the query of an answer that does not say."""
    from rankmark.data.files.json_documents import Documents  # noqa: PLC0415  (most are others)
    from rankmark.data.files.json_text import json_bytes  # noqa: PLC0415

    documents = Documents(name, kind, options)
    for path in paths:
        file = InputFile(path)
        stem = re.sub(_JSON, "", os.path.basename(path))  # noqa: PTH119
        with file.descriptor() as descriptor:
            head = Head(*first_bytes(pieces_of(descriptor), file.name), file.name, kind)
            by_line = json_form(head) == "jsonl"
            data = json_bytes(descriptor, file.name, by_line=by_line)
        documents.read(data, by_line=by_line, query_id=stem, name=file.name)
    gathered = documents.gathered
    if not gathered.mapping and kind == "qrels":
        raise ParseError("it holds no judgments", "need some for one query", where=name)
    source = NestedMapping(gathered.by_query(), kind)
    source.name = name
    source.form = {"form": "json", **documents.form, "columns": documents.columns}
    return source


def source_of(
    name: str,
    files: Sequence[RandomAccess],
    paths: Sequence[str],
    kind: Kind,
    options: SourceOptions,
) -> Source:
    """Read several files as one source.

    Parameters
    ----------
    paths
        Of the files; parts such as ``query_id=7`` are columns.
    """
    columnar = []
    for file, path in zip(files, paths, strict=True):
        form = _form_of(file, name)
        columnar.append(ColumnarFile(file, form, values_in(path)))
    first = columnar[0]
    names = first.names()
    for other in columnar[1:]:
        held = other.names()
        missing = [column for column in names if column not in held]
        if missing:
            raise SchemaError(
                f"there is no column {missing[0]!r}, which {first.file.name} has",
                "files that are read together need the same columns",
                where=other.file.name,
            )
    batches = FileBatches(columnar, names)
    return from_batches(batches, name, first.form, kind, options, is_file=True)


def _refuse_beir(folder: str, name: str, kind: Kind) -> None:
    """Refuse the folder of a BEIR data set, which holds several files of judgments."""
    judged = sorted(glob.glob(os.path.join(glob.escape(folder), "qrels", "*.tsv")))  # noqa: PTH118, PTH207
    if not judged:
        return
    found = "this is the folder of a BEIR data set, which has judgments and no run"
    remedy = "give the file of a run"
    if kind == "qrels":
        found = "this is the folder of a BEIR data set, which has several files"
        of_test = [file for file in judged if file.endswith("test.tsv")]
        remedy = f"give one of judgments: {printable((of_test or judged)[0])}"
    raise ParseError(found, remedy, where=name)


def _columnar_in(paths: Sequence[str], name: str) -> list[str]:
    """List the files, or refuse the first of another format, before a whole disk is walked."""
    found = []
    try:
        for path in paths:
            for file in _files_in(path):
                _form_of(InputFile(file), name)
                found.append(file)
    except OSError as error:  # of a folder, such as links in a circle
        raise InputError(
            f"it cannot be read: {error.strerror}", "check the path", where=name
        ) from None
    return found


def _form_of(file: RandomAccess, name: str) -> FormatName:
    with file.at_any_place() as opened:
        form = columnar_form(opened.read(_MAGIC_BYTES) or b"")
    if form is None:
        raise ParseError(
            "this is neither Parquet nor Arrow",
            f"all files of {name} are read as one source; name one file",
            where=file.name,
        )
    return form


def _files_in(folder: str) -> Iterator[str]:
    """Yield the files in a folder and in those in it, in order; a file by itself."""
    if not os.path.isdir(folder):  # noqa: PTH112
        yield folder
        return
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.startswith(_NO_DATA):
            continue
        if entry.is_dir():
            yield from _files_in(entry.path)
        else:
            yield entry.path


def values_in(path: str) -> dict[str, str]:
    """Return the columns that the folders of a path name, as Hive does."""
    folders = re.split(r"[/\\]", path)[:-1]
    pairs = (folder.partition("=") for folder in folders if "=" in folder)
    return {unquote(key): unquote(value) for key, _, value in pairs}


def from_url(url: str, kind: Kind, options: SourceOptions) -> Source:
    """Read a file elsewhere: Parquet in batches, other formats from a temporary copy."""
    with _reading(url):
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError(
                "fsspec", "remote", "reading from a URL", where=url
            ) from None
        system, path = url_to_fs(url)
        if glob.has_magic(path) and not system.exists(path):
            paths = sorted(system.glob(path))
        elif system.isdir(path):
            paths = sorted(system.find(path))
        else:
            paths = [path]
        paths = [each for each in paths if not each.rsplit("/", 1)[-1].startswith(("_", "."))]
        if not paths:
            raise InputError("no file matches", "check the URL", where=url)
        files = [_Elsewhere(system, each, url if [each] == [path] else each) for each in paths]
        if len(files) > 1:
            return source_of(url, files, paths, kind, options)
        with files[0].at_any_place() as opened:
            form = columnar_form(opened.read(_MAGIC_BYTES))
        if form is None:
            with files[0].at_any_place() as opened:
                file = InputFile(opened)
            file.name = url
            return FileSource(file, kind, options)
        return from_columnar_file(ColumnarFile(files[0], form), kind, options)


class _Elsewhere:
    """A file of one of fsspec's file systems."""

    def __init__(self, system: Any, path: str, name: str) -> None:
        self._system = system
        self._path = path
        self.name = name

    @contextmanager
    def at_any_place(self) -> Iterator[IO[bytes]]:
        """Open it for reading."""
        with _reading(self.name), self._system.open(self._path, "rb") as file:
            yield file

    def as_read(self) -> _Elsewhere:
        """Return the file itself."""
        return self

    def pinned(self) -> _Elsewhere:
        """Return the file itself."""
        return self

    def sha256(self) -> str | None:
        """Return None: it would have to be read as a whole."""
        return None


@contextmanager
def _reading(url: str) -> Iterator[None]:
    """Turn errors of fsspec into ours."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("there is no such file", "check the URL", where=url) from None
    except ImportError as error:
        if isinstance(error, MissingDependencyError):
            raise
        named = re.search(r"[Ii]nstall [`'\"]?([\w-]+)", str(error))
        library = str(error) if named is None else named[1]
        raise MissingDependencyError(library, None, "reading from this URL", where=url) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"the file cannot be read: {error}", "check the URL and your permissions", where=url
        ) from None
