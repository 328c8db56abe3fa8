"""Weights that are tried: all those on a grid that add up to 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError, shown

if TYPE_CHECKING:
    from rankmark.array_types import Floats

_MOST = 200_000  # weights, beyond which a grid takes hours
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
