"""Notes that change no decision, which are shown on request only."""

from __future__ import annotations

from collections.abc import Sequence

IN_PYTHON = "to_text(verbose=True)"
ON_COMMAND_LINE = "--verbose"


class Detail(str):
    """A note that changes no decision: how intervals were found, or what could not matter."""

    __slots__ = ()


def shown(lines: Sequence[str], *, verbose: bool = False, how: str = IN_PYTHON) -> list[str]:
    """Leave details out unless ``verbose``; a last line says how many, and how to see them.

    A single one stays, as that line would take as much room.
    """
    whole = verbose or not hides(lines)
    return [*chosen(lines, verbose=whole), *more(lines, verbose=verbose, how=how)]


def chosen(lines: Sequence[str], *, verbose: bool) -> list[str]:
    """Leave details out unless ``verbose``."""
    return [line for line in lines if verbose or not isinstance(line, Detail)]


def hides(lines: Sequence[str]) -> bool:
    """Return whether there are several details, which are worth leaving out."""
    return _details(lines) > 1


def more(lines: Sequence[str], *, verbose: bool, how: str) -> list[str]:
    """Return the line that says how to see what was left out, if anything was."""
    return [] if verbose or not hides(lines) else [f"{_details(lines)} more notes: {how}"]


def _details(lines: Sequence[str]) -> int:
    """Count details, without the rows of one that are indented below it."""
    return sum(isinstance(line, Detail) and not line.startswith(" ") for line in lines)
