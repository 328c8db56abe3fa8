"""Errors of the command line: one line, an exit code, and no traceback."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from rankmark.errors import (
    ESCAPED,
    InputError,
    MeasureError,
    RankmarkError,
    RankmarkWarning,
    one_line,
    shown,
)

if TYPE_CHECKING:
    from pathlib import Path

WRONG_INPUT = 1
WRONG_USAGE = 2
_TRACEBACK = "RANKMARK_TRACEBACK"
_LONGEST_HALF = 4_000  # letters of a message; ids have up to 16 million
INTERRUPTED = 130  # as shells report Ctrl-C
_OUT_OF_MEMORY = "memory is full; read less at a time, or evaluate fewer runs side by side"
# What Python says of a thread without room for its stack, and where no room is left for an error.
_SIGNS_OF_FULL_MEMORY = (
    "can't start new thread",
    "without setting an exception",
    "error return without exception set",
)


@contextmanager
def reported_errors() -> Iterator[None]:
    """Turn errors into one line on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # Escape ids that the terminal cannot show, or that are not UTF-8.
            with suppress(OSError):
                stream.reconfigure(errors=ESCAPED)
    warnings.simplefilter("once", RankmarkWarning)
    warnings.showwarning = _show_warning
    try:
        yield
        if sys.stdout is not None:  # None if it was closed
            sys.stdout.flush()
    except MeasureError as error:
        print_error(str(error))
        sys.exit(WRONG_USAGE)
    except RankmarkError as error:
        print_error(str(error))
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of the output has ended, as in `| head`.
        leave_stdout()
        sys.exit(0)
    except OSError as error:
        leave_stdout()
        print_error(f"the results cannot be written: {error.strerror or error}")
        sys.exit(WRONG_INPUT)
    except MemoryError:
        print_error(_OUT_OF_MEMORY)
        sys.exit(WRONG_INPUT)
    except Exception as error:
        if _is_handled_by_click(error) or os.environ.get(_TRACEBACK):
            raise
        print_error(_unforeseen(error))
        sys.exit(WRONG_INPUT)


def _unforeseen(error: Exception) -> str:
    """Say what happened: memory is full, a library is broken, or rankmark is wrong."""
    is_of_python = isinstance(error, (RuntimeError, SystemError))
    if is_of_python and any(sign in str(error) for sign in _SIGNS_OF_FULL_MEMORY):
        return _OUT_OF_MEMORY
    if isinstance(error, ImportError):
        return (
            f"a library cannot be loaded: {_reason_of(error)}; give the process more memory, or "
            f"install rankmark anew; {_TRACEBACK}=1 shows the traceback"
        )
    return (
        f"{type(error).__name__}: {shown(str(error))}; this is a bug in rankmark: please "
        f"report it with the traceback that {_TRACEBACK}=1 shows"
    )


def refuse_conflicts(
    read: Iterable[str | None], *written: Path | None, queries: str = "judged"
) -> list[str]:
    """Refuse to read a stream twice, or to write results over each other or over an input file.

    A folder that does not exist is noticed here too, before any work is done.

    Parameters
    ----------
    read, written
        Paths of inputs and of outputs; None where an option was not given.
    queries
        The option of this name, which may name a file.

    Returns
    -------
    list of str
        The inputs.
    """
    inputs = [path for path in read if path is not None]
    inputs += [queries[1:]] if queries.startswith("@") else []
    if inputs.count("-") > 1:
        raise InputError("stdin is given for several files", "give the paths of all but one")
    found: set[str] = set()
    for output in filter(None, written):
        for path in inputs:
            with suppress(OSError, ValueError):  # if a file does not exist
                if os.path.samefile(output, path):  # noqa: PTH121
                    raise _wrong_usage(f"{output} is an input file; choose another name")
        if str(output) == "-" or (output.exists() and not output.is_file()):
            continue
        if not os.path.lexists(os.path.dirname(output) or "."):  # noqa: PTH120
            from rankmark.data.files.input_file import printable  # noqa: PLC0415

            raise InputError(
                f"cannot be written: {os.strerror(errno.ENOENT)}",
                "choose another path",
                where=printable(str(output)),
            )
        place = os.path.realpath(output)
        if place in found:
            raise _wrong_usage(f"{output} is to hold two results; give each its own file")
        found.add(place)
    return inputs


def _wrong_usage(message: str) -> Exception:
    import click  # noqa: PLC0415

    return click.UsageError(message)


def stdout() -> TextIO:
    """Return standard output.

    Raises
    ------
    InputError
        If it was closed.
    """
    if sys.stdout is None:
        raise InputError("stdout is closed", "name a file with --output, or leave stdout open")
    return sys.stdout


def _is_handled_by_click(error: Exception) -> bool:
    import click  # noqa: PLC0415

    return isinstance(error, (click.ClickException, click.exceptions.Exit, click.Abort))


def _reason_of(error: ImportError) -> str:
    """Return what the system says: NumPy puts a page of advice before it."""
    while isinstance(error.__cause__, ImportError):
        error = error.__cause__
    return shown(error.msg, 400).strip("'")


def leave_stdout() -> None:
    """Redirect stdout to nowhere, so that Python's last flush cannot fail."""
    with suppress(OSError, AttributeError):  # it is closed, or not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(message: str) -> None:
    """Write one line to stderr; the middle of a very long one is left out."""
    line = one_line(f"rankmark: {message}")
    if len(line) > 2 * _LONGEST_HALF:  # nothing is imported here, as memory may be full
        line = f"{line[:_LONGEST_HALF]}…{line[-_LONGEST_HALF:]}"
    print_note(line)


def print_note(line: str) -> None:
    """Write a line to stderr; that nothing can be written there changes no result."""
    with suppress(OSError):
        print(line, file=sys.stderr)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print_error(f"warning: {message}")
