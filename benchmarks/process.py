"""Processes, fresh and warm: how long they take, how large they grow."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

# Linux counts kilobytes, macOS bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024

LAUNCHER = """
import os, sys, time
report, *argv = sys.argv[1:]
os.set_inheritable(int(report), False)
start = time.perf_counter()
child = os.posix_spawnp(argv[0], argv, os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
os.write(int(report), f"{seconds} {usage.ru_maxrss} {status}".encode())
"""
"""Starts a program from a small process, as Linux counts its parent's peak memory as its own."""


class ProcessError(Exception):
    """A timed process failed."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What one process took, from start to exit."""

    seconds: float
    peak_mb: float
    output: str


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, started afresh each time."""

    argv: tuple[str, ...]

    def run(self) -> Finished:
        """Run it to its end.

        The peak is the program's own, but never less than that of the launcher, which is an
        interpreter that has imported nothing.
        """
        python = (sys.executable, "-I", "-S", "-c", LAUNCHER)
        with tempfile.TemporaryFile("w+b") as said, tempfile.TemporaryFile("w+b") as report:
            number = report.fileno()
            words = (*python, str(number), *self.argv)
            subprocess.run(words, stdout=said, stderr=said, pass_fds=(number,), check=False)
            report.seek(0)
            seconds, peak, status = report.read().split() or (b"0", b"0", b"1")
            said.seek(0)
            output = said.read().decode(errors="replace")
        if int(status):
            raise ProcessError(f"{' '.join(self.argv)} failed:\n{output[-2000:]}")
        return Finished(float(seconds), int(peak) * RSS_UNIT / 1e6, output)

    def seconds(self) -> float:
        """Run it and give the seconds from start to exit."""
        return self.run().seconds


class Server:
    """A process that holds its inputs and does one timed work for each line it reads."""

    def __init__(self, python: Path | str, script: Path, *arguments: Path | str) -> None:
        """Start it and wait until its inputs are ready and the work was done once."""
        argv: Sequence[str] = [str(part) for part in (python, script, *arguments)]
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.means: dict[str, float] = json.loads(self._line())

    def seconds(self) -> float:
        """Have the work done once more and give its seconds."""
        return self._times()[0]

    def cpu_seconds(self) -> float:
        """Have the work done once more and give the CPU seconds of all its threads."""
        return self._times()[1]

    def _times(self) -> tuple[float, float]:
        if self._process.stdin is not None:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        seconds, used = map(float, self._line().split())
        return seconds, used

    def __enter__(self) -> Self:
        """Return the server itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process by ending its input."""
        self._process.communicate()

    def _line(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise ProcessError(f"{self._process.args!r} ended with {self._process.wait()}")
        return line
