"""Judgments and runs of any form, written as a file of another format."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, SchemaError, shown
from rankmark.report.file_rows import Beside, arranged
from rankmark.report.row_formats import ROW_FORMATS, RowFormat, write_rows
from rankmark.report.writing import whole_file
from rankmark.sources import Qrels, Run, cores
from rankmark.sources.contract.source_options import SourceOptions
from rankmark.sources.files.file_source import FileSource
from rankmark.sources.files.files import InputFile, is_file
from rankmark.sources.files.formats import GROUPED
from rankmark.sources.files.packing import zstd_writer
from rankmark.sources.judgments.subtopic_judgments import BySubtopic
from rankmark.sources.recognise.forms import recognised

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Progress, Rows, Source
    from rankmark.sources.contract.source_options import Kind
    from rankmark.sources.recognise.forms import Readable

_BY_NAME: dict[str, RowFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".trec": "trec",
    ".run": "trec",
    ".qrels": "trec",
    ".txt": "trec",
}
_PACKED = (".gz", ".bz2", ".xz", ".zst")


def convert(
    source: Readable | Qrels | Run,
    target: str | os.PathLike[str],
    *,
    kind: Kind | None = None,
    to: RowFormat | None = None,
    format: str | None = None,  # noqa: A002
    columns: Mapping[str, Any] | None = None,
    tag: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write judgments or a run as a file of another format, whole or not at all.

    Rows are written query by query, the documents of a run best first, with ranks from 1. What
    is written evaluates to the same scores as what was read, to the bit, and is read back without
    options. The target may be the source's own file.

    Parameters
    ----------
    source
        Anything that ``evaluate`` takes.
    target
        Path of the file; ``-`` for standard output. Names that end in .gz, .bz2, .xz or .zst are
        packed.
    kind
        ``"qrels"`` or ``"run"``; None for what a file's columns or its name say, or what was
        prepared.
    to
        ``"trec"``, ``"msmarco"``, ``"beir"`` (judgments alone), ``"csv"``, ``"tsv"``, ``"json"``,
        ``"jsonl"`` or ``"parquet"``; None for what the target's name says.
    format, columns
        Of the source; see Qrels and Run.
    tag
        What to call the run in its column of tags; None for the tags of the source, if it is a
        file that has some.
    threads, progress
        How many threads read a file, and who is told how far.

    Raises
    ------
    InputError
        If it is not clear what is read or written, the source cannot be read, an id has no place
        in the format, or the file cannot be written.

    Notes
    -----
    An MS MARCO run holds ranks and no scores: there documents that tie are ordered by id,
    descending, as ``evaluate`` orders them unless another rule is chosen.

    Examples
    --------
    >>> import rankmark as rm
    >>> rm.convert({"q1": {"a": 1, "b": 0}}, "-", kind="qrels", to="trec")
    q1 0 a 1
    q1 0 b 0
    """
    _refuse_no_path(target)
    form = _form(target, to)
    options = SourceOptions(format, columns)
    held, is_of = _source(source, kind, options)
    if tag is not None and is_of == "qrels":
        raise InputError(f"tag is {tag!r}, and judgments have no tags; leave it out")
    threads = threads or cores()
    rows, beside = _read(held, is_of, tag, threads, progress)
    if not len(rows.query_codes):
        raise InputError(f"{held.name}: holds nothing that could be written")
    if rows.number is not None and bool(np.isnan(rows.number).any()):
        row = int(np.isnan(rows.number).argmax())
        where = f"row {row} (from 0)" if rows.line is None else f"line {rows.line[row]}"
        raise SchemaError(f"{held.name}: {where}: the number is NaN; remove or replace it")
    listing = arranged(rows, is_of, beside, ties="docid" if form == "msmarco" else "input")
    with _opened(target) as file:
        write_rows(listing, form, file)


def _read(
    held: Source, kind: Kind, tag: str | None, threads: int, progress: Progress | None
) -> tuple[Rows, Beside | None]:
    """List all rows, with what is kept beside ids and numbers."""
    file = held if isinstance(held, FileSource) else None
    if kind == "qrels":
        by_subtopic = getattr(held, "rows_by_subtopic", None)
        may_have = isinstance(held, BySubtopic) or (file is not None and file.has_subtopics())
        if by_subtopic is not None and may_have:
            read = by_subtopic(threads=threads, progress=progress)
            codes = np.asarray(read.codes, dtype=np.int64)
            # A column that says one thing of all rows, as plain judgments have it, says nothing.
            several = len(codes) > 0 and bool((codes != codes[0]).any())
            return read.rows, Beside("subtopic", codes, read.ids) if several else None
        return _with_empty_queries(held, threads, progress), None
    rows = held.rows(lenient=False, threads=threads, progress=progress)
    if tag is not None:
        return rows, Beside("tag", np.zeros(len(rows.query_codes), dtype=np.int64), lambda _: tag)
    tags = None if file is None or not len(rows.query_codes) else file.tags(rows, threads=threads)
    return rows, None if tags is None else Beside("tag", *tags)


