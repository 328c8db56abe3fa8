"""Files that are read while Python is still importing the modules that evaluate them.

Importing NumPy keeps one core busy for a tenth of a second, and the core reads files without it.
The command line therefore says which files it is going to read as soon as it knows, and a thread
begins to read them.

What the thread has read is used only by a reader that asks for exactly the same: the same file,
unchanged, read in the same way. In all other cases, and after any error, a file is read as if
nothing had been read ahead, so that no result, no message and no order of messages depends on it.
"""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from math import inf
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.conventions import limit
from rankmark.errors import RankmarkError
from rankmark.sources.contract.cores import as_threads
from rankmark.sources.contract.memory import as_memory

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.sources.contract.source import Progress
    from rankmark.sources.files.file_source import FileSource
    from rankmark.sources.files.text import OpenText

_TICK = 0.02  # seconds between reports of progress


class _StoppedError(Exception):
    """Nobody needs what is being read."""


class _File:
    """One of the files, and what was read of it: None if it could not be read."""

    def __init__(self, text: OpenText) -> None:
        self.text = text
        self.found: Any = None
        self.ended = Event()
        self._request = text.request
        self._stopped = False
        self._done = 0  # bytes

    def is_of(self, text: OpenText) -> bool:
        """Return True if a reader asks for this file, and it has not changed."""
        return text.request == self._request

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


class _Reading:
    """Judgments and a run that a thread reads."""

    def __init__(
        self, qrels: OpenText, run: OpenText, ranking: _core.RankingOptions, threads: int
    ) -> None:
        self.qrels, self.run = _File(qrels), _File(run)
        self.ranking = ranking
        self.judgments: _core.Judgments | None = None
        self._threads = threads

    def read(self, opened: ExitStack) -> None:
        """Read both files, which are closed afterwards."""
        with opened:
            try:
                self._read()
            except Exception:  # noqa: S110  (whoever reads the file again reports it)
                pass
            finally:
                self.qrels.ended.set()
                self.run.ended.set()

    def _read(self) -> None:
        qrels, run = self.qrels.text, self.run.text
        self.qrels.found = _core.qrels_from_file(
            qrels.source,
            qrels.for_core(),
            self._threads,
            qrels.block_bytes,
            self.qrels.progress,
        )
        self.judgments = self.qrels.found[0]
        self.qrels.ended.set()
        assert self.judgments is not None  # noqa: S101
        self.run.found = _core.run_from_file(
            run.source,
            run.for_core(single=self.ranking.single),
            self.judgments,
            self.ranking,
            self._threads,
            run.block_bytes,
            self.run.progress,
        )


_reading: _Reading | None = None


def begin(
    qrels: FileSource,
    run: FileSource,
    conventions: Conventions,
    *,
    memory: int | None,
    threads: int | None,
) -> None:
    """Begin to read judgments and a run, if both are plain files of text.

    Since nobody knows yet which judged documents the measures need, all are kept.
    """
    global _reading  # noqa: PLW0603  (a process begins once)
    with ExitStack() as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the actual reader warns
        try:
            texts = [opened.enter_context(source.opened_text()) for source in (qrels, run)]
        except (RankmarkError, OSError):
            return
        if texts[0] is None or texts[1] is None:
            return
        bounds = -inf, limit(None), as_memory(memory)
        ranking = _core.RankingOptions(*conventions.for_core(), *bounds).keeping_all()
        _reading = _Reading(texts[0], texts[1], ranking, as_threads(threads))
        # Not a daemon, which must not return to an interpreter that has been shut down.
        Thread(target=_reading.read, args=[opened.pop_all()]).start()


def qrels(text: OpenText, progress: Progress | None) -> Any:
    """Return what the core has read of these judgments; None if they were not read ahead."""
    if _reading is None or not _reading.qrels.is_of(text):
        return None
    return _reading.qrels.awaited(progress)


def run(
    text: OpenText,
    judgments: _core.Judgments,
    ranking: _core.RankingOptions,
    *,
    by_rank: bool,
    progress: Progress | None,
) -> Any:
    """Return what the core has aligned of this run; None if it was not read ahead."""
    global _reading
    if _reading is None or not _reading.run.is_of(text):
        return None
    reading, _reading = _reading, None
    same_order = not by_rank and ranking.keeping_all().same_as(reading.ranking)
    if not same_order or judgments is not reading.judgments:
        reading.run.stop()
        return None
    found = reading.run.awaited(progress)
    return None if found is None else found.take_aligned(ranking)
