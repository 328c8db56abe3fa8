"""The ways to fuse that are tried: methods, their parameters, and weights."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, shown
from rankmark.verbs.fuse.judged_lists import Way
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods import method as method_of
from rankmark.verbs.tune.fusion_point import FusionPoint
from rankmark.verbs.tune.weight_grid import weight_grid

if TYPE_CHECKING:
    from rankmark.array_types import Ints

METHODS = ("RRF", "wsum")
NORMS = ("min-max",)
K = (1, 2, 5, 10, 20, 40, 60, 80, 100, 200)
"""What is tried by default."""

_MOST = 200_000


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