def _with_empty_queries(held: Source, threads: int, progress: Progress | None) -> Rows:
    """List all judgments, and among their queries those that name no document."""
    rows = held.rows(lenient=False, threads=threads, progress=progress)
    if rows.line is not None or rows.row is not None:
        return rows  # a row names a document
    try:
        query_ids = held.read_qrels(threads=threads, progress=None).query_ids
    except InputError:  # evaluate refuses it, for what convert may hand on: a document twice
        return rows
    place = {query: code for code, query in enumerate(query_ids)}
    if len(query_ids) == len(rows.query_ids) or not place.keys() >= set(rows.query_ids):
        return rows
    codes = np.array([place[query] for query in rows.query_ids], dtype=np.uint32)
    return rows._replace(query_ids=query_ids, query_codes=codes[rows.query_codes])


def _refuse_no_path(target: object) -> None:
    if not isinstance(target, (str, os.PathLike)) or isinstance(os.fspath(target), bytes):
        raise InputError(f"target is {shown(target)}; need the path of a file as text, or -")


def _form(target: str | os.PathLike[str], to: str | None) -> RowFormat:
    if to is not None:
        if to not in ROW_FORMATS:
            raise InputError(f"to is {shown(to)}; need one of {', '.join(ROW_FORMATS)}")
        return to
    suffixes = [one for one in Path(target).suffixes if one.lower() not in _PACKED]
    form = _BY_NAME.get(suffixes[-1].lower()) if suffixes else None
    if form is None:
        raise InputError(
            f"{os.fspath(target)}: the name says no format; choose one of "
            f"{', '.join(ROW_FORMATS)}, with --to or in Python to="
        )
    return form


def _source(source: Any, kind: Kind | None, options: SourceOptions) -> tuple[Source, Kind]:
    if isinstance(source, (Qrels, Run)):
        own: Kind = "qrels" if isinstance(source, Qrels) else "run"
        if kind not in {None, own}:
            raise InputError(f"kind is {shown(kind)}, and the source is a prepared {own}")
        return source.source, own
    if kind is None and is_file(source):
        file = InputFile(source)
        found = FileSource(file, "run", options).kind()
        if found is None:
            raise InputError(
                f"{file.name}: may hold judgments or a run; say which: --as qrels or --as run, or "
                'in Python kind="qrels" or kind="run"'
            )
        return FileSource(file, found, _by_subtopic(file, found, options)), found
    if kind not in {"qrels", "run"}:
        raise InputError(f"kind is {shown(kind)}; need qrels or run")
    if is_file(source) and options.format not in GROUPED:
        file = InputFile(source)
        return FileSource(file, kind, _by_subtopic(file, kind, options)), kind
    return recognised(source, kind, options), kind


def _by_subtopic(file: InputFile, kind: Kind, options: SourceOptions) -> SourceOptions:
    """Ask for subtopics where a file of judgments has a column for them."""
    has = kind == "qrels" and FileSource(file, kind, options).has_subtopics()
    return options._replace(subtopics=True) if has else options


@contextmanager
def _opened(target: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    if os.fspath(target) == "-":
        if sys.stdout is None:
            raise InputError("stdout is closed; name a file to write")
        sys.stdout.flush()
        if hasattr(sys.stdout, "buffer"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:  # standard output was replaced by something that takes text
            from io import BytesIO  # noqa: PLC0415

            kept = BytesIO()
            yield kept
            sys.stdout.write(kept.getvalue().decode("utf-8", "backslashreplace"))
        return
    with whole_file(Path(target)) as file, _packed(file, Path(target)) as packed:
        yield packed


@contextmanager
def _packed(file: IO[bytes], target: Path) -> Iterator[Any]:
    suffix = target.suffix.lower()
    if suffix == ".gz":
        import gzip  # noqa: PLC0415

        # Without name and time, so that the same rows are the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed
    elif suffix == ".bz2":
        import bz2  # noqa: PLC0415

        with bz2.BZ2File(file, "wb") as packed:
            yield packed
    elif suffix == ".xz":
        import lzma  # noqa: PLC0415

        with lzma.LZMAFile(file, "wb") as packed:
            yield packed
    elif suffix == ".zst":
        with zstd_writer(file, f"{target}: writing zstd") as packed:
            yield packed
    else:
        yield file
