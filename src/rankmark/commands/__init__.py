"""The program ``rankmark``: its signals, its output and its exit.

``app`` lists the commands, each of which is a file here.
"""

from __future__ import annotations

# The module signal wraps this one in enumerations, and importing those takes too long.
import _signal as signal  # type: ignore[import-not-found]
import gc
import io
import os
import sys

TYPE_CHECKING = False  # importing typing takes longer than all before Ctrl-C is handled
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

_INTERRUPTED = 130  # as shells report Ctrl-C
_OUT_OF_MEMORY = b"rankmark: memory is full; give the process more, or read less at a time\n"
_FRAMES = 1 << 15  # words
_OBJECTS = 100_000
_replaced: list[object] = []


def main() -> None:
    """Run the command line; wrong usage ends with exit code 2."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        _run()
    except MemoryError:  # before errors are reported, or while one is
        os.write(2, _OUT_OF_MEMORY)
        os._exit(1)


def _run() -> None:
    # Imports create many objects, and no garbage; most commands end before there is any.
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    # Else NumPy's linear algebra, which is not used, starts a busy thread per core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pyarrow's own allocators hold on to memory that is not used any more.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if sys.stderr is None:  # it was closed, and print would write to stdout instead
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    _buffer_stdout()
    from rankmark.commands.parts.faults import reported_errors  # noqa: PLC0415

    try:
        with reported_errors():
            if sys.argv[1:2] == ["trec_eval"]:  # often called, and it needs no other command
                from rankmark.compat.trec_eval import main as trec_eval  # noqa: PLC0415

                sys.exit(trec_eval(sys.argv[2:]))
            try:
                from rankmark.commands.app import app  # noqa: PLC0415
            except ImportError as error:
                _refuse_without_click(error)
            else:
                app(prog_name="rankmark")
    except SystemExit as ended:
        _leave(ended.code if isinstance(ended.code, int) else 0)


def _refuse_without_click(error: ImportError) -> NoReturn:
    """Say what to install if rankmark was installed as a library of functions."""
    if (error.name or "").partition(".")[0] != "click":
        raise error
    from rankmark.errors import MissingDependencyError  # noqa: PLC0415

    raise MissingDependencyError("click", "cli", "the command line") from None


# CPython keeps frames in pieces of 16 KiB, and returns a piece to the system as soon as the calls
# in it have ended. Where imports nest just so deeply that each call needs another piece, this takes
# longer than the calls. A frame that claims much room gets a large piece, which those of all
# further calls share.
_run.__code__ = _run.__code__.replace(co_stacksize=_FRAMES)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Take a progress bar away and exit at once, unless a file must be cleaned up first.

    A KeyboardInterrupt may come while a library is imported, which some report in their own words.
    """
    if _must_clean_up():
        raise KeyboardInterrupt
    os._exit(_INTERRUPTED)


def _stop(number: int, _frame: FrameType | None) -> None:
    """End as the system would, after temporary files and a progress bar are removed."""
    if _must_clean_up():
        sys.exit(128 + number)  # as shells report it
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _must_clean_up() -> bool:
    """Take away progress bars; return whether a file is being written."""
    writing = sys.modules.get("rankmark.data.files.whole_files")
    progress = sys.modules.get("rankmark.commands.parts.progress")
    for bar in [*getattr(progress, "shown", ())]:
        bar.take_away()
    return bool(getattr(writing, "unfinished", None))


def _buffer_stdout() -> None:
    """Let stdout write all or fail: unbuffered, Python drops what a full disk did not take."""
    raw = getattr(sys.stdout, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        return
    text = sys.stdout
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=text.encoding, errors=text.errors, line_buffering=True
    )
    _replaced.append(text)  # else its end would close the file


def _leave(code: int) -> None:
    """Exit without shutting down the interpreter, which takes a tenth of a small evaluation."""
    from contextlib import suppress  # noqa: PLC0415

    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        code = code or 1  # the error has been reported already
    with suppress(OSError):  # notes that cannot be written change no result
        sys.stderr.flush()
    os._exit(code)
