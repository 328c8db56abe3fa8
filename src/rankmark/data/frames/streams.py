"""Frames that have no rows yet: they are read in batches, and never held whole.

Record batch readers, datasets and scanners of pyarrow, lazy frames of Polars, relations of DuckDB,
and any other object that exports an Arrow stream without knowing how many rows it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from tempfile import TemporaryFile
from typing import Any

from rankmark._core import StreamFault, Table, TableStream, joined, table_from_stream
from rankmark.data.batches.batch_source import BatchSource
from rankmark.data.batches.fragments import MOST_ROWS, Batches, Fragment, Place, ReadAt, tables_of
from rankmark.data.contract.source import Source, side
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.frames.arrow_frames import LISTS, NUMBERS, from_arrow
from rankmark.data.frames.arrow_tables import streamed, tables_of_stream
from rankmark.data.frames.stream_kinds import (
    is_dataset,
    is_lazy,
    is_relation,
    is_scanner,
    is_stream,
    without_progress_bar,
)
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import is_list_type, is_number_type
from rankmark.data.tables.columns import choose, chosen_in
from rankmark.data.tables.table import TableSource
from rankmark.errors import InputError, SchemaError

_NAME = "<frame>"
_BUFFER_BYTES = 1 << 16  # of each column of a Parquet file
_FEW_ROWS = 1 << 20
"""Rows of a stream of an unknown library that are held, so that they can be read again."""


def from_stream(source: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read a stream's columns by their names, in batches."""
    options.only("a frame", "columns")
    where = side(_NAME, kind)
    batches: _Again | _Once
    with _reading(source, where):
        if is_lazy(type(source)):
            batches = _OfLazyFrame(source, where)
        elif is_relation(type(source)):
            batches = _OfRelation(source, where)
        elif is_dataset(type(source)) or is_scanner(type(source)):
            batches = _OfDataset(source, where)
        elif hasattr(source, "read_next_batch"):
            batches = _Once(source, where)
        else:
            return _from_unknown(source, where, kind, options)
    return from_batches(batches, _NAME, "frame", kind, options, is_file=False)


def from_batches(
    batches: Any, name: str, form: str, kind: Kind, options: SourceOptions, *, is_file: bool
) -> BatchSource | TableSource | NestedMapping:
    """Read columns by their names, in batches.

    What has a row for each query, with lists of documents, is read as a whole.
    """
    names = batches.names()

    def numeric(at: int) -> bool:
        return is_number_type(batches.type_of(names[at]))

    chosen = chosen_in(names, kind, options, side(name, kind), numeric)
    picked = [names[place] for place in chosen.picked()[0]]
    if is_list_type(batches.type_of(names[chosen.doc_id])):
        return from_arrow(batches.whole(picked), name, kind, options)
    if isinstance(batches, _Once):
        batches.keep_only(picked)
    described = {"form": form, "columns": chosen.named(names, kind)}
    return BatchSource(batches, chosen, kind, name=name, form=described, is_file=is_file)


def kept_once(source: Any, where: str) -> Any:
    """Return a stream that may not export its rows twice as a reader, which is copied when read.

    Lists are held as a table. All else stays as it is, as do streams where pyarrow is missing.
    """
    kind = type(source)
    again = is_lazy(kind) or is_relation(kind) or is_dataset(kind) or is_scanner(kind)
    if again or not (is_stream(source) or hasattr(source, "read_next_batch")):
        return source
    with _reading(source, where):
        if not hasattr(source, "read_next_batch"):
            try:
                from pyarrow import RecordBatchReader  # noqa: PLC0415
            except ImportError:
                return source
            source = RecordBatchReader.from_stream(source)
        has_lists = any(is_list_type(str(field.type)) for field in source.schema)
        return source.read_all() if has_lists else source


def beside(source: Source, kind: Kind, options: SourceOptions) -> Source:
    """Return other columns of a reader whose rows are not read yet, which keeps them, too.

    These are ids, and numbers if their column is named.
    """
    assert isinstance(source, BatchSource)  # noqa: S101
    batches = source.batches
    assert isinstance(batches, _Once)  # noqa: S101
    names = batches.names()
    chosen = choose(names, kind, options.columns, side(_NAME, kind))
    number = None if {"score", "label"}.isdisjoint(options.columns or ()) else chosen.number
    chosen = chosen._replace(number=number, rank=None)
    batches.keep_also([names[place] for place in chosen.picked()[0]])
    return BatchSource(batches, chosen, kind, name=_NAME, form={}, is_file=False)


def _from_unknown(source: Any, where: str, kind: Kind, options: SourceOptions) -> Source:
    """Read a stream that is not known to be pyarrow's, which the core has to check."""
    stream = streamed(source, where)
    try:
        return _checked(source, stream, where, kind, options)
    except BaseException:
        stream.close()
        raise


