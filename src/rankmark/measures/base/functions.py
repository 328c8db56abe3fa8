"""Gains and discounts that are functions or lists of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from rankmark.errors import MeasureError, shown

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints, Ranks

    Function = Callable[..., Any]

MOST_RANKS = 10_000_000
_MOST_LISTED = 20  # divisors in a name; longer lists are abbreviated, with a checksum
_ROUNDING = 1e-12
_RULES = frozenset(
    {"linear", "exp2", "binary", "log2", "rank"}
)  # names of rules, which are not functions


def name_of(function: Function) -> str:
    """Return the name of a function; "lambda" for a lambda."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):  # such as functools.partial, or an object with __call__
        inner = getattr(function, "func", None)
        return type(function).__name__ if inner is None else name_of(inner)
    return "lambda" if name == "<lambda>" else name


def written(function: Function) -> str:
    """Return a function as text in the name of a measure, different from any rule's."""
    name = name_of(function)
    return f"function {name}" if name in _RULES else name


def divisors_written(divisors: tuple[float, ...]) -> str:
    """Return divisors as text in the name of a measure; long lists with a checksum."""
    if len(divisors) <= _MOST_LISTED:
        return "[" + ", ".join(f"{divisor!r}".removesuffix(".0") for divisor in divisors) + "]"
    first = ", ".join(f"{divisor:.4g}" for divisor in divisors[:3])
    return f"[{first}, ... {len(divisors):,} ranks {crc32(np.array(divisors).tobytes()):08x}]"


def gains_by(measure: str, function: Function, label: Floats) -> Floats:
    """Return the gain of each label by a function of labels: (n,) to (n,) float64, from 0.

    The function is called with the distinct labels, in increasing order.

    Raises
    ------
    MeasureError
        If it does not return a finite number from 0 for each label.
    """
    if not len(label):
        return np.zeros(0)
    labels, at = np.unique(label, return_inverse=True)
    with _note(measure, f"the gain {name_of(function)}", len(labels), "label"):
        returned = function(labels.copy())
    gains = _numbers(returned, len(labels), f"{measure}: the gain {name_of(function)}", "label")
    wrong = np.flatnonzero(~((gains >= 0) & np.isfinite(gains)))
    if len(wrong):
        raise MeasureError(
            f"the gain {name_of(function)} returned {gains[wrong[0]]:g} for label "
            f"{labels[wrong[0]]:g}",
            "need a finite number from 0",
            where=str(measure),
        )
    return gains[at]


def divisors_by(
    measure: str,
    discount: Function | tuple[float, ...],
    rank: Ranks | Ints,
    k: int | None,
) -> Floats:
    """Return the divisor of each 1-based rank, after ``k`` that of ``k``: (n,) to (n,) float64.

    A function is called with all ranks from 1 to the last that is used.

    Raises
    ------
    MeasureError
        If a function returns anything else, or a list of divisors is too short.
    """
    if rank.dtype.kind == "f":
        raise MeasureError(
            "its discount is of whole ranks, and tied documents share the middle of theirs",
            'choose another rule for ties, such as ties="mean"',
            where=measure,
        )
    used = rank if k is None else np.minimum(rank, k)
    last = int(used.max(initial=0))
    if isinstance(discount, tuple):
        if last > len(discount):
            raise MeasureError(
                f"the discount has {len(discount):,} ranks, and there are documents to "
                f"rank {last:,}",
                f"give more, or a cutoff, as in @ {len(discount)}",
                where=str(measure),
            )
        divisors = np.array(discount)
    elif last > MOST_RANKS:
        raise MeasureError(
            f"there are documents to rank {last:,}",
            f"give a cutoff to {MOST_RANKS:,}",
            where=str(measure),
        )
    else:
        name = f"the discount {name_of(discount)}"
        with _note(measure, name, last, "rank"):
            returned = discount(np.arange(1, last + 1))
        divisors = _numbers(returned, last, f"{measure}: {name}", "rank")
        if why := why_no_discount(divisors):
            raise MeasureError(f"{name} {why[0]}", why[1], where=str(measure))
    return divisors[used - 1]


def why_no_discount(divisors: Floats) -> tuple[str, str] | None:
    """Return why these cannot be the divisors of ranks 1, 2, ..., and what is needed: (n,).

    None if they can be.
    """
    wrong = np.flatnonzero(~((divisors > 0) & np.isfinite(divisors)))
    if len(wrong):
        return (
            f"is {divisors[wrong[0]]:g} at rank {wrong[0] + 1}",
            "gains are divided by it, so it must be a finite number above 0",
        )
    falls = np.flatnonzero(np.diff(divisors) < -_ROUNDING * divisors[1:])
    if len(falls):
        at = falls[0]
        return (
            f"falls from {divisors[at]:g} at rank {at + 1} to {divisors[at + 1]:g} at rank "
            f"{at + 2}",
            "gains are divided by it, so it must not fall; of weights w, give 1 / w",
        )
    return None


def _numbers(returned: Any, count: int, whose: str, of: str) -> Floats:
    """Return what a function returned as numbers: (count,) float64."""
    try:
        numbers = np.asarray(returned, dtype=np.float64)
    except (TypeError, ValueError):
        raise MeasureError(
            f"{whose} gave {shown(returned)}", f"need a number for each {of}"
        ) from None
    if numbers.shape != (count,):
        raise MeasureError(
            f"{whose} returned an array of shape {numbers.shape} for {count:,} "
            f"{of}{'s' * (count != 1)}",
            "need a number for each",
        )
    return numbers


@contextmanager
def _note(measure: str, name: str, count: int, of: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(
            f"{measure} called {name} with an array of {count:,} {of}{'s' * (count != 1)}; "
            f"numpy.vectorize converts a function of a single {of} to one of arrays"
        )
        raise
