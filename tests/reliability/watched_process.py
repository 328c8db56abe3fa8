"""A command in a process of its own, under limits and signals, and what became of it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds, after which a process hangs
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Ended:
    """A process that has ended.

    Parameters
    ----------
    code
        Its exit code; below 0, the signal that ended it.
    out, err
        What it wrote, as far as it was read.
    peak
        Its largest resident memory in bytes.
    took
        Seconds from its start to its end.
    late
        Seconds that it lived on after a signal was sent, on the clock or of processor time,
        whichever is less: a busy machine is no fault of the process.
    hung
        Whether it had to be killed after a long time.
    """

    code: int
    out: bytes
    err: str
    peak: int
    took: float
    late: float = 0.0
    hung: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A signal, sent some seconds after the start."""

    number: int
    after: float


def watched(
    words: Sequence[object],
    folder: Path,
    *,
    limits: Mapping[int, int] | None = None,
    sent: Sent | None = None,
    streams: Mapping[str, Any] | None = None,
    closed: Sequence[int] = (),
    beside: Callable[[int], None] | None = None,
    user: int | None = None,
    env: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> Ended:
    """Run a command to its end.

    Parameters
    ----------
    words, folder
        The command, and where it runs.
    limits
        Values of ``resource.RLIMIT_...``.
    sent
        A signal to send.
    streams
        What stands for "stdin", "stdout" and "stderr"; by default nothing is read, and what is
        written is kept.
    closed
        Descriptors to close before it starts.
    beside
        What to do, with its process id, once it has started.
    user
        The user who runs it.
    """

    def begin() -> None:
        # Who runs the campaign in the background, or under nohup, ignores some, and so would this.
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        for descriptor in closed:
            os.close(descriptor)
        for limit, value in (limits or {}).items():
            resource.setrlimit(limit, (value, value))

    channels = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    start = time.monotonic()
    process = subprocess.Popen(
        [*map(str, words)],
        cwd=folder,
        preexec_fn=begin,  # noqa: PLW1509  (it calls nothing that takes a lock)
        env=env,
        user=user,
        start_new_session=True,
        **(channels | dict(streams or {})),
    )
    held: dict[str, bytes] = {}
    readers = [
        threading.Thread(target=_keep, args=(held, name, stream))
        for name, stream in (("out", process.stdout), ("err", process.stderr))
        if stream is not None
    ]
    hung = threading.Event()
    timer = threading.Timer(patience, _kill, (process.pid, hung))
    for thread in (*readers, timer):
        thread.daemon = True
        thread.start()
    before: tuple[float, float] | None = None
    if sent is not None:
        time.sleep(max(0.0, start + sent.after - time.monotonic()))
        before = time.monotonic(), _processor_time(process.pid)
        os.kill(process.pid, sent.number)  # send_signal would wait for it, and lose its usage
    if beside is not None:
        beside(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    end = time.monotonic()
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    for reader in readers:
        reader.join(5)
    late = 0.0
    if before is not None:
        late = min(end - before[0], usage.ru_utime + usage.ru_stime - before[1])
    return Ended(
        process.returncode,
        held.get("out", b""),
        held.get("err", b"").decode("utf-8", "replace"),
        usage.ru_maxrss * 1024,
        end - start,
        max(late, 0.0),
        hung.is_set(),
    )


def _keep(held: dict[str, bytes], name: str, stream: Any) -> None:
    with stream:
        held[name] = stream.read()


def _kill(pid: int, hung: threading.Event) -> None:
    hung.set()
    os.killpg(pid, signal.SIGKILL)


def _processor_time(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
