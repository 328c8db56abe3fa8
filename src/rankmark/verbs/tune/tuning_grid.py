"""The ways to fuse that are tried: methods, their parameters, and weights."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError, shown
from rankmark.verbs.fuse.judged_lists import Way
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods import method as method_of


class FusionPoint(NamedTuple):
    """One way to fuse.

    Parameters
    ----------
    method
        The method with its parameters, such as ``"RRF(k=60)"`` or ``'wsum(norm="z")'``.
    weights
        One for each run; None for a method without weights.
    """

    method: str
    weights: tuple[float, ...] | None

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of ``rm.fuse`` that fuse in this way."""
        named: dict[str, Any] = {"method": self.method}
        if self.weights is not None:
            named["weights"] = list(self.weights)
        return named


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedFusion:
    """A point of the grid.

    Parameters
    ----------
    method, weights
        As of FusionPoint.
    mean, low, high
        The mean over all queries, with its 95% interval by t; NaN if there is none.
    chosen
        How often it was chosen, of ``folds`` times ``repeats``.
    """

    method: str
    weights: tuple[float, ...] | None
    mean: float
    low: float
    high: float
    chosen: int


_MOST = 200_000  # ways or weights, beyond which a grid takes hours
_CLOSE = 1e-9


def parts_of(step: float) -> int:
    """Return how many steps make 1.

    Raises
    ------
    InputError
        If no whole number does.
    """
    is_number = isinstance(step, (int, float)) and not isinstance(step, bool)
    if is_number and 0 < step <= 1 and abs(round(1 / step) - 1 / step) < _CLOSE / step:
        return round(1 / step)
    raise InputError(f"step is {shown(step)}", "need 1 divided by a whole number, such as 0.1")


def weight_grid(lists: int, step: float) -> Floats:
    """Return all weights of the lists that are multiples of the step and add up to 1.

    Weights are whole numbers divided by the number of steps, so none is lost to rounding.

    Parameters
    ----------
    lists
        How many lists there are, at least 1.
    step
        The distance of two weights: 1 divided by a whole number.

    Returns
    -------
    ndarray
        (n, lists) float64; the weight of the first list rises, then that of the second, and so on.

    Raises
    ------
    InputError
        If the step is no such number, or there are more than 200,000 weights.
    """
    parts = parts_of(step)
    number = math.comb(parts + lists - 1, lists - 1)
    if number > _MOST:
        raise InputError(
            f"{number:,} weights of {lists} runs have steps of {step:g}",
            "choose a larger step, or fewer runs",
        )
    grid = np.zeros((1, 0), dtype=np.int64)
    for _ in range(lists - 1):
        left = parts - grid.sum(axis=1)
        grid = np.concatenate(
            [
                np.column_stack([np.repeat(row[None], rest + 1, axis=0), np.arange(rest + 1)])
                for row, rest in zip(grid, left.tolist(), strict=True)
            ]
        )
    last = parts - grid.sum(axis=1)
    return np.column_stack([grid, last]) / parts


METHODS = ("RRF", "wsum")
NORMS = ("min-max",)
K = (1, 2, 5, 10, 20, 40, 60, 80, 100, 200)
"""What is tried by default."""


def tuning_grid(
    runs: int,
    methods: Sequence[str | Method] | str | Method = METHODS,
    *,
    norms: Sequence[str] | str = NORMS,
    k: Iterable[float] | float = K,
    step: float | None = 0.1,
) -> list[Way]:
    """List the ways to fuse: every method with every k or norm, and all weights on the grid.

    Parameters
    ----------
    runs
        The number of runs.
    methods
        Names or methods. A parameter that a name includes is not varied.
    norms, k
        The norms of methods that use scores, and the constants of RRF.
    step
        The distance of two weights; None for weights of 1 alone.

    Raises
    ------
    MeasureError, InputError
        If a method, a norm, a k or the step is invalid, or there are too many ways.
    """
    chosen = _several(methods, (str, Method), "methods")
    grids = {"norm": _several(norms, str, "norms"), "k": _several(k, (int, float), "k")}
    equal = np.ones(runs)
    weights = equal[None] if step is None else weight_grid(runs, step)
    ways: dict[tuple[Method, bytes], Way] = {}
    for name in chosen:
        for tried in _with_parameters(name, grids):
            for row in weights if tried.weighted else [equal]:
                ways[tried, row.tobytes()] = Way(tried, row)
        if len(ways) > _MOST:
            raise InputError(
                f"there are more than {_MOST:,} ways to fuse",
                "choose a larger step, or fewer methods, norms or values of k",
            )
    return list(ways.values())


def _with_parameters(name: str | Method, grids: dict[str, list[Any]]) -> list[Method]:
    """Return a method with each value of the parameters that its name leaves open."""
    found = [method_of(name)]
    fixed = {each for each, _ in found[0].given}
    if isinstance(name, str):
        fixed |= set(re.findall(r"(\w+)\s*=", name))
    for parameter, values in grids.items():
        is_open = parameter in found[0].parameters and parameter not in fixed
        if is_open and (parameter != "k" or found[0].name == "RRF"):
            found = [one.choose(**{parameter: value}) for one in found for value in values]
    return found


def _several(given: Any, one: type | tuple[type, ...], name: str) -> list[Any]:
    """Return one value or several as a list."""
    if isinstance(given, one) and not isinstance(given, bool):
        return [given]
    is_list = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    if isinstance(given, (str, bytes)) or not is_list:
        raise InputError(f"{name} is {shown(given)}", "need one, or a list")
    values = list(given)
    if not values:
        raise InputError(f"{name} is empty", "need one at least")
    for value in values:
        if not isinstance(value, one) or isinstance(value, bool):
            raise InputError(f"{name} contains {shown(value)}", "need a list of one kind")
    return values


def preferences(ways: Sequence[Way]) -> Ints:
    """Return the place of each way among ways with equal means: (n,) int64, the lowest first.

    The nearest to equal weights comes first, then the method listed first, then the smaller k.
    """
    spread = [round(float(np.square(way.weights - way.weights.mean()).sum()), 9) for way in ways]
    listed = [*dict.fromkeys(way.method.name for way in ways)]
    method = [listed.index(way.method.name) for way in ways]
    k = [float(way.method.parameters.get("k", 0.0)) for way in ways]
    order = sorted(range(len(ways)), key=lambda at: (spread[at], method[at], k[at], at))
    places = np.empty(len(ways), dtype=np.int64)
    places[order] = np.arange(len(ways))
    return places


def point_of(way: Way) -> FusionPoint:
    """Return a way as results show it."""
    weights = tuple(way.weights.tolist()) if way.method.weighted else None
    return FusionPoint(str(way.method), weights)
