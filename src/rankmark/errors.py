"""What can go wrong, by kind: each message says where, what was found, and what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn


class RankmarkError(Exception):
    """Any error that rankmark raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by calling the class: what some classes are made from is not what they say.
        return _made, (type(self), self.args), vars(self)


def _made(kind: type[RankmarkError], args: tuple[Any, ...]) -> RankmarkError:
    return kind.__new__(kind, *args)


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


class ChangedError(InputError):
    """Data that a result must read again, and that changed or went since it was evaluated."""


class MeasureError(RankmarkError, ValueError):
    """A measure that does not exist, or a parameter that it does not take."""


class NotEvaluatedError(MeasureError, KeyError):
    """A measure that a result was asked for and does not hold."""

    __str__ = Exception.__str__  # KeyError writes its message in quotes


class MissingDependencyError(RankmarkError, ImportError):
    """An optional library is needed; the message holds the command that installs it."""

    def __init__(self, library: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {library}: pip install 'rankmark[{extra}]'")


class RankmarkWarning(UserWarning):
    """Something that may not be what was meant; the numbers are right all the same."""


def warn(message: str) -> None:
    """Warn whoever called rankmark, at the line of theirs that did."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RankmarkWarning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == "rankmark" or module.startswith("rankmark.")


def listed(items: Sequence[str], count: int | None = None) -> str:
    """Write at most three examples, and how many there are where that is more."""
    total = len(items) if count is None else count
    shown = ", ".join(repr(item) for item in items[:3])
    return shown if total <= 3 else f"{shown} and {total - 3:,} more"


def shown(value: object, most: int = 120) -> str:
    """Write any object as messages show it: on one line, and not too much of it.

    What cannot be written is named by its type: a whole number of too many digits, containers
    nested too deep, an object whose own code fails.
    """
    if isinstance(value, int) and _is_too_long(value):
        return f"a whole number of about {int(value.bit_length() * 0.30103) + 1:,} digits"
    try:
        text = " ".join(repr(value).split("\n"))
        text = text.encode("utf-8", "backslashreplace").decode()
    except Exception:
        return f"an object of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= most else f"{text[:most]}..."


def _is_too_long(number: int) -> bool:
    """Say whether Python refuses to write a number, which takes time that grows as its square."""
    most = sys.get_int_max_str_digits()
    return most > 0 and number.bit_length() * 0.30103 > most


@contextmanager
def noted(where: str | Callable[[], str]) -> Iterator[None]:
    """Let errors of the caller's own objects through, with a note of where they struck.

    Errors that rankmark raises say that themselves.
    """
    try:
        yield
    except RankmarkError:
        raise
    except Exception as error:
        note(error, where if isinstance(where, str) else where())
        raise


def note(error: BaseException, where: str) -> None:
    """Note on an error of the caller's own objects where it struck."""
    error.add_note(f"rankmark was reading {where}")


def pass_on(error: Exception, where: str) -> NoReturn:
    """Raise an error of the caller's own objects as it is, with a note of where it struck.

    Traces show what led to it in the caller's code, and nothing of how the core reports it.
    """
    note(error, where)
    raise error from error.__cause__ or error.__context__


def says_no(failure: BaseException | None, found: object) -> bool:
    """Say whether an object that was asked for a number or an id just said that it is none.

    Of arrays and tensors, any error says so: torch raises RuntimeError.
    """
    tensor = hasattr(type(found), "__array__") or hasattr(type(found), "__dlpack__")
    return failure is None or tensor or isinstance(failure, NO_NUMBER)


NO_NUMBER = (TypeError, ValueError, OverflowError)
