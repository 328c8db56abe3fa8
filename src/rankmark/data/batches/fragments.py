"""What comes in batches: fragments, each a sequence of tables, worked on in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from io import SEEK_CUR, SEEK_END, SEEK_SET, RawIOBase
from itertools import chain, islice
from threading import Lock
from typing import Any, NamedTuple, Protocol

from rankmark._core import Table, table_from_array
from rankmark.data.contract.resources import typed_refusal
from rankmark.data.ids.numeric import row_from_0


class Place(NamedTuple):
    """Where a table stands: the name of what it is read from, and the number of its first row."""

    where: str
    first: int = 0

    def row(self, row: int) -> str:
        """Name a row of the table in messages."""
        return row_from_0(self.first + row)


class Fragment(NamedTuple):
    """Consecutive tables that are read one after another, such as a row group of a file.

    Parameters
    ----------
    place
        Where its first row stands.
    tables
        Reads its tables.
    size
        How many bytes are read with it, for progress.
    """

    place: Place
    tables: Callable[[], Iterator[Table]]
    size: int = 0


class Batches(Protocol):
    """What comes in batches, and can be read several times."""

    def names(self) -> Sequence[str]:
        """Return the names of the columns."""
        ...

    def fragments(self, columns: Sequence[str]) -> Iterator[Fragment]:
        """Yield fragments in order, with these columns in this order.

        Fragments may be read by several threads, each by one.
        """
        ...

    def keep(self) -> None:
        """Copy what can be read only once."""
        ...

    def as_read(self) -> Batches:
        """Return the same files for later reading."""
        ...

    def sha256(self) -> str | None:
        """Hash the files."""
        ...


class Worked(NamedTuple):
    """What was made of a table, or the error of reading it.

    Parameters
    ----------
    done
        How many bytes were read up to its fragment's end.
    """

    place: Place
    done: int
    result: Any
    error: Exception | None = None


def in_order(
    fragments: Iterator[Fragment], work: Callable[[Table], Any], threads: int
) -> Generator[Worked, None, None]:
    """Yield what ``work`` makes of each table, in order, from several threads.

    Fragments are shared among the threads; if there is a single one, its tables are read by the
    calling thread and worked on by the others. After an error, nothing more is yielded.
    """
    first = [*islice(fragments, 2)]
    fragments = chain(first, fragments)
    if threads == 1:
        results = (
            each for fragment, done in _placed(fragments) for each in _worked(fragment, done, work)
        )
    elif len(first) == 1:
        results = _one_read(first[0], work, threads)
    else:
        results = _several_read(fragments, work, threads)
    for each in results:
        yield each
        if each.error is not None:
            return


def _placed(fragments: Iterator[Fragment]) -> Iterator[tuple[Fragment, int]]:
    done = 0
    for fragment in fragments:
        done += fragment.size
        yield fragment, done


def _worked(
    fragment: Fragment, done: int, work: Callable[[Table], Any]
) -> Generator[Worked, None, None]:
    place = fragment.place
    try:
        for table in fragment.tables():
            yield Worked(place, done, work(table))
            place = place._replace(first=place.first + len(table))
    except Exception as error:
        yield Worked(place, done, None, error)


def _one_read(
    fragment: Fragment, work: Callable[[Table], Any], threads: int
) -> Generator[Worked, None, None]:
    """Read in this thread, and work in others."""
    place = fragment.place
    waiting: deque[tuple[Place, Future[Any]]] = deque()
    with _pool(threads - 1) as pool:
        tables = fragment.tables()
        while True:
            try:
                table = next(tables, None)
            except Exception as error:
                yield from _results(waiting, 0)
                yield Worked(place, fragment.size, None, error)
                return
            if table is None:
                break
            waiting.append((place, pool.submit(work, table)))
            place = place._replace(first=place.first + len(table))
            del table
            yield from _results(waiting, 2 * threads)
        yield from _results(waiting, 0)


def _results(waiting: deque[tuple[Place, Future[Any]]], most: int) -> Generator[Worked, None, None]:
    """Yield results until at most so many are waited for."""
    while len(waiting) > most:
        place, future = waiting.popleft()
        yield Worked(place, 0, future.result())


def _several_read(
    fragments: Iterator[Fragment], work: Callable[[Table], Any], threads: int
) -> Generator[Worked, None, None]:
    """Read and work on fragments in all threads."""
    stopped = False

    def whole(fragment: Fragment, done: int) -> list[Worked]:
        results = []
        for each in _worked(fragment, done, work):
            results.append(each)
            if stopped:
                break
        return results

    waiting: deque[Future[list[Worked]]] = deque()
    with _pool(threads) as pool:
        try:
            for fragment, done in _placed(fragments):
                waiting.append(pool.submit(whole, fragment, done))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            stopped = True


@contextmanager
def _pool(threads: int) -> Iterator[ThreadPoolExecutor]:
    pool = ThreadPoolExecutor(threads)
    try:
        with typed_refusal("read it with threads=1"):
            yield pool
    finally:
        pool.shutdown(cancel_futures=True)


MOST_ROWS = 1 << 16
"""Rows of a table, at most."""


def tables_of(
    batches: Iterable[Any], columns: Sequence[str], values: Mapping[str, str] | None = None
) -> Iterator[Table]:
    """Export record batches in parts of some rows, with these columns in this order.

    Parameters
    ----------
    values
        Columns that the batches do not have, with the same value in all rows.
    """
    for batch in batches:
        chosen = batch
        for name, value in (values or {}).items():
            chosen = chosen.append_column(name, _repeated(value, batch.num_rows))
        chosen = chosen.select([*columns])
        for first in range(0, chosen.num_rows, MOST_ROWS):
            part = chosen.slice(first, MOST_ROWS)
            part.validate()  # the core is not told how long buffers are
            yield table_from_array(*part.__arrow_c_array__(None))


def _repeated(value: str, times: int) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.repeat(value, times)


_SEEKING = Lock()


class ReadAt(RawIOBase):
    """An open file, read at any place; closing it leaves the descriptor open."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Set the position."""
        start = {SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self.size()}[whence]
        self._at = start + offset
        return self._at

    def size(self) -> int:
        """Return the number of bytes of the file."""
        return os.fstat(self._descriptor).st_size

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, fewer at the end only; all that are left if negative."""
        left = self.size() - self._at  # room for a number from a damaged file may not be there
        if size is not None and size >= 0:
            left = min(left, size)
        pieces = []
        while left > 0 and (piece := self._piece(left)):
            pieces.append(piece)
            self._at += len(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, most, self._at)
        with _SEEKING:
            os.lseek(self._descriptor, self._at, os.SEEK_SET)
            return os.read(self._descriptor, most)
