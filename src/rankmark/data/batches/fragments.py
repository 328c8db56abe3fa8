"""What comes in batches: fragments, each a sequence of tables, worked on in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankmark.data.contract.cores import typed_refusal
from rankmark.data.ids.numeric import row_from_0

if TYPE_CHECKING:
    from rankmark._core import Table


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
