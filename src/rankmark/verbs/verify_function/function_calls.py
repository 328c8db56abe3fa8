"""Calls of a user's function: what it returned, or how it failed, and what it did besides."""

from __future__ import annotations

import math
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from rankmark.errors import one_line, shown

if TYPE_CHECKING:
    from types import FrameType

    from rankmark.verbs.verify_function.call_shapes import Shape
    from rankmark.verbs.verify_function.cases import Case

_LONGEST = 200  # letters of a message or of arguments
_LONGEST_CALL = 86_400  # seconds
_ON_PURPOSE = {"ValueError", "AssertionError", "NotImplementedError"}


class Outcome(NamedTuple):
    """What a call gave.

    Parameters
    ----------
    value
        The number returned; None if there is none.
    failed
        Why there is none: the exception, or what was returned instead.
    raised
        The name of the exception; None if none was raised.
    """

    value: float | None
    failed: str | None = None
    raised: str | None = None

    @property
    def is_accident(self) -> bool:
        """Whether it failed in a way that nobody writes on purpose, unlike a ValueError."""
        by_chance = "empty sequence" in str(self.failed) or "zero-size" in str(self.failed)
        return self.raised not in {None, "TimeoutError", *(() if by_chance else _ON_PURPOSE)}

    @property
    def is_finite(self) -> bool:
        """Whether it is a number other than NaN and infinite ones."""
        return self.value is not None and math.isfinite(self.value)

    def __str__(self) -> str:
        return str(self.failed) if self.value is None else number(self.value)


def number(value: float) -> str:
    """Write a value with enough decimals to be computed again."""
    return f"{value:.0f}" if math.isfinite(value) and value == int(value) else f"{value:.6g}"


class _TooLong(BaseException):
    """The time of a call is over; no Exception, which the function may catch."""


class Calls:
    """A function, called as a shape says; it counts, and notices what functions should not do.

    Parameters
    ----------
    function
        The user's.
    time_limit
        Seconds for each call; None for no limit. It is kept on the main thread of Unix only.
    """

    def __init__(self, function: Callable[..., Any], time_limit: float | None) -> None:
        self.function, self.time_limit, self.name = function, time_limit, _name_of(function)
        self.count = 0
        self.changes_arguments = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing open; a program ends."""

    def of(self, shape: Shape, *cases: Case) -> Outcome:
        """Call it for one query, or for several at once."""
        given, named = shape.arguments(cases)
        before = repr((given, named))
        self.count += 1
        try:
            with _limited(self.time_limit), _silenced():
                found = self.function(*given, **named)
        except KeyboardInterrupt:
            raise
        except _TooLong:
            failed = f"no result within {self.time_limit:g} s"
            return Outcome(None, failed, "TimeoutError")
        except BaseException as error:  # also SystemExit
            name = type(error).__name__
            message = one_line(str(error))[:_LONGEST]
            return Outcome(None, f"{name}: {message}" if message else name, name)
        self.changes_arguments |= repr((given, named)) != before
        return _outcome(found)

    def written(self, shape: Shape, *cases: Case) -> str:
        """Write a call as code."""
        given, named = shape.arguments(cases)
        parts = [*map(_code, given), *(f"{name}={_code(value)}" for name, value in named.items())]
        return f"{self.name}({', '.join(parts)})"


def _name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function, or of the class of an object that can be called."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        inner = getattr(function, "func", None)  # of a partial
        name = getattr(inner, "__name__", type(function).__name__)
    return "function" if name == "<lambda>" else str(name)


def _code(value: Any) -> str:
    if isinstance(value, set):
        return "{" + ", ".join(map(repr, sorted(value))) + "}" if value else "set()"
    if hasattr(value, "tolist"):
        kind = "torch.tensor" if type(value).__module__.startswith("torch") else "np.array"
        return f"{kind}({value.tolist()})"
    return shown(value, _LONGEST)


def _outcome(found: Any) -> Outcome:
    """Return the number in what a function returned: also the only one in a list or a mapping."""
    inner = found
    for _ in range(4):  # {query: {measure: [number]}}
        is_list = isinstance(inner, Sequence) and not isinstance(inner, (str, bytes))
        if (isinstance(inner, Mapping) or is_list) and len(inner) == 1:
            inner = next(iter(inner.values() if isinstance(inner, Mapping) else inner))
    try:
        if isinstance(inner, (str, bytes)):  # which float() would read
            inner = None
        is_array = getattr(inner, "size", 1) == 1 and hasattr(inner, "reshape")
        return Outcome(float(inner.reshape(-1)[0] if is_array else inner))
    except Exception:
        return Outcome(None, f"returned {shown(found, _LONGEST)}")


@contextmanager
def _silenced() -> Iterator[None]:
    """Give no warnings of the function: what it returns is reported, such as NaN.

    Filters of warnings belong to all threads, so they are changed on the main thread only.
    """
    import numpy as np  # noqa: PLC0415

    on_main = threading.current_thread() is threading.main_thread()
    ignored = warnings.catch_warnings(action="ignore") if on_main else nullcontext()
    with np.errstate(all="ignore"), ignored:
        yield


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    """Interrupt what takes longer."""
    on_main = threading.current_thread() is threading.main_thread()
    if seconds is None or not on_main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, _LONGEST_CALL))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