def _checked(
    source: Any, stream: TableStream, where: str, kind: Kind, options: SourceOptions
) -> Source:
    empty = stream.empty()
    names = list(empty.names())
    chosen = chosen_in(names, kind, options, where, lambda at: empty.formats()[at][0] in NUMBERS)
    if empty.formats()[chosen.doc_id].startswith(LISTS):
        return from_arrow(source, _NAME, kind, options)
    form = {"form": "frame", "columns": chosen.named(names, kind)}
    tables, rows, rest = [], 0, tables_of_stream(stream, where)
    for table in rest:
        tables.append(table)
        rows += len(table)
        if rows > _FEW_ROWS:
            batches = _Exported(source, where, names, chain(tables, rest))
            return BatchSource(batches, chosen, kind, name=_NAME, form=form, is_file=False)
    table = joined([empty, *tables])
    return TableSource(table, chosen, kind, name=_NAME, form=form)


@contextmanager
def _reading(source: Any, where: str) -> Iterator[None]:
    """Turn errors of the source's library into ours."""
    try:
        yield
    except (InputError, StreamFault, MemoryError):
        raise
    except Exception as error:
        if str(error).rstrip().endswith("\nKeyboardInterrupt"):  # in a generator, as Arrow words it
            raise KeyboardInterrupt from None
        raise SchemaError(
            f"{type(source).__name__} could not be exported as Arrow data: {error}",
            "give another form of it",
            where=where,
        ) from error


class _NoFiles:
    """What is not read from files."""

    def as_read(self) -> Batches:
        raise NotImplementedError

    def sha256(self) -> str | None:
        return None


class _Again(_NoFiles):
    """A source that can be read several times, as batches that its library makes."""

    def __init__(self, source: Any, where: str) -> None:
        self._source = source
        self._where = where

    def fragments(self, columns: Sequence[str]) -> Iterator[Fragment]:
        """Yield a single fragment."""
        yield Fragment(Place(self._where), lambda: self._guarded(columns))

    def keep(self) -> None:
        """Copy nothing: it is read anew each time."""

    def _guarded(self, columns: Sequence[str]) -> Iterator[Table]:
        with _reading(self._source, self._where):
            yield from self._tables(columns)

    def _tables(self, columns: Sequence[str]) -> Iterator[Table]:
        raise NotImplementedError


class _Exported(_Again):
    """A long stream of an unknown library, which may be able to export it again."""

    def __init__(self, source: Any, where: str, names: list[str], tables: Iterator[Table]) -> None:
        super().__init__(source, where)
        self._names = names
        self._first: Iterator[Table] | None = tables
        self._rows: int | None = None

    def names(self) -> Sequence[str]:
        return self._names

    def _tables(self, columns: Sequence[str]) -> Iterator[Table]:
        places = [self._names.index(name) for name in columns]
        tables, self._first = self._first, None
        if tables is None:
            tables = self._again()
        rows = 0
        for table in tables:
            rows += len(table)
            yield table.select(places)
        if self._rows is None:
            self._rows = rows
        if rows < self._rows:
            raise self._gone()

    def _again(self) -> Iterator[Table]:
        try:
            stream = streamed(self._source, self._where)
        except SchemaError:
            raise self._gone() from None
        yield from tables_of_stream(stream, self._where)

    def _gone(self) -> InputError:
        return InputError(
            "this stream has to be read again, as its rows are not grouped by query, or as it is "
            "used several times, and it can be read only once",
            "give pyarrow.RecordBatchReader.from_stream(...), which is copied while it is read",
            where=self._where,
        )


class _OfLazyFrame(_Again):
    """A lazy frame of Polars, read by its streaming engine."""

    def __init__(self, source: Any, where: str) -> None:
        super().__init__(source, where)
        if not hasattr(source, "collect_batches"):
            raise SchemaError(
                "this version of Polars cannot read a lazy frame in batches",
                "upgrade Polars to 1.34 or later, or collect() the frame first",
                where=where,
            )
        self._schema = source.collect_schema()

    def names(self) -> Sequence[str]:
        return [*self._schema.names()]

    def type_of(self, column: str) -> str:
        return str(self._schema[column])

    def whole(self, columns: Sequence[str]) -> Any:
        return self._source.select(*columns).collect(engine="streaming")

    def _tables(self, columns: Sequence[str]) -> Iterator[Table]:
        chosen = self._source.select(*columns)
        for frame in chosen.collect_batches(
            chunk_size=MOST_ROWS, maintain_order=True, engine="streaming"
        ):
            yield table_from_stream(frame.__arrow_c_stream__(None))


class _OfRelation(_Again):
    """A relation of DuckDB, executed anew at each reading."""

    def names(self) -> Sequence[str]:
        return [*self._source.columns]

    def type_of(self, column: str) -> str:
        return str(self._source.types[self._source.columns.index(column)])

    def whole(self, columns: Sequence[str]) -> Any:
        with without_progress_bar(self._source):
            return self._reader(columns).read_all()

    def _tables(self, columns: Sequence[str]) -> Iterator[Table]:
        with without_progress_bar(self._source):
            yield from tables_of(self._reader(columns), columns)

    def _reader(self, columns: Sequence[str]) -> Any:
        quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
        chosen = self._source.project(", ".join(quoted))
        read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_record_batch
        return read(MOST_ROWS)


