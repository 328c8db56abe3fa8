"""Files that are read while Python is still importing the modules that evaluate them.

Importing NumPy keeps one core busy for a tenth of a second, and the core reads files without it.
The command line therefore says which files it is going to read as soon as it knows, and a thread
begins to read them.

What the thread has read is used only by a reader that asks for exactly the same: the same file,
unchanged, read in the same way. In all other cases, and after any error, a file is read as if
nothing had been read ahead, so that no result, no message and no order of messages depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankmark import _core
    from rankmark.sources.contract.source import Progress

_TICK = 0.02  # seconds between reports of progress


class _StoppedError(Exception):
    """Nobody needs what is being read."""


class FileAhead:
    """A file, and what was read of it: None if it could not be read.

    Parameters
    ----------
    request
        The file's state and what is read of it; a reader that asks for the same gets it.
    """

    def __init__(self, request: object) -> None:
        self.request = request
        self.found: Any = None
        self.ended = Event()
        self._stopped = False
        self._done = 0  # bytes

    def progress(self, done: int) -> None:
        """Note the number of bytes read, for the reader."""
        self._done = done
        if self._stopped:
            raise _StoppedError

    def stop(self) -> None:
        """Stop reading."""
        self._stopped = True

    def awaited(self, progress: Progress | None) -> Any:
        """Wait until it is read, and return what was found."""
        while not self.ended.wait(_TICK):
            if progress is not None:
                progress(self._done)
        found, self.found = self.found, None
        return found


class ReadingAhead:
    """Judgments and a run that a thread reads.

    Parameters
    ----------
    ranking
        How the run is ranked; all judged documents are kept.
    """

    def __init__(self, qrels: object, run: object, ranking: _core.RankingOptions) -> None:
        self.qrels, self.run = FileAhead(qrels), FileAhead(run)
        self.ranking = ranking
        self.judgments: _core.Judgments | None = None

    def read(
        self,
        read_qrels: Callable[[Progress], tuple[Any, ...]],
        read_run: Callable[[_core.Judgments, Progress], _core.RunRead],
    ) -> None:
        """Read both files, the run with the judgments."""
        try:
            judged = read_qrels(self.qrels.progress)
            self.qrels.found, self.judgments = judged, judged[0]
            self.qrels.ended.set()
            self.run.found = read_run(judged[0], self.run.progress)
        except Exception:  # noqa: S110  (whoever reads the file again reports it)
            pass
        finally:
            self.qrels.ended.set()
            self.run.ended.set()


_reading: ReadingAhead | None = None


def expect(reading: ReadingAhead) -> None:
    """Offer what is being read to the readers of these files."""
    global _reading  # noqa: PLW0603  (a process begins once)
    _reading = reading


def qrels(request: object, progress: Progress | None) -> Any:
    """Return what the core has read of judgments; None if they were not read ahead."""
    if _reading is None or _reading.qrels.request != request:
        return None
    return _reading.qrels.awaited(progress)


def run(
    request: object,
    judgments: _core.Judgments,
    ranking: _core.RankingOptions,
    *,
    by_rank: bool,
    progress: Progress | None,
) -> Any:
    """Return what the core has aligned of a run; None if it was not read ahead."""
    global _reading
    if _reading is None or _reading.run.request != request:
        return None
    reading, _reading = _reading, None
    same_order = not by_rank and ranking.keeping_all().same_as(reading.ranking)
    if not same_order or judgments is not reading.judgments:
        reading.run.stop()
        return None
    found = reading.run.awaited(progress)
    return None if found is None else found.take_aligned(ranking)
