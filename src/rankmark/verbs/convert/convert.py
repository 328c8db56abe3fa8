"""Write judgments and runs of any form as files of another format."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import numpy as np

from rankmark.arguments import Columns, FromOne, Text, checked
from rankmark.arguments import Kind as KindOfArgument
from rankmark.array_types import distinct
from rankmark.conventions import Combining, Conventions, ListTies, Separator, combination
from rankmark.data.contract.reading_options import Progress, Reading
from rankmark.data.contract.source import Rows, Source
from rankmark.data.contract.source_options import Kind, SourceOptions, Split
from rankmark.data.evidence.distances import refuse_rising, rises_of
from rankmark.data.evidence.listed_ids import refuse_lists
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.formats import GROUPED
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.data.files.opened import of_python, zstd_writer
from rankmark.data.files.whole_files import path_given, whole_file
from rankmark.data.judgments.subtopic_judgments import BySubtopic
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.parents import ParentsSource, own_rows, source_of, with_parents
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import unite_runs
from rankmark.data.preparing.units import (
    UnitCounts,
    judgments_of_documents,
    refuse_unused_combination,
    with_parents_of,
)
from rankmark.data.recognise.forms import Readable, is_not_one_file, recognised
from rankmark.data.recognise.split_cells import SplitCells
from rankmark.errors import InputError, SchemaError, shown
from rankmark.scoring.mismatch_warnings import warn_of_units
from rankmark.verbs.convert.row_formats import (
    ROW_FORMATS,
    ExtraColumn,
    RowFormat,
    arranged,
    write_rows,
)


def _tag(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise InputError(f"{name} is {shown(given)}", "need the name of the run as text")
    return given


Tag = Annotated[str, KindOfArgument(_tag)]
RowContents = Literal["scores", "labels"]


def ranks_units(source: Source, units: Conventions) -> bool:
    """Return whether a source holds units."""
    if units.unit is not None or with_parents_of(source) is not None:
        return True
    refuse_unused_combination(units, ())
    return False


def judgments_of_units(qrels: Qrels, units: Conventions) -> NestedMapping:
    """Return judgments of the documents of units, each with the highest label of its units."""
    if units.combine != "best" or units.unit_depth is not None:
        name = "combine" if units.combine != "best" else "unit_depth"
        raise InputError(f"{name} is about runs, and these are judgments", "leave it out")
    return NestedMapping(judgments_of_documents(qrels, units.unit).by_query(), "qrels")


def rows_of_documents(run: Run, units: Conventions, reading: Reading) -> Rows:
    """Rank the documents of units, and list them query by query, best first.

    Parameters
    ----------
    run
        A run of units, with their documents unless ``units`` says how their ids are made.
    units
        How units become documents.

    Returns
    -------
    Rows
        ``number`` is None where the order does not come from scores.
    """
    # Documents with equal scores stay in the order of the run, unless the ranks of units count.
    how, _ = combination(units.combine)
    by_order = how in {"first", "rrf"} or units.unit_depth is not None
    ties: ListTies = "docid" if by_order else "input"
    united = unite_runs([run], ties=ties, units=units, reading=reading)
    ids: list[str] = []
    sizes, scores = [np.empty(0, np.int64)], [np.empty(0)]
    counts: list[UnitCounts] = []
    for part in united.parts(threads=reading.workers):
        (found,) = part.lists.lists
        counts += part.counts.of_units
        ids += part.documents.ids()
        sizes.append(found.sizes)
        scores.append(found.score)
    warn_of_units(counts, run.name)
    codes = np.repeat(np.arange(len(united.queries), dtype=np.uint32), np.concatenate(sizes))
    (has_scores,) = united.has_scores
    is_by_score = has_scores and how != "first"
    return Rows(
        codes,
        united.queries,
        np.arange(len(ids), dtype=np.uint32),
        ids.__getitem__,
        lambda asked: np.full(len(asked), -1, np.int64),
        np.concatenate(scores) if is_by_score else None,
        None,
        None,
    )


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
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


@checked
def convert(
    source: Readable | Qrels | Run,
    target: str | os.PathLike[str],
    *,
    kind: Kind | None = None,
    to: RowFormat | None = None,
    format: Text | None = None,  # noqa: A002
    columns: Columns = None,
    contents: RowContents | None = None,
    split: Split | None = None,
    tag: Tag | None = None,
    unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    parents: ParentsSource | None = None,
    threads: FromOne | None = None,
    progress: Progress | None = None,
) -> None:
    """Write judgments or a run as a file of another format, completely or not at all.

    Rows are written query by query, the documents of a run best first, with ranks from 1. The new
    file is read without options, and gives exactly the same scores. It may replace the source.

    Parameters
    ----------
    source
        Anything that ``evaluate`` takes.
    target
        Path of the file; ``-`` for standard output. The file is compressed if its name ends in
        .gz, .bz2, .xz or .zst.
    kind
        What the source contains; None for detected from its columns or its name.

        ``"qrels"`` or ``"run"``; a prepared source says it itself.
    to
        Format of the target; None for from the ending of its name.

        ``"trec"``, ``"msmarco"``, ``"beir"`` (judgments only), ``"csv"``, ``"tsv"``, ``"json"``,
        ``"jsonl"`` or ``"parquet"``.
    format
        Format of the source; None for detected from its content.

        See Qrels and Run.
    columns, contents, split
        For the source; see Qrels and Run.
    tag
        Run tag to write; None for the tags in the source.

        It has tags if it is a file.
    unit, combine, unit_depth, parents
        If the source holds units of documents, such as chunks, as for ``evaluate``: documents are
        written in place of them, of judgments each with the highest label of its units. So they
        are if the source was prepared with parents, or ``columns`` names a parent.
    threads, progress
        As for ``evaluate``.

    Raises
    ------
    InputError
        If the kind or the format is unclear, the source cannot be read, a unit has no document,
        the format cannot contain an id, or the file cannot be written.

    Notes
    -----
    An MS MARCO run has ranks but no scores: tied documents are ordered by id, descending, which is
    the default of ``evaluate``.

    Examples
    --------
    >>> import rankmark as rm
    >>> rm.convert({"q1": {"a": 1, "b": 0}}, "-", kind="qrels", to="trec")
    q1 0 a 1
    q1 0 b 0
    """
    path_given("target", target)
    form = format_of(target, to)
    options = SourceOptions(format, columns, contents=contents, parents=parents)
    found, kind = _source(source, kind, options)
    if split is not None:
        found = SplitCells(found, kind, split)
    if tag is not None and kind == "qrels":
        raise InputError(f"tag is {tag!r}, and judgments have no tags", "leave it out")
    reading = Reading.of(threads=threads, progress=progress)
    units = Conventions(unit=unit, combine=combine, unit_depth=unit_depth)
    of_units = ranks_units(found, units)
    if kind == "run" and of_units:
        rows, extra = rows_of_documents(Run.of(found), units, reading), None
        tag = tag or _common_tag(own_rows(found), reading)
        if tag is not None:
            extra = _same_tag(rows, tag)
    else:
        if of_units:
            found = judgments_of_units(Qrels.of(found, reading), units)
        rows, extra = _read(found, kind, tag, reading)
        codes = dict.fromkeys(np.asarray(rows.doc_codes)[:1000].tolist())
        if not found.vouched:
            refuse_lists(map(rows.doc_ids, codes), found.name)
        if kind == "run":
            refuse_rising(found, rises_of(rows), rows.order)
    if not len(rows.query_codes):
        raise InputError(
            "there is nothing to write", "give some judgments or rankings", where=found.name
        )
    if rows.number is not None and bool(np.isnan(rows.number).any()):
        row = int(np.isnan(rows.number).argmax())
        where = f"row {row} (from 0)" if rows.line is None else f"line {rows.line[row]}"
        raise SchemaError(f"{where}: the number is NaN", "remove or replace it", where=found.name)
    # The rows are many: what is not written is forgotten, and what is, not kept twice.
    rows = rows._replace(line=None)
    listing = arranged(rows, kind, extra, ties="docid" if form == "msmarco" else "input")
    del rows, extra
    with opened(target) as file:
        write_rows(listing, form, file)


def _read(
    source: Source, kind: Kind, tag: str | None, reading: Reading
) -> tuple[Rows, ExtraColumn | None]:
    """Read all rows, with their tags or subtopics."""
    file = source if isinstance(source, FileSource) else None
    if kind == "qrels":
        by_subtopic = getattr(source, "rows_by_subtopic", None)
        may_have = isinstance(source, BySubtopic) or (file is not None and file.has_subtopics())
        if by_subtopic is not None and may_have:
            read = by_subtopic(reading)
            codes = np.asarray(read.codes, dtype=np.int64)
            # Plain judgments have the same value in all rows of this column.
            several = len(codes) > 0 and bool((codes != codes[0]).any())
            return read.rows, ExtraColumn("subtopic", codes, read.ids) if several else None
        return _with_empty_queries(source, reading), None
    rows = source.rows(reading, lenient=False)
    file = None if file is None else file.as_read()  # tags are read on their own
    if tag is not None:
        return rows, _same_tag(rows, tag)
    tags = None if file is None or not len(rows.query_codes) else file.tags(rows, reading)
    return rows, None if tags is None else ExtraColumn("tag", *tags)


def _same_tag(rows: Rows, tag: str) -> ExtraColumn:
    codes = np.broadcast_to(np.int64(0), len(rows.query_codes))
    return ExtraColumn("tag", codes, lambda _: tag)


def _common_tag(source: Source, reading: Reading) -> str | None:
    """Return the tag of all rows of a file; None if there is none, or they have several."""
    file = source.as_read()
    if not isinstance(file, FileSource):
        return None
    tags = file.tags(file.rows(reading.in_silence(), lenient=False), reading)
    if tags is None:
        return None
    codes, text = tags
    found = {text(code) for code in distinct(codes).tolist()}
    return found.pop() if len(found) == 1 else None


def _with_empty_queries(source: Source, reading: Reading) -> Rows:
    """Read all judgments, including queries without documents."""
    rows = source.rows(reading, lenient=False)
    if rows.line is not None or rows.row is not None:
        return rows  # each row has a document
    try:
        query_ids = source.read_qrels(reading.in_silence()).query_ids
    except InputError:  # such as a duplicate, which is copied
        return rows
    numbers = {query: code for code, query in enumerate(query_ids)}
    if len(query_ids) == len(rows.query_ids) or not numbers.keys() >= set(rows.query_ids):
        return rows
    codes = np.array([numbers[query] for query in rows.query_ids], dtype=np.uint32)
    return rows._replace(query_ids=query_ids, query_codes=codes[rows.query_codes])


def format_of(target: str | os.PathLike[str], to: str | None) -> RowFormat:
    """Return the format of a target: the one requested, or that of its name."""
    if to is not None:
        if to not in ROW_FORMATS:
            raise InputError(f"to is {shown(to)}", f"need one of {', '.join(ROW_FORMATS)}")
        return to
    suffixes = [suffix for suffix in Path(target).suffixes if suffix.lower() not in _COMPRESSED]
    form = _BY_NAME.get(suffixes[-1].lower()) if suffixes else None
    if form is None:
        raise InputError(
            f"{os.fspath(target)}: the name does not end in a known format",
            f"end it in {', '.join(_BY_NAME)}; or choose a format: --to of convert and fuse, or "
            "to= in Python",
        )
    return form


def _source(source: Any, kind: Kind | None, options: SourceOptions) -> tuple[Source, Kind]:
    if isinstance(source, (Qrels, Run)):
        own: Kind = "qrels" if isinstance(source, Qrels) else "run"
        if kind not in {None, own}:
            raise InputError(
                f"kind is {shown(kind)}, but the source is a prepared {own}", "leave it out"
            )
        if options.parents is not None:
            return with_parents(source.source, options.parents), own
        return source.source, own
    if options.parents is not None or (options.columns is not None and "parent" in options.columns):
        named = {role: name for role, name in (options.columns or {}).items() if role != "parent"}
        _, kind = _source(source, kind, options._replace(columns=named or None, parents=None))
        return source_of(source, kind, options), kind
    several = isinstance(source, (str, os.PathLike)) and is_not_one_file(os.fsdecode(source))
    if kind is None and several:
        raise _unclear(os.fsdecode(source))
    if kind is None and is_file(source):
        file = InputFile(source)
        found = FileSource(file, "run", options).kind()
        if found is None:
            raise _unclear(file.name)
        return FileSource(file, found, _by_subtopic(file, found, options)), found
    if kind not in {"qrels", "run"}:
        raise InputError(f"kind is {shown(kind)}", "need one of qrels, run")
    if is_file(source) and not several and options.format not in GROUPED:
        file = InputFile(source)
        return FileSource(file, kind, _by_subtopic(file, kind, options)), kind
    return recognised(source, kind, options), kind


def _unclear(name: str) -> InputError:
    return InputError(
        "this may be judgments or a run",
        'say which: --as qrels or --as run, or in Python kind="qrels" or kind="run"',
        where=name,
    )


def _by_subtopic(file: InputFile, kind: Kind, options: SourceOptions) -> SourceOptions:
    """Ask for subtopics if a file of judgments has a column of them."""
    has = kind == "qrels" and FileSource(file, kind, options).has_subtopics()
    return options._replace(subtopics=True) if has else options


@contextmanager
def opened(target: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a target, ``-`` for standard output, compressed if its name says so."""
    if os.fspath(target) == "-":
        if sys.stdout is None:
            raise InputError("stdout is closed", "name a file to write")
        sys.stdout.flush()
        if hasattr(sys.stdout, "buffer"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:  # standard output was replaced by a text stream
            from io import BytesIO  # noqa: PLC0415

            buffer = BytesIO()
            yield buffer
            sys.stdout.write(buffer.getvalue().decode("utf-8", "backslashreplace"))
        return
    with whole_file(Path(target)) as file, _compressed(file, Path(target)) as compressed:
        yield compressed


@contextmanager
def _compressed(file: IO[bytes], target: Path) -> Iterator[Any]:
    suffix = target.suffix.lower()
    if suffix == ".gz":
        import gzip  # noqa: PLC0415

        # Without name and time, so that the output is reproducible.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed:
            yield compressed
    elif suffix == ".bz2":
        bz2 = of_python("bz2", f"{target}: writing bzip2")
        with bz2.BZ2File(file, "wb") as compressed:
            yield compressed
    elif suffix == ".xz":
        lzma = of_python("lzma", f"{target}: writing xz")
        with lzma.LZMAFile(file, "wb") as compressed:
            yield compressed
    elif suffix == ".zst":
        with zstd_writer(file, f"{target}: writing zstd") as compressed:
            yield compressed
    else:
        yield file
