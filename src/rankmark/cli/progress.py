"""A progress bar on stderr, in terminals, if reading takes more than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_PATIENCE = 2.0  # seconds
shown: set[object] = set()
"""Bars on the terminal, which must be taken away."""


class Progress:
    """Progress of several files that are read in parallel."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._sizes = [Path(path).stat().st_size if Path(path).is_file() else 0 for path in paths]
        self._done = [0] * len(paths)
        self._began = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._lock = threading.Lock()  # for runs that are read in parallel
        self._shown = sys.stderr.isatty()

    def of(self, number: int) -> Callable[[int], None]:
        """Return the progress function of one file."""
        return partial(self.update, number)

    def update(self, number: int, done: int) -> None:
        """Record the number of bytes read of one file."""
        self._done[number] = done
        if self._shown and time.monotonic() - self._began > _PATIENCE:
            with self._lock:
                self._show()

    def _show(self) -> None:
        if self._bar is None:
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import Progress as Bar  # noqa: PLC0415

            shown.add(self)
            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("reading", total=max(sum(self._sizes), 1))
            self._bar.start()
        self._bar.update(self._task, completed=sum(self._done))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            shown.discard(self)
