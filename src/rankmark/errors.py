"""What can go wrong, by kind: every error has fields, and its message is made of them here."""

from __future__ import annotations

import codecs
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, NoReturn


class Message:
    """What was found, where, and what to do about it: errors and warnings are written from these.

    Attributes
    ----------
    found
        What is wrong.
    remedy
        What to do about it.
    where
        The file as the caller named it, or the source and the place in it; None where neither
        is known.
    line
        The line of the file, from 1; None where the whole file is meant, or no file.
    """

    args: tuple[Any, ...]

    def __init__(
        self,
        found: str,
        remedy: str | None = None,
        *,
        where: str | None = None,
        line: int | None = None,
    ) -> None:
        self.found = found
        self.remedy = remedy
        self.where = where
        self.line = line

    def __str__(self) -> str:
        place = "" if self.where is None else f"{self.where}: "
        if self.line is not None:
            place = f"line {self.line}: " if self.where is None else f"{self.where}:{self.line}: "
        text = place + self.found
        if self.remedy and self.found.endswith(".") and not self.found.endswith(".."):
            text += f" {self.remedy[0].upper()}{self.remedy[1:]}"  # another library's sentence
        elif self.remedy is not None:
            text += f"; {self.remedy}"
        return printable_lines(readable_bytes(text))

    def add_remedy(self, remedy: str) -> None:
        """Say what else may be done about it."""
        self.remedy = remedy if self.remedy is None else f"{self.remedy}; {remedy}"

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by calling the class: some are called with something else than their fields.
        return _made, (type(self), self.args), vars(self)


def _made(kind: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    return kind.__new__(kind, *args)


class RankmarkError(Message, Exception):
    """Any error that rankmark raises on purpose.

    In notebooks, its traceback ends at your line; ``%xmode Verbose`` shows all of it, and
    ``%debug`` enters it.
    """

    def _render_traceback_(self) -> list[str]:
        """Return the traceback that IPython shows: without the lines of rankmark."""
        from IPython import get_ipython  # noqa: PLC0415

        shell = get_ipython()
        given = self.__traceback__
        shown = given if shell.InteractiveTB.mode == "Verbose" else _of_caller(given)
        return shell.InteractiveTB.structured_traceback(type(self), self, shown)


class InputError(RankmarkError, ValueError):
    """Judgments or a run that cannot be used as they are."""


class ParseError(InputError):
    """A file, or a line of one, that cannot be read."""


class SchemaError(InputError):
    """Data of the wrong shape or type."""


class DuplicateError(InputError):
    """One document twice for one query; in a file, ``line`` is that of the second occurrence."""


class MismatchError(InputError):
    """Judgments and a run that have no query, or no id, in common."""


class ChangedError(InputError):
    """Data that a result must read again, and that has changed or gone since it was evaluated."""


class MeasureError(RankmarkError, ValueError):
    """A measure that does not exist, or a parameter that it does not take."""


class NotEvaluatedError(MeasureError, KeyError):
    """A measure that was requested from a result which does not contain it."""


class MissingDependencyError(RankmarkError, ImportError):
    """An optional library is needed; the remedy is the command that installs it."""

    def __init__(
        self, library: str, extra: str | None, purpose: str, *, where: str | None = None
    ) -> None:
        what = library if extra is None else f"'rankmark[{extra}]'"
        found, remedy = f"{purpose} needs {library}", f"install it: pip install {what}"
        failure = sys.exc_info()[1]
        if isinstance(failure, ImportError) and not isinstance(failure, ModuleNotFoundError):
            found += f", which is installed but cannot be imported: {shown(str(failure))}"
            remedy = f"give the process more memory, or install it anew: pip install {what}"
        super().__init__(found, remedy, where=where)


class RankmarkWarning(Message, UserWarning):
    """Something that may not be what was meant; the numbers are correct nevertheless."""


class ProfileWarning(RankmarkWarning):
    """Data for which a profile's tool gives another number, which no convention reproduces."""


_quiet: ContextVar[tuple[type[RankmarkWarning], ...]] = ContextVar("_quiet", default=())
_collected: ContextVar[list[RankmarkWarning] | None] = ContextVar("_collected", default=None)


@contextmanager
def quiet(*kinds: type[RankmarkWarning]) -> Iterator[None]:
    """Give no warnings within a ``with`` statement, or in a function that this decorates.

    For libraries, trainers and rewards, which know what they do. Other threads keep their warnings,
    and so do other libraries. Errors are raised, and settings and audits say the same as ever.

    Parameters
    ----------
    *kinds
        Which warnings to leave out, such as ``ProfileWarning``: a library that computes its own
        numbers under its own profile does not differ from itself. None for all.

    Raises
    ------
    InputError
        If one is not a class of these warnings.

    Examples
    --------
    >>> import rankmark as rm
    >>> with rm.quiet():
    ...     rm.evaluate({"q": {"a": 1}}, {"q": {"x": 1.0}}, "RR")["RR"]
    0.0
    """
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, RankmarkWarning)):
            raise InputError(
                f"{shown(kind)} is no class of warnings", "need ProfileWarning, or nothing for all"
            )
    token = _quiet.set((*_quiet.get(), *(kinds or (RankmarkWarning,))))
    try:
        yield
    finally:
        _quiet.reset(token)