class _OfDataset(_Again):
    """A dataset or a scanner of pyarrow."""

    def _schema(self) -> Any:
        return getattr(self._source, "projected_schema", None) or self._source.schema

    def names(self) -> Sequence[str]:
        return [*self._schema().names]

    def type_of(self, column: str) -> str:
        return str(self._schema().field(column).type)

    def whole(self, columns: Sequence[str]) -> Any:
        return self._reader(columns).read_all().select([*columns])

    def _tables(self, columns: Sequence[str]) -> Iterator[Table]:
        yield from tables_of(self._reader(columns), columns)

    def _reader(self, columns: Sequence[str]) -> Any:
        scanner = self._source
        if not is_scanner(type(scanner)):
            scanner = scanner.scanner(
                columns=[*columns],
                batch_size=MOST_ROWS,
                batch_readahead=2,
                fragment_readahead=1,
                fragment_scan_options=_in_pieces(scanner),
            )
        return scanner.to_reader()


def _in_pieces(dataset: Any) -> Any:
    """Return options to read a file of Parquet in pieces, not row groups as a whole; or None.

    None keeps pyarrow's own: for files elsewhere, where reading in pieces takes many requests, and
    where the caller has chosen options.
    """
    kind: Any = getattr(dataset, "format", None)
    if (
        getattr(kind, "default_extname", None) != "parquet"
        or getattr(dataset.filesystem, "type_name", None) != "local"
    ):
        return None
    given = kind.default_fragment_scan_options
    as_usual = type(given)()
    encrypted = any(
        getattr(given, name, None) is not None
        for name in ("parquet_decryption_config", "decryption_properties")
    )
    if encrypted or not given.equals(as_usual):
        return None
    return type(given)(use_buffered_stream=True, buffer_size=_BUFFER_BYTES, pre_buffer=False)


class _Once(_NoFiles):
    """A stream that can be read only once: while it is read, it is copied to a temporary file."""

    def __init__(self, reader: Any, where: str) -> None:
        self._where = where
        self._names = [*reader.schema.names]
        self._columns: list[str] = []
        self._reader: Any = reader  # None once it is read
        self._copy: Any = None
        self._writer: Any = None

    def __del__(self) -> None:
        if self._copy is not None:
            self._copy.close()

    def names(self) -> Sequence[str]:
        """Return the names of the columns."""
        return self._names

    def type_of(self, column: str) -> str:
        """Return the type of a column."""
        return str(self._reader.schema.field(column).type)

    def whole(self, columns: Sequence[str]) -> Any:
        """Return columns as a frame, instead of a copy on disk."""
        return self._reader.read_all().select([*columns])

    def keep_only(self, columns: Sequence[str]) -> None:
        """Choose the columns that are copied."""
        self._columns = [*columns]

    def keep_also(self, columns: Sequence[str]) -> None:
        """Copy these columns, too."""
        self._columns = [*dict.fromkeys([*self._columns, *columns])]

    def keep(self) -> None:
        """Copy all that is left."""
        while self._next() is not None:
            pass

    def fragments(self, columns: Sequence[str]) -> Iterator[Fragment]:
        """Yield a single fragment."""
        yield Fragment(Place(self._where), lambda: self._tables(columns))

    def _tables(self, columns: Sequence[str]) -> Iterator[Table]:
        with _reading(self, self._where):
            yield from tables_of(self._batches(), columns)

    def _batches(self) -> Iterator[Any]:
        if self._writer is None and self._reader is not None:
            while (batch := self._next()) is not None:
                yield batch
            return
        self.keep()
        if self._copy is None:
            return
        from pyarrow import ipc  # noqa: PLC0415

        with ReadAt(self._copy.fileno()) as file, ipc.open_stream(file) as copy:
            yield from copy

    def _next(self) -> Any:
        """Read a batch, and copy it; None at the end."""
        if self._reader is None:
            return None
        from pyarrow import ipc  # noqa: PLC0415

        with _reading(self._reader, self._where):
            try:
                batch = self._reader.read_next_batch().select(self._columns)
            except StopIteration:
                batch = None
        try:
            if batch is not None and self._writer is None:
                self._copy = TemporaryFile()  # noqa: SIM115  (lives as long as this object)
                self._writer = ipc.new_stream(self._copy, batch.schema)
            if batch is not None:
                self._writer.write_batch(batch)
                return batch
            if self._writer is not None:
                self._writer.close()
                self._copy.flush()
        except OSError as error:
            raise InputError(
                f"the temporary copy of this stream cannot be written: {error}",
                "make room where TMPDIR points",
                where=self._where,
            ) from None
        self._reader = self._writer = None
        return None

    def __getstate__(self) -> dict[str, Any]:
        self.keep()
        data = b""
        if self._copy is not None:
            with ReadAt(self._copy.fileno()) as file:
                data = file.read()
        return vars(self) | {"_copy": data}

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("_copy")
        vars(self).update(state, _copy=None)
        if data:
            self._copy = TemporaryFile()  # noqa: SIM115
            self._copy.write(data)
            self._copy.flush()
