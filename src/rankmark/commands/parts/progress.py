"""A progress bar on stderr, in terminals, if a command takes more than two seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any, Self

from rankmark.commands.parts.options import is_quiet
from rankmark.work_progress import told_to

_PATIENCE = 2.0  # seconds
_BETWEEN = 0.1  # seconds between two changes of the bar
shown: set[Progress] = set()
"""Bars on the terminal, which must be taken away."""


class Progress:
    """Progress of a command: of several files that are read in parallel, then of what follows.

    Within a ``with`` block, the bar shows the work that ``rankmark.work_progress.steps`` tells of,
    and moves to and fro where nothing is known.

    Parameters
    ----------
    paths
        The files that are read; none if reading is not told of.
    """

    def __init__(self, paths: Sequence[str] = ()) -> None:
        self._sizes = [*map(_size_of, paths)]
        self._done = [0] * len(paths)
        self._what = "reading" if sum(self._sizes) else "working"
        self._now, self._total = 0, sum(self._sizes)
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.RLock()  # for runs that are read in parallel
        self._next = 0.0
        self._ended = False
        self._until = ExitStack()

    def of(self, number: int) -> Callable[[int], None]:
        """Return the progress function of one file."""
        return partial(self.update, number)

    def update(self, number: int, done: int) -> None:
        """Record the number of bytes read of one file."""
        self._done[number] = done
        read, size = sum(self._done), sum(self._sizes)
        if read < size:
            self._tell("reading", read, size)
        else:  # all is read, and is evaluated
            self._tell("evaluating", 0, 0)

    def _tell(self, what: str, done: int, total: int) -> None:
        """Show that so many steps are done; of an unknown number if that is 0."""
        changed = what != self._what
        self._what, self._now, self._total = what, done, total
        if self._bar is not None and (changed or time.monotonic() >= self._next):
            with self._lock:
                self._next = time.monotonic() + _BETWEEN
                self._show()

    def _show(self) -> None:
        if self._bar is not None:
            self._bar.update(
                self._task,
                description=self._what,
                completed=self._now,
                total=self._total or None,
            )

    def _appear(self) -> None:
        """Put the bar on the terminal; the command has taken long."""
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        with self._lock:
            if self._ended:
                return
            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._what, total=None)
            self._show()
            shown.add(self)
            self._bar.start()

    def take_away(self) -> None:
        """Remove the bar from the terminal, for good."""
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()
            shown.discard(self)

    def __enter__(self) -> Self:
        self._until.enter_context(told_to(self._tell))
        self._until.callback(self.take_away)
        if sys.stderr.isatty() and not is_quiet():
            timer = threading.Timer(_PATIENCE, self._appear)
            timer.daemon = True
            timer.start()
            self._until.callback(timer.cancel)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._until.close()


def _size_of(path: str) -> int:
    """Return the size of a file; 0 for a folder, and for what is not there."""
    return os.path.getsize(path) if os.path.isfile(path) else 0  # noqa: PTH113, PTH202
