"""Errors as the command line tells them: one line, an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rankmark.errors import MeasureError, RankmarkError, RankmarkWarning

WRONG_INPUT = 1
WRONG_USAGE = 2
INTERRUPTED = 130  # what shells give a program that Ctrl-C ended


@contextmanager
def told() -> Iterator[None]:
    """Turn the user's mistakes into one line on stderr and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # An id that the terminal cannot show, or that is no UTF-8, is shown escaped.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    warnings.simplefilter("always", RankmarkWarning)
    warnings.showwarning = _show_warning
    try:
        yield
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(WRONG_INPUT)


def tell(message: str) -> None:
    """Write one line to stderr."""
    print(f"rankmark: {message}", file=sys.stderr)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    tell(f"warning: {message}")
