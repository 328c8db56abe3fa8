"""Files of rows in columns, Parquet or Arrow, one or many as one source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.sources.batches.batch_source import BatchSource
from rankmark.sources.files import arrow_files, parquet
from rankmark.sources.frames.frames import from_arrow
from rankmark.sources.tables.columns import choose

if TYPE_CHECKING:
    from rankmark.sources.batches.fragments import Fragment
    from rankmark.sources.contract.source_options import Kind, SourceOptions
    from rankmark.sources.files.random_access import RandomAccess
    from rankmark.sources.mappings.mappings import NestedMapping
    from rankmark.sources.tables.table import TableSource

    ColumnarSource = BatchSource | TableSource | NestedMapping


class ColumnarFile(NamedTuple):
    """A file of rows in columns.

    Parameters
    ----------
    form
        ``"parquet"`` or ``"arrow"``.
    """

    file: RandomAccess
    form: str

    @property
    def _read_by(self) -> Any:
        return parquet if self.form == "parquet" else arrow_files

    def schema(self) -> Any:
        """Return pyarrow's schema."""
        return self._read_by.schema_of(self.file)

    def fragments(self, columns: Sequence[str]) -> list[Fragment]:
        """Return what can be read in parallel, with these columns in this order."""
        fragments: list[Fragment] = self._read_by.fragments_of(self.file, columns)
        return fragments

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(self.schema().names)

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


def from_columnar_file(file: ColumnarFile, kind: Kind, options: SourceOptions) -> ColumnarSource:
    """Read the columns of a file by their names, in batches.

    A file with a row for each query, with lists of documents, is read as a whole.
    """
    name = file.file.name
    schema = file.schema()
    names = list(schema.names)
    chosen = choose(names, kind, options.columns, name, subtopics=options.by_subtopic)
    if "list" in str(schema.field(chosen.doc_id).type):
        places, _ = chosen.picked()
        return from_arrow(file.whole([names[place] for place in places]), name, kind, options)
    form = {"form": file.form, "columns": chosen.named(names, kind)}
    return BatchSource(FileBatches([file], names), chosen, kind, name=name, form=form, is_file=True)
