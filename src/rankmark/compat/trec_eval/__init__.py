"""trec_eval's command line: ``rankmark trec_eval`` and ``python -m rankmark.compat.trec_eval``.

Options, names, order, formats and exit codes are trec_eval's, of version 10 or, with ``--as 9``,
of version 9. What is different, and why, is on the page "trec_eval" of the
documentation.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from rankmark.compat.trec_eval.given_options import (
    NOT_COMPUTED,
    NOT_PRINTED,
    Options,
    StoppedError,
    options_of,
)
from rankmark.errors import ESCAPED, InputError, RankmarkError, shown
from rankmark.version import __version__

__all__ = ["main"]

_INTERRUPTED = 130


def main(arguments: Sequence[str | os.PathLike[str]] | None = None) -> int:
    """Run the command, and return its exit code.

    Parameters
    ----------
    arguments
        Those of the command line, without the name of the command; None for the process's own.

    Raises
    ------
    InputError
        If they are one text.
    """
    if isinstance(arguments, (str, bytes)):
        raise InputError(
            f"the arguments are {shown(arguments)}", 'need a list, as in ["-m", "map", ...]'
        )
    given = sys.argv[1:] if arguments is None else [str(argument) for argument in arguments]
    try:
        return _run(options_of(given))
    except StoppedError as stopped:
        _explain(stopped.lines)
        return stopped.code
    except RankmarkError as error:  # a measure that cannot be computed from these files
        _explain([f"trec_eval: {error}"])
        return NOT_COMPUTED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:  # the reader has ended, as in `| head`
        _leave_stdout()
        return 0


def _run(options: Options) -> int:
    if options.name:
        from rankmark.profiles.known import profile  # noqa: PLC0415

        version = profile(f"trec_eval{options.version}").version
        _explain([f"trec_eval version {version}, computed by rankmark {__version__}"])
        return 0
    if options.help:
        from rankmark.compat.trec_eval.requested import manual  # noqa: PLC0415  (rarely needed)

        _write([manual(options)])
        return 0
    from rankmark.compat.trec_eval.evaluating import evaluated  # noqa: PLC0415  (-h is quick)
    from rankmark.compat.trec_eval.printing import lines, with_zscores  # noqa: PLC0415
    from rankmark.compat.trec_eval.reading import zscores_in  # noqa: PLC0415

    found = evaluated(options)
    if options.zscores is not None:
        found = with_zscores(found, zscores_in(options.zscores))
    _explain(f"rankmark: {note}" for note in found.notes)
    _write(lines(found, options))
    if found.missing is not None:
        _explain([f"trec_eval: result qid '{found.missing}' not found in qrels"])
        return NOT_COMPUTED
    return 0


def _write(parts: Iterable[str]) -> None:
    """Write to standard output, in which ids are the bytes that they were in the files.

    Raises
    ------
    StoppedError
        If it cannot be written to.
    """
    if sys.stdout is None:
        raise StoppedError(NOT_PRINTED, "trec_eval: stdout is closed: leave it open")
    binary = getattr(sys.stdout, "buffer", None)
    try:
        for part in parts:
            if binary is None:
                sys.stdout.write(part)
            else:
                binary.write(part.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _leave_stdout()
        raise StoppedError(
            NOT_PRINTED, f"trec_eval: the results cannot be written: {error.strerror}"
        ) from None


def _leave_stdout() -> None:
    """Redirect stdout to nowhere, so that Python's last flush cannot fail."""
    with suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(f"{line}\n".encode("utf-8", ESCAPED).decode())
