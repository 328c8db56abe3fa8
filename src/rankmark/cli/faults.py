"""Errors as the command line tells them: one line, an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from rankmark.errors import InputError, MeasureError, RankmarkError, RankmarkWarning, shown

if TYPE_CHECKING:
    from pathlib import Path

WRONG_INPUT = 1
WRONG_USAGE = 2
_TRACEBACK = "RANKMARK_TRACEBACK"
INTERRUPTED = 130  # what shells give a program that Ctrl-C ended


@contextmanager
def told() -> Iterator[None]:
    """Turn the user's mistakes into one line on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # An id that the terminal cannot show, or that is no UTF-8, is shown escaped.
            with suppress(OSError):
                stream.reconfigure(errors="backslashreplace")
    warnings.simplefilter("once", RankmarkWarning)
    warnings.showwarning = _show_warning
    try:
        yield
        if sys.stdout is not None:  # as it is where whoever started this has closed it
            sys.stdout.flush()
    except MeasureError as error:
        tell(str(error))
        sys.exit(WRONG_USAGE)
    except RankmarkError as error:
        tell(str(error))
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # Whoever read the output has gone (`| head`); nothing more can be said there.
        _leave_stdout()
        sys.exit(0)
    except OSError as error:
        _leave_stdout()
        tell(f"the results cannot be written: {error.strerror or error}")
        sys.exit(WRONG_INPUT)
    except MemoryError:
        tell("the memory is full; read less at a time, or evaluate fewer runs side by side")
        sys.exit(WRONG_INPUT)
    except Exception as error:
        if _is_said_otherwise(error):
            raise
        tell(
            f"{type(error).__name__}: {shown(str(error))}; this is a mistake in rankmark: please "
            f"report it with what {_TRACEBACK}=1 shows"
        )
        sys.exit(WRONG_INPUT)


def refuse_stdin_twice(*paths: str) -> None:
    """Refuse to read two files from one stream."""
    if paths.count("-") > 1:
        raise InputError("only one file can be read from stdin")


def refuse_overwriting(output: Path | None, *paths: str) -> None:
    """Refuse to write results over a file that they are about."""
    for path in paths:
        with suppress(OSError, ValueError):  # of two files, one may not be there
            if output is not None and os.path.samefile(output, path):  # noqa: PTH121
                import click  # noqa: PLC0415

                raise click.UsageError(f"{output} is one of the files to read; choose another name")


def stdout() -> TextIO:
    """Give standard output; it may be closed, or be anything that takes text.

    Raises
    ------
    InputError
        If whoever started this has closed it.
    """
    if sys.stdout is None:
        raise InputError("stdout is closed; name a file with --output, or leave stdout open")
    return sys.stdout


def _is_said_otherwise(error: Exception) -> bool:
    """Say whether click has words for it, or its trace was asked for."""
    import click  # noqa: PLC0415

    is_clicks = isinstance(error, (click.ClickException, click.exceptions.Exit, click.Abort))
    return is_clicks or bool(os.environ.get(_TRACEBACK))


def _leave_stdout() -> None:
    """Let Python's last flush of what nobody takes go nowhere."""
    with suppress(OSError, AttributeError):  # it is closed, or no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def tell(message: str) -> None:
    """Write one line to stderr."""
    print(f"rankmark: {message}", file=sys.stderr)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    tell(f"warning: {message}")
