"""Packed values of a run, held in memory up to a bound and beyond it in a temporary file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.spark.packed_rows import queries_in, repacked, unpacked

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.spark.frame_columns import FrameColumns

_SAMPLED = 12  # bytes of an id that choose its part


class Extent(NamedTuple):
    """Where bytes begin in a file, and their number."""

    at: int
    size: int


class Group(NamedTuple):
    """Queries that are scored together.

    ``queries`` are their ids, None for all; ``is_large`` says that it is one query whose rows do
    not fit into memory.
    """

    queries: frozenset[str] | None
    is_large: bool


class SpillFile:
    """A temporary file of byte strings, which goes when nobody uses it."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def append(self, value: Any) -> Extent:
        """Write bytes, and return where they are.

        Raises
        ------
        InputError
            If the disk is full.
        """
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115
            extent = Extent(self._file.tell(), len(value))
            self._file.write(value)
        except OSError as error:
            raise InputError(
                f"rows that do not fit into memory cannot be written to {tempfile.gettempdir()}: "
                f"{error}",
                "make room there, choose another folder with TMPDIR, or use more partitions",
            ) from None
        return extent

    def read(self, extents: Iterable[Extent]) -> Iterator[Any]:
        """Read bytes again, one string at a time, as Arrow buffers."""
        import pyarrow as pa  # noqa: PLC0415

        for at, size in extents:
            assert self._file is not None  # noqa: S101
            end = self._file.seek(0, 2)
            self._file.seek(at)
            yield pa.py_buffer(self._file.read(size))
            self._file.seek(end)


class GatheredValues:
    """The packed values of a partition's run.

    Parameters
    ----------
    columns
        The columns of the run.
    memory
        About how many bytes of memory scoring may take.
    """

    def __init__(self, columns: FrameColumns, memory: int) -> None:
        self._columns = columns
        # Scoring takes little more than the packed bytes, and more for its largest query.
        self._most = memory // 2
        self._most_of_query = memory // 4
        self._most_of_part = memory // 8
        self._held: list[Any] = []
        self._size = 0
        self._spilled: list[Extent] = []
        self._file = SpillFile()

    def add(self, value: Any) -> None:
        """Add a value, an Arrow buffer."""
        self._held.append(value)
        self._size += value.size
        if self._size > self._most:
            self._spilled += [self._file.append(memoryview(one)) for one in self._held]
            self._held, self._size = [], 0

    def groups(self) -> Iterator[Group]:
        """Divide the queries into groups that fit into memory; a single one if all do."""
        if not self._spilled:
            yield Group(None, is_large=False)
            return
        rows: dict[str, int] = {}
        size = 0
        for value in self._values():
            size += value.size
            for query, number in queries_in(value):
                rows[query] = rows.get(query, 0) + number
        total = sum(rows.values())
        most = max(1, self._most * total // size)
        most_of_query = max(1, self._most_of_query * total // size)
        some: list[str] = []
        number = 0
        for query, of_query in rows.items():
            if of_query > most_of_query:
                yield Group(frozenset([query]), is_large=True)
                continue
            if some and number + of_query > most:
                yield Group(frozenset(some), is_large=False)
                some, number = [], 0
            some.append(query)
            number += of_query
        if some:
            yield Group(frozenset(some), is_large=False)

    def table(self, group: Group) -> Any:
        """Return the rows of a group of queries as one Arrow table."""
        return unpacked(self._values(), self._columns, group.queries)

    def parts(
        self, query: str, documents: Callable[[Any], Any] | None = None
    ) -> Callable[[], Iterator[Any]]:
        """Write the rows of a query in parts that fit into memory: all rows of a document in one.

        Parameters
        ----------
        documents
            Returns the documents of a table's rows, if these are of units.

        Returns
        -------
        Callable
            It reads the parts, as Arrow tables.
        """
        import pyarrow as pa  # noqa: PLC0415

        file = SpillFile()
        queries = frozenset([query])
        size = sum(value.size for value in self._values())
        number = max(1, -(-size // self._most_of_part))
        extents: list[list[Extent]] = [[] for _ in range(number)]
        for value in self._values():
            table = unpacked([value], self._columns, queries)
            ids = table.column(self._columns.chosen.doc_id)
            part = part_of(ids if documents is None else documents(table), number)
            for one in np.unique(part).tolist():
                rows = table.filter(pa.array(part == one))
                extents[one].append(file.append(repacked(query, rows, self._columns)))

        def read() -> Iterator[Any]:
            for of_part in extents:
                if of_part:
                    yield unpacked(file.read(of_part), self._columns)

        return read

    def _values(self) -> Iterator[Any]:
        """Read all values again, one at a time."""
        yield from self._file.read(self._spilled)
        yield from self._held


def part_of(ids: Any, parts: int) -> Ints:
    """Divide documents into parts by their ids: (n,) numbers below ``parts``."""
    import pyarrow as pa  # noqa: PLC0415

    array = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if not (pa.types.is_string(array.type) or pa.types.is_binary(array.type)):
        array = array.cast(pa.string())
    hashes = np.zeros(len(array), dtype=np.uint64)
    if not len(array):
        return hashes.astype(np.int64)
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[array.offset : array.offset + len(array) + 1]
    begins, ends = ends[:-1].astype(np.int64), ends[1:].astype(np.int64)
    text = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(1, np.uint8)
    for back in range(1, _SAMPLED + 1):
        places = ends - back
        inside = places >= begins
        byte = np.where(inside, text[np.where(inside, places, 0)], 0).astype(np.uint64)
        hashes = (hashes + byte) * np.uint64(0x9E3779B97F4A7C15)
    return (hashes >> np.uint64(33)).astype(np.int64) % parts
