"""A file as a source: its format is recognised when it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from copy import copy, deepcopy
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.files.first_bytes import (
    Head,
    first_bytes,
    refuse_contradicting_ranks,
    refuse_wrong_columns,
)
from rankmark.data.files.formats import (
    COLUMNAR,
    Format,
    columnar_form,
    fields_of_json,
    kind_by_file_name,
    kind_by_names,
    kind_of,
    like_preferences,
    recognise,
)
from rankmark.data.files.input_file import Beginning
from rankmark.data.files.open_text import BLOCK_BYTES, OpenText
from rankmark.data.files.opened import pieces_of
from rankmark.data.tables.columns import is_known, is_tag
from rankmark.errors import InputError, ParseError, SchemaError
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark._core import ListOptions, RankingOptions, Rankings
    from rankmark.array_types import Ints
    from rankmark.data.contract.source import (
        AlignedRun,
        Judged,
        Order,
        PreparedQrels,
        Rows,
        RowsByGroup,
        RowsBySubtopic,
    )
    from rankmark.data.contract.source_options import Kind
    from rankmark.data.files.columnar import ColumnarFile
    from rankmark.data.files.input_file import InputFile
    from rankmark.data.files.open_text import QueryExtents
    from rankmark.data.files.opened import OpenFile
    from rankmark.data.files.read_again import Tags
    from rankmark.data.mappings.nested_mapping import NestedMapping
    from rankmark.data.tables.table import TableSource

_BEGINNING = 1 << 16  # bytes
P = ParamSpec("P")
T = TypeVar("T")
NO_FORM: Mapping[str, Any] = {}


class _Whole(NamedTuple):
    """The contents of a file in a format that is read completely."""

    read_as: object
    source: Source
    columns: dict[str, str]
    is_scored: bool = True
    form: Mapping[str, Any] = NO_FORM


def _or_by_shape(read: Callable[P, T]) -> Callable[P, T]:
    """Read a table that has no columns of usual names again, by the table of shapes."""

    @wraps(read)
    def again(*given: P.args, **options: P.kwargs) -> T:
        try:
            return read(*given, **options)
        except (SchemaError, ParseError):
            source: Any = given[0]
            shaped = source.by_shape()
            if shaped is None:
                raise
        options.pop("queries", None)
        return getattr(shaped, read.__name__)(*given[1:], **options)

    return again


class FileSource(Source):
    """A file of any format: lines of columns, which the core reads; JSON; Parquet or Arrow.

    Parameters
    ----------
    options
        ``format`` and ``columns``, if the caller chose them.
    block_bytes
        The size of the blocks in which text is read; changes no result.
    """

    is_file = True

    def __init__(
        self, file: InputFile, kind: Kind, options: SourceOptions, *, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self.file = file
        self.name: str = file.name
        self._kind = kind
        self._options = options
        self.vouched = options.vouch_for(kind)
        self._block_bytes = block_bytes
        self._whole: _Whole | None = None
        self._description: dict[str, Any] | None = None

    @_or_by_shape
    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        with self._opened() as (descriptor, found, text):
            if text is not None:
                return text.read_qrels(reading)
            return self._read_whole(descriptor, found).source.read_qrels(reading)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments; ``by_rank`` orders by its ranks instead of its scores."""
        with self._opened(by_score=not by_rank) as (descriptor, found, text):
            if text is not None:
                return text.align_run(qrels, ranking, reading, by_rank=by_rank)
            if found.name == "scores":
                self._describe(found, {})
                scored = self._of_lines(qrels)
                return scored.align_run(qrels, ranking, reading, by_rank=by_rank)
            if found.name == "jsonl":
                from rankmark.data.files.json_lines import align_json_lines  # noqa: PLC0415  (most are text)

                aligned = align_json_lines(
                    partial(pieces_of, descriptor),
                    self.name,
                    self._options,
                    qrels,
                    ranking,
                    by_rank=by_rank,
                    reading=reading,
                )
                if aligned is not None:
                    self._describe(found, *aligned[1:])
                    return aligned[0]
            whole = self._read_whole(
                descriptor, found, by_rank=by_rank, duplicates=ranking.duplicates
            )
            if by_rank and "rank" not in whole.columns:
                raise InputError(
                    'ties="rank" needs ranks, and this file has none',
                    "choose another rule",
                    where=self.name,
                )
            if not whole.is_scored:
                ranking = ranking.of_ranks()
            by_rank = by_rank and found.name in COLUMNAR  # ranks of JSON are scores by now
            found_whole = whole.source.align_run(qrels, ranking, reading, by_rank=by_rank)
            return found_whole if whole.is_scored else found_whole._replace(order=None)

    def rankings(
        self,
        options: ListOptions,
        reading: Reading,
        *,
        by_rank: bool,
        extents: Ints | None = None,
    ) -> tuple[Rankings, Order | None] | None:
        """Rank all documents of a text file, with what their order says; None for other formats.

        ``extents``, (n, 2) int64, are the bytes that are read; see ``queries``.
        """
        by_score = not by_rank and not options.negated
        with self._opened(by_score=by_score) as (*_, text):
            if text is None:
                return None
            return text.rankings(options, reading, by_rank=by_rank, extents=extents)

    def queries(self, reading: Reading) -> QueryExtents | None:
        """Find where the lines of each query stand in a text file; None for others."""
        with self._opened() as (*_, text):
            return None if text is None else text.queries(reading)

    def size(self) -> int:
        """Return the number of bytes of the file."""
        with self._opened() as (descriptor, *_):
            return os.fstat(descriptor).st_size if isinstance(descriptor, int) else 0

    @_or_by_shape
    def rows(
        self, reading: Reading, *, lenient: bool, queries: Collection[str] | None = None
    ) -> Rows:
        """List all rows; of text only those of some queries, if they are given.

        If ``lenient``, lines of text that cannot be read are skipped and listed; other formats
        raise for the first mistake.
        """
        with self._opened(doubted=not lenient) as (descriptor, found, text):
            if text is not None:
                rows = text.rows(reading, lenient=lenient, queries=queries)
                shaped = self.by_shape() if rows.faulty and found.name == "csv" else None
                return rows if shaped is None else shaped.rows(reading, lenient=lenient)
            whole = self._read_whole(descriptor, found)
            rows = whole.source.rows(reading, lenient=lenient)
        if whole.is_scored or rows.number is None:
            return rows
        rank = -rows.number if "rank" in whole.columns else None
        return rows._replace(number=None, rank=rank, order=None)

    def beginning(self) -> Source | None:
        """Return the first 64 KiB of a text file, or JSON that was read anyway; else None."""
        with self._opened(doubted=False) as (_, found, text):
            if text is None:
                if self._whole is None or found.name in COLUMNAR:
                    return None
                return self._whole.source
        data = bytearray()
        with self.file.opened() as opened:
            for piece in opened.pieces():
                data += piece
                if len(data) >= _BEGINNING:
                    break
        source = copy(self)
        source.file = Beginning(bytes(data[:_BEGINNING].rpartition(b"\n")[0]), self.name)
        return source

    @_or_by_shape
    def for_query(self, query: str, reading: Reading) -> Source | None:
        """Read the rows of one query again."""
        with self._opened() as (descriptor, found, text):
            if text is not None:
                from rankmark.data.files.read_again import query_in_text  # noqa: PLC0415

                return query_in_text(text, query, self.description(), reading)
            if found.name not in {"json", "jsonl"}:
                return self._read_whole(descriptor, found).source.for_query(query, reading)
            from rankmark.data.files.read_again import query_in_json  # noqa: PLC0415  (most are text)

            def described(columns: dict[str, str], form: Mapping[str, Any]) -> dict[str, Any]:
                self._describe(found, columns, form)
                return self.description()

            return query_in_json(
                descriptor,
                self.name,
                self._kind,
                self._options,
                query,
                described,
                by_line=found.name == "jsonl",
            )

    def rows_by_subtopic(self, reading: Reading) -> RowsBySubtopic:
        """Read all judgments with their subtopics."""
        with self._opened() as (descriptor, found, text):
            if text is not None:
                return text.rows_by_subtopic(reading)
            if found.name in COLUMNAR:
                whole, columns, *_ = self._from_columnar(found.name)
                self._describe(found, columns)
                of_subtopics: Any = whole
                return of_subtopics.rows_by_subtopic(reading)
            source = self._json_by_subtopic(descriptor, found)
            return source.rows_by_subtopic(reading)

    def rows_with(self, columns: tuple[int, ...], reading: Reading) -> RowsByGroup:
        """Read all judgments of a text file with the ids in the given columns."""
        with self._opened() as (*_, text):
            assert text is not None  # noqa: S101
            return text.rows_with(columns, reading)

    def _json_by_subtopic(self, descriptor: int, found: Format) -> TableSource | NestedMapping:
        """Read a list of rows, a row a line, or {query id: {subtopic: {document id: label}}}."""
        from rankmark.data.files.json_documents import json_by_subtopic  # noqa: PLC0415  (most files are text)

        by_line = found.name == "jsonl"
        source = json_by_subtopic(descriptor, self.name, self._kind, self._options, by_line=by_line)
        if source is None:
            raise self._empty()
        self._describe(found, source.description().get("columns", {}))
        return source

    def by_shape(self) -> NestedMapping | None:
        """Read judgments in a table by the table of shapes, where some may be without a label."""
        shaped = self._by_shape() if self._kind == "qrels" else None
        if shaped is not None:
            self._description = shaped.description()
        return shaped

    def _by_shape(self) -> NestedMapping | None:
        from rankmark.data.files.shaped_tables import by_shape  # noqa: PLC0415  (rarely needed)

        shaped = by_shape(self.file, self._beginning(), self._kind, self._options)
        if shaped is not None:
            shaped.name = self.name
        return shaped

    def _of_lines(self, qrels: PreparedQrels) -> NestedMapping:
        """Return the ranking by scores of the lines of judgments."""
        from rankmark.data.files.shaped_tables import letor_rows, with_scores  # noqa: PLC0415
        from rankmark.data.mappings.nested_mapping import NestedMapping  # noqa: PLC0415

        judged = qrels.source
        if not isinstance(judged, FileSource) or judged.description()["form"] != "letor":
            raise SchemaError(
                "it has a number a line, which are scores of the lines of judgments in the format "
                f"letor, and {qrels.name} is none",
                "give the judgments as letor, or a run with ids",
                where=self.name,
            )
        return NestedMapping(with_scores(letor_rows(judged.file), self.file), "run")

    def with_groups_of(self, qrels: PreparedQrels) -> Source:
        """Return the ranking by scores of the lines of judgments; else the file itself."""
        judged = qrels.source
        is_letor = isinstance(judged, FileSource) and judged.description()["form"] == "letor"
        is_scores = is_letor and self.description()["form"] == "scores"
        return self._of_lines(qrels) if is_scores else self

    def kind(self) -> Kind | None:
        """Return whether it contains judgments or a run, by columns or name; None if unclear."""
        head = self._beginning()
        form = columnar_form(head.data)
        if form is not None:
            found = kind_by_names(self._columnar(form).names(), self._options.columns)
        else:
            found = kind_of(head)
        return found or kind_by_file_name(self.name)

    def names(self) -> tuple[str, ...]:
        """Return its column names, or the fields of its first row; none if ids are keys."""
        with self._opened(doubted=False) as (_, found, text):
            if text is not None:
                return text.layout.names
            if found.name in COLUMNAR:
                return self._columnar(found.name).names()
        return fields_of_json(self._beginning())

    def has_subtopics(self) -> bool:
        """Return True if it has a column that may contain subtopics."""
        chosen = (self._options.columns or {}).get("subtopic")
        return any(name == chosen or is_known(name, "subtopic") for name in self.names())

    def tags(self, rows: Rows, reading: Reading) -> Tags | None:
        """Read the tag of each of ``rows``."""
        from rankmark.data.files import read_again  # noqa: PLC0415  (only for conversion)

        name = next(filter(is_tag, self.names()), None)
        if name is None:
            return None
        with self._opened() as (descriptor, found, text):
            if text is not None:
                return read_again.tags_in_text(text, rows, reading)
            if found.name in COLUMNAR:
                return read_again.numbered(self._columnar(found.name).texts(name))
            from rankmark.data.files.json_text import json_bytes, json_entries  # noqa: PLC0415

            columns = self._read_whole(descriptor, found).columns
            by_line = found.name == "jsonl"
            data = json_bytes(descriptor, self.name, by_line=by_line)
            entries = (entry for *_, entry in json_entries(data, self.name, by_line=by_line))
            return read_again.tags_in_json(entries, columns, rows)

    def like_preferences(self) -> bool:
        """Return True if it begins like preferences, which are read only if chosen."""
        return like_preferences(self._beginning())

    def description(self) -> dict[str, Any]:
        """Describe how the file was last interpreted: format, columns, packing."""
        if self._description is None:
            with self._opened(doubted=False) as (descriptor, found, text):
                if found.name == "jsonl" and self._kind == "run":
                    from rankmark.data.files.json_lines import columns_of_json_lines  # noqa: PLC0415  (most files are text)

                    pieces = partial(pieces_of, descriptor)
                    told = columns_of_json_lines(pieces, self.name, self._options)
                    self._describe(found, *told)
                elif found.name == "scores":
                    self._describe(found, {})
                elif text is None:
                    self._read_whole(descriptor, found)
        return deepcopy(self._description or {})

    def sha256(self) -> str | None:
        """Hash the file's bytes."""
        return self.file.sha256()

    def as_read(self) -> FileSource:
        """Return the same file for later reading, refused if it has changed."""
        source = copy(self)
        source.file = self.file.as_read()
        return source

    def pinned(self) -> FileSource:
        """Return the same file, refused if it is no longer what it was when last opened."""
        source = copy(self)
        source.file = self.file.pinned()
        return source

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_whole": None}

    @contextmanager
    def _opened(
        self, *, doubted: bool = True, by_score: bool = False
    ) -> Iterator[tuple[Any, Format, OpenText | None]]:
        """Open the file: lines of columns as text for the core, others for random access.

        Columns that seem to be in wrong places are refused if they are ``doubted``; and distances
        in place of scores if a run is ranked ``by_score``.
        """
        with self.file.opened() as opened:
            head = self._head(opened)
            found = self._recognised(head)
            if found.layout is not None:
                if found.name == "trec" and not self.vouched:
                    if doubted:
                        refuse_wrong_columns(head)
                    if by_score:
                        refuse_contradicting_ranks(head)
                if not found.layout.separator:
                    self._options.only(f"{self.name}, which is {found.name}", "format")
                self._describe(found, found.layout.named(self._kind))
                layout, source = found.layout, opened.source
                text = OpenText(self.file, source, self._kind, layout, self._block_bytes)
                yield source, found, text
                return
        with self.file.descriptor() as descriptor:
            yield descriptor, found, None

    def _recognised(self, head: Head) -> Format:
        """Recognise the format, also of tables that the table of shapes can read."""
        try:
            return recognise(head, self._options.format)
        except SchemaError:
            if self._by_shape() is None:
                raise
            return Format("shape")

    def _beginning(self) -> Head:
        with self.file.opened() as opened:
            return self._head(opened)

    def _head(self, opened: OpenFile) -> Head:
        columns, subtopics = self._options.columns, self._options.by_subtopic
        begin = first_bytes(opened.pieces(), self.name)
        return Head(*begin, self.name, self._kind, columns, subtopics)

    def _describe(
        self, found: Format, columns: dict[str, str], form: Mapping[str, Any] = NO_FORM
    ) -> None:
        self._description = {"form": found.name, **form}
        if columns:
            self._description["columns"] = columns
        if self.file.packing is not None:
            self._description["packing"] = self.file.packing

    def _read_whole(
        self, descriptor: int, found: Format, *, by_rank: bool = False, duplicates: str = "error"
    ) -> _Whole:
        """Read the file completely, unless that was done and it has not changed."""
        known, read_as = self._whole, (self.file.stamp, by_rank, duplicates)
        if known is None or known.read_as != read_as:
            if found.name in COLUMNAR:
                known = _Whole(read_as, *self._from_columnar(found.name))
            elif found.name not in {"json", "jsonl"}:
                known = _Whole(read_as, *self._from_rows(found.name))
            else:
                by_line = found.name == "jsonl"
                read = self._from_json(
                    descriptor, by_line=by_line, by_rank=by_rank, duplicates=duplicates
                )
                known = _Whole(read_as, *read)
            self._whole = known
        self._describe(found, known.columns, known.form)
        return known

    def _columnar(self, form: str) -> ColumnarFile:
        from rankmark.data.files.columnar import ColumnarFile  # noqa: PLC0415  (most files are text)

        return ColumnarFile(self.file, form)

    def _from_columnar(self, form: str) -> tuple[Source, dict[str, str], bool, Mapping[str, Any]]:
        from rankmark.data.files.columnar import from_columnar_file  # noqa: PLC0415

        try:
            source: Source = from_columnar_file(self._columnar(form), self._kind, self._options)
        except SchemaError:
            shaped = self._by_shape()
            if shaped is None:
                raise
            return shaped, shaped.description()["columns"], True, shaped.description()
        return source, source.description()["columns"], True, NO_FORM

    def _from_rows(self, form: str) -> tuple[Source, dict[str, str], bool, Mapping[str, Any]]:
        """Read rows by the table of shapes."""
        from rankmark.data.files.shaped_tables import letor_rows  # noqa: PLC0415  (most are others)
        from rankmark.data.mappings.shaped import from_shape  # noqa: PLC0415

        if form == "letor" and self._kind == "qrels":
            found = from_shape([*letor_rows(self.file)], self._kind, SourceOptions(format="letor"))
        else:
            found = self._by_shape() if form == "shape" else None
        if found is None:
            what = "labels and no scores" if form == "letor" else "numbers and no ids"
            remedy = "give it with judgments in the format letor"
            raise SchemaError(f"it holds {what}", remedy, where=self.name)
        described = found.description()
        return found, described["columns"], True, described

    def _from_json(
        self, descriptor: int, *, by_line: bool, by_rank: bool, duplicates: str
    ) -> tuple[Source, dict[str, str], bool, Mapping[str, Any]]:
        from rankmark.data.files.json_documents import Documents  # noqa: PLC0415  (most files are text)
        from rankmark.data.files.json_text import json_bytes  # noqa: PLC0415
        from rankmark.data.mappings.nested_mapping import NestedMapping  # noqa: PLC0415

        documents = Documents(
            self.name, self._kind, self._options, by_rank=by_rank, duplicates=duplicates
        )
        documents.read(json_bytes(descriptor, self.name, by_line=by_line), by_line=by_line)
        gathered = documents.gathered
        if not gathered.mapping and self._kind == "qrels":
            raise self._empty()
        mapping = NestedMapping(gathered.mapping, self._kind, left_out=gathered.left_out)
        return mapping, documents.columns, gathered.is_scored, documents.form

    def _empty(self) -> ParseError:
        what = "judgments" if self._kind == "qrels" else "documents"
        return ParseError(
            f"it holds no {what}", "need some for one query at least", where=self.name
        )
