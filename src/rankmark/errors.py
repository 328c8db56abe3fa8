"""What can go wrong, by kind: each message says where, what was found, and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class RankmarkError(Exception):
    """Any error that rankmark raises on purpose."""


class InputError(RankmarkError, ValueError):
    """Judgments or a run that cannot be used as they are."""


class ParseError(InputError):
    """A line of a file that cannot be read.

    ``path`` is the file as the caller named it, ``line`` is 1-based, or None where the whole file
    is meant.
    """

    def __init__(self, path: str, line: int | None, message: str) -> None:
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {message}")
        self.path = path
        self.line = line


class SchemaError(InputError):
    """Data of the wrong shape or type: found ..., need ...."""


class DuplicateError(InputError):
    """One document twice for one query.

    In a file, ``path`` names it and ``line`` is the 1-based line of the second occurrence.
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line


class MismatchError(InputError):
    """Ids of judgments and run that never meet."""


class MeasureError(RankmarkError, ValueError):
    """A measure that does not exist, or a parameter that it does not take."""


class MissingDependencyError(RankmarkError, ImportError):
    """An optional library is needed; the message holds the command that installs it."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}: pip install 'rankmark[{extra}]'")


class RankmarkWarning(UserWarning):
    """Something that may not be what was meant; the numbers are right all the same."""


def listed(items: Sequence[str], count: int | None = None) -> str:
    """Write at most three examples, and how many there are where that is more."""
    total = len(items) if count is None else count
    shown = ", ".join(repr(item) for item in items[:3])
    return shown if total <= 3 else f"{shown} and {total - 3:,} more"
