"""Gains and discounts that are given as functions or as numbers: named, called and checked."""

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
_WRITTEN = 20  # costs that a name lists; of more, the first three and a checksum
_FALLS = 1e-12  # less is rounding
_RULES = frozenset({"linear", "exp2", "log2"})  # what these words mean without a function


def name_of(function: Function) -> str:
    """Name a function as its author did; a lambda is called so."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):  # functools.partial has none, nor has an object with __call__
        inner = getattr(function, "func", None)
        return type(function).__name__ if inner is None else name_of(inner)
    return "lambda" if name == "<lambda>" else name


def written(function: Function) -> str:
    """Write a function as the value of a parameter, which nothing else is written as."""
    name = name_of(function)
    return f"function {name}" if name in _RULES else name


def costs_written(costs: tuple[float, ...]) -> str:
    """Write what ranks cost: all of it, or so that only the same numbers are written the same."""
    if len(costs) <= _WRITTEN:
        return "[" + ", ".join(f"{cost!r}".removesuffix(".0") for cost in costs) + "]"
    first = ", ".join(f"{cost:.4g}" for cost in costs[:3])
    return f"[{first}, ... {len(costs):,} ranks {crc32(np.array(costs).tobytes()):08x}]"


def gains_by(measure: str, function: Function, label: Floats) -> Floats:
    """Give the gain of each label by a function of labels: (n,) to (n,) float64, from 0.

    It is called with the different labels that there are, low to high.

    Raises
    ------
    MeasureError
        If it gives something else than a finite number from 0 for each label.
    """
    if not len(label):
        return np.zeros(0)
    labels, at = np.unique(label, return_inverse=True)
    with _noted(measure, f"the gain {name_of(function)}", len(labels), "label"):
        found = function(labels.copy())
    gains = _numbers(found, len(labels), f"{measure}: the gain {name_of(function)}", "label")
    wrong = np.flatnonzero(~((gains >= 0) & np.isfinite(gains)))
    if len(wrong):
        raise MeasureError(
            f"{measure}: the gain {name_of(function)} gave {gains[wrong[0]]:g} for label "
            f"{labels[wrong[0]]:g}; need a finite number from 0"
        )
    gained: Floats = gains[at]
    return gained


def costs_by(
    measure: str,
    discount: Function | tuple[float, ...],
    rank: Ranks | Ints,
    k: int | None,
) -> Floats:
    """Give the divisor of each 1-based rank, from ``k`` on that of ``k``: (n,) to (n,) float64.

    A function is called with all ranks from 1 to the last that is looked at.

    Raises
    ------
    MeasureError
        If a function gives no such divisors, or the numbers given end before the ranks do.
    """
    looked_at = rank if k is None else np.minimum(rank, k)
    last = int(looked_at.max(initial=0))
    if isinstance(discount, tuple):
        if last > len(discount):
            raise MeasureError(
                f"{measure}: the discount has {len(discount):,} ranks, and documents stand down to "
                f"rank {last:,}; give more, or a cutoff, as in @ {len(discount)}"
            )
        costs = np.array(discount)
    elif last > MOST_RANKS:
        raise MeasureError(
            f"{measure}: documents stand down to rank {last:,}; give a cutoff to {MOST_RANKS:,}"
        )
    else:
        name = f"the discount {name_of(discount)}"
        with _noted(measure, name, last, "rank"):
            found = discount(np.arange(1, last + 1))
        costs = _numbers(found, last, f"{measure}: {name}", "rank")
        if why := why_no_costs(costs):
            raise MeasureError(f"{measure}: {name} {why}")
    divisors: Floats = costs[looked_at - 1]
    return divisors


def why_no_costs(costs: Floats) -> str | None:
    """Say why ranks from 1 cannot cost this: (n,) float64."""
    wrong = np.flatnonzero(~((costs > 0) & np.isfinite(costs)))
    if len(wrong):
        return (
            f"is {costs[wrong[0]]:g} at rank {wrong[0] + 1}; gains are divided by it, so that it "
            "must be a finite number above 0"
        )
    falls = np.flatnonzero(np.diff(costs) < -_FALLS * costs[1:])
    if len(falls):
        at = falls[0]
        return (
            f"falls from {costs[at]:g} at rank {at + 1} to {costs[at + 1]:g} at rank {at + 2}; "
            "gains are divided by it, so that it must not fall: of weights w, give 1 / w"
        )
    return None


def _numbers(found: Any, count: int, whose: str, of: str) -> Floats:
    """Take what a function gave as numbers: (count,) float64."""
    try:
        numbers = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise MeasureError(f"{whose} gave {shown(found)}; need a number for each {of}") from None
    if numbers.shape != (count,):
        raise MeasureError(
            f"{whose} gave an array of shape {numbers.shape}; it is called with an array of "
            f"{count:,} {of}{'s' * (count != 1)}, and must give a number for each"
        )
    return numbers


@contextmanager
def _noted(measure: str, name: str, count: int, of: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(
            f"{measure} called {name} with an array of {count:,} {of}{'s' * (count != 1)}; "
            f"numpy.vectorize makes such a function of one that takes a single {of}"
        )
        raise
