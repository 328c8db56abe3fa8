"""Files of rows in columns, Parquet or Arrow, one or many as one source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.data.batches.batch_source import BatchSource
from rankmark.data.files import arrow_files, parquet
from rankmark.data.frames.arrow_frames import from_arrow
from rankmark.data.tables.columns import choose
from rankmark.data.tables.number_columns import is_list_type, is_number_type
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from rankmark.data.batches.fragments import Fragment
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.files.random_access import RandomAccess
    from rankmark.data.mappings.nested_mapping import NestedMapping
    from rankmark.data.tables.table import TableSource

    ColumnarSource = BatchSource | TableSource | NestedMapping


class ColumnarFile(NamedTuple):
    """A file of rows in columns.

    Parameters
    ----------
    form
        ``"parquet"`` or ``"arrow"``.
    values
        Columns with the same value in all rows, which folders name.
    """

    file: RandomAccess
    form: str
    values: Mapping[str, str] = MappingProxyType({})

    @property
    def _read_by(self) -> Any:
        return parquet if self.form == "parquet" else arrow_files

    def schema(self) -> Any:
        """Return pyarrow's schema."""
        return self._read_by.schema_of(self.file)

    def fragments(self, columns: Sequence[str]) -> list[Fragment]:
        """Return what can be read in parallel, with these columns in this order."""
        held = set(self.schema().names) if self.values else set(columns)
        values = {name: self.values[name] for name in columns if name not in held}
        fragments: list[Fragment] = self._read_by.fragments_of(self.file, columns, values)
        return fragments

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        names = tuple(self.schema().names)
        return names + tuple(name for name in self.values if name not in names)

    def texts(self, column: str) -> Iterator[str]:
        """Return a column as text, empty if a value is missing."""
        values = self.whole([column]).column(0).to_pylist()
        return ("" if value is None else str(value) for value in values)

    def whole(self, columns: Sequence[str] | None = None) -> Any:
        """Read columns as a pyarrow table."""
        return self._read_by.whole(self.file, columns)


class FileBatches:
    """Files with the same columns, one after another."""

    def __init__(self, files: Sequence[ColumnarFile], names: Sequence[str]) -> None:
        self._files = files
        self._names = names

    def names(self) -> Sequence[str]:
        """Return the names of the columns."""
        return self._names

    def fragments(self, columns: Sequence[str]) -> Iterator[Fragment]:
        """Yield what can be read in parallel, with these columns in this order."""
        for file in self._files:
            yield from file.fragments(columns)

    def keep(self) -> None:
        """Copy nothing: files are read anew each time."""

    def as_read(self) -> FileBatches:
        """Return the same files for later reading, refused if one has changed."""
        files = [file._replace(file=file.file.as_read()) for file in self._files]
        return FileBatches(files, self._names)

    def sha256(self) -> str | None:
        """Hash the files' hashes; None if one is unknown."""
        import hashlib  # noqa: PLC0415

        hashes = [file.file.sha256() for file in self._files]
        if None in hashes:
            return None
        return hashlib.sha256("".join(map(str, hashes)).encode()).hexdigest()

    def type_of(self, column: str) -> str:
        """Return the type of a column as pyarrow writes it; "" for what folders name."""
        schema = self._files[0].schema()
        return str(schema.field(column).type) if column in schema.names else ""

    def whole(self, columns: Sequence[str]) -> Any:
        """Return columns of a single file as a pyarrow table."""
        if len(self._files) > 1:
            raise SchemaError(
                "a column holds lists, and there are several files",
                "write a row for each document",
                where=self._files[0].file.name,
            )
        return self._files[0].whole(columns)


def from_columnar_file(file: ColumnarFile, kind: Kind, options: SourceOptions) -> ColumnarSource:
    """Read the columns of a file by their names, in batches."""
    batches = FileBatches([file], file.names())
    return from_batches(batches, file.file.name, file.form, kind, options)


def from_batches(
    batches: FileBatches, name: str, form: str, kind: Kind, options: SourceOptions
) -> ColumnarSource:
    """Read columns by their names, in batches.

    A file with a row for each query, with lists of documents, is read as a whole.
    """
    names = batches.names()
    chosen = choose(
        names,
        kind,
        options.columns,
        name,
        subtopics=options.by_subtopic,
        numeric=lambda at: is_number_type(batches.type_of(names[at])),
    )
    if is_list_type(batches.type_of(names[chosen.doc_id])):
        places, _ = chosen.picked()
        whole = batches.whole([names[place] for place in places])
        return from_arrow(whole, name, kind, options)
    described = {"form": form, "columns": chosen.named(names, kind)}
    return BatchSource(batches, chosen, kind, name=name, form=described, is_file=True)