@contextmanager
def collected_warnings() -> Iterator[list[RankmarkWarning]]:
    """Collect the warnings that this thread would give, also within ``quiet``.

    ``warnings.catch_warnings`` changes what all threads do with their warnings, so that calls in
    several threads would collect each other's, and lose some.
    """
    collected: list[RankmarkWarning] = []
    tokens = _quiet.set(()), _collected.set(collected)
    try:
        yield collected
    finally:
        _quiet.reset(tokens[0])
        _collected.reset(tokens[1])


def warn(
    found: str,
    remedy: str | None = None,
    *,
    where: str | None = None,
    kind: type[RankmarkWarning] = RankmarkWarning,
) -> None:
    """Warn whoever called rankmark, at the line of theirs that did, unless within ``quiet``."""
    if issubclass(kind, _quiet.get()):
        return
    warning, collected = kind(found, remedy, where=where), _collected.get()
    if collected is None:
        warnings.warn(warning, stacklevel=_level_of_caller())
    else:
        collected.append(warning)


def warn_of_removal(message: str) -> None:
    """Warn whoever called rankmark, also within ``quiet``, which is about numbers."""
    warnings.warn(message, DeprecationWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return the level, for the function that asks, of the first frame that is not rankmark's."""
    frame, level = sys._getframe(2), 2
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    return level


def _of_caller(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of rankmark, and of the libraries that it calls."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    modules = [one.tb_frame.f_globals.get("__name__", "") for one in frames]
    first = next((at for at, name in enumerate(modules) if _is_ours(name)), len(frames))
    # The caller's own functions are called in between, as measures or for a progress bar.
    kept = frames[:first] + [
        one for one, name in zip(frames[first:], modules[first:], strict=True) if name == "__main__"
    ]
    shown = None
    for one in reversed(kept):
        shown = TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return shown


def from_here(error: RankmarkError) -> RankmarkError:
    """Return an error to be raised anew by the function that was called, not deep inside.

    Its traceback is short: the caller's line, and the message. It is left as it is if the
    environment variable RANKMARK_TRACEBACK is "full", or if a note says that the caller's own code
    was called in between, whose lines it has.
    """
    if os.environ.get("RANKMARK_TRACEBACK") == "full" or getattr(error, "__notes__", None):
        return error
    return error.with_traceback(None)


def _is_ours(module: str) -> bool:
    return module == "rankmark" or module.startswith("rankmark.")


def listed(items: Sequence[str], count: int | None = None) -> str:
    """Write at most three examples in quotes, and how many there are where that is more."""
    return few([repr(item) for item in items[:3]], len(items) if count is None else count)


def few(items: Sequence[str], count: int | None = None) -> str:
    """Write at most three items, and how many more there are."""
    total = len(items) if count is None else count
    shown = ", ".join(items[:3])
    return shown if total <= 3 else f"{shown} and {total - 3:,} more"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Write a number and its noun, such as "1 task" and "2 tasks"."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def shown(value: object, most: int = 120) -> str:
    """Write any object as messages show it: on one line, and not too much of it.

    What cannot be written is named by its type: a whole number of too many digits, containers
    nested too deep, an object whose own code fails.
    """
    if isinstance(value, int) and _is_too_long(value):
        return f"a whole number of about {int(value.bit_length() * 0.30103) + 1:,} digits"
    try:
        text = readable_bytes(" ".join(repr(value).split("\n")))
        text = text.encode("utf-8", "backslashreplace").decode()
    except Exception:
        return f"an object of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= most else f"{text[:most]}..."


def one_line(text: str) -> str:
    """Escape characters that would not be printed, or that turn the direction of text."""
    if text.isprintable():
        return text
    text = readable_bytes(text)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def printable_lines(text: str) -> str:
    """Escape such characters in each line of a text."""
    return "\n".join(map(one_line, text.split("\n")))


def readable_bytes(text: str) -> str:
    r"""Write bytes that are not UTF-8 as ``\xe9``, also where ``repr`` has escaped them.

    Python holds such a byte as half of a pair of surrogates, from ``\udc80`` to ``\udcff``.
    """
    if text.isascii() and r"\udc" not in text:
        return text
    text = re.sub(r"[\udc80-\udcff]", lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", text)
    return re.sub(r"\\udc(?=[89a-f][0-9a-f])", r"\\x", text)


ESCAPED = "rankmark.escaped"
"""The name of a handler of encoding errors: what a stream cannot hold is escaped."""


def _escape(error: UnicodeError) -> tuple[str | bytes, int]:
    text, end = codecs.backslashreplace_errors(error)
    return readable_bytes(str(text)), end


codecs.register_error(ESCAPED, _escape)


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
