"""Notes that change no decision, which are shown on request only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from rankmark.errors import one_line

IN_PYTHON = "to_text(verbose=True)"
ON_COMMAND_LINE = "--verbose"


class Detail(str):
    """A note that changes no decision: how intervals were found, or what could not matter."""

    __slots__ = ()


class Brief(str):
    """A note without what is as usual, or "" if all of it is; ``whole`` says everything."""

    __slots__ = ("whole",)
    whole: str

    def __new__(cls, brief: str, whole: str) -> Self:
        """Make a note."""
        made = super().__new__(cls, brief)
        made.whole = whole
        return made


def on_one_line(line: str) -> str:
    """Return a note on one line, of the same kind."""
    if isinstance(line, Brief):
        return Brief(one_line(line), one_line(line.whole))
    return type(line)(one_line(line))


def shown(lines: Sequence[str], *, verbose: bool = False, how: str = IN_PYTHON) -> list[str]:
    """Leave details out unless ``verbose``; a last line says how many, and how to see them.

    A single one stays, as that line would take as much room.
    """
    with_details = verbose or not hides(lines)
    found = _told(lines, verbose=verbose, with_details=with_details)
    return [*found, *more(lines, verbose=verbose, how=how)]


def chosen(lines: Sequence[str], *, verbose: bool) -> list[str]:
    """Leave details, and what is as usual, out unless ``verbose``."""
    return _told(lines, verbose=verbose, with_details=verbose)


def _told(lines: Sequence[str], *, verbose: bool, with_details: bool) -> list[str]:
    kept = (line for line in lines if with_details or not isinstance(line, Detail))
    told = (line.whole if verbose and isinstance(line, Brief) else line for line in kept)
    return [line for line in told if line or not isinstance(line, Brief)]


def hides(lines: Sequence[str]) -> bool:
    """Return whether there are several details, which are worth leaving out."""
    return _details(lines) > 1


def more(lines: Sequence[str], *, verbose: bool, how: str) -> list[str]:
    """Return the line that says how to see what was left out, if anything was."""
    return [] if verbose or not hides(lines) else [f"{_details(lines)} more notes: {how}"]


def _details(lines: Sequence[str]) -> int:
    """Count details, without the rows of one that are indented below it."""
    return sum(isinstance(line, Detail) and not line.startswith(" ") for line in lines)
