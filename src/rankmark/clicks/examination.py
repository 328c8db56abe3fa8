"""How likely users are to look at each rank, as estimated or given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankmark.arguments import as_number
from rankmark.array_types import Floats
from rankmark.errors import InputError, shown

_NEED = "need a number above 0 for each rank from 1: a list, {rank: number}, or of position_bias"
_MOST, _RATIO = 1e100, 1e12  # sums by rank have 60 bits, and squares of weights are finite


def examination_by_rank(given: Any) -> Floats:
    """Return the examination of ranks 1, 2, ...: (n,) float64, above 0.

    Parameters
    ----------
    given
        Numbers from rank 1, {rank: number}, or what ``position_bias`` estimated.
    """
    numbers = getattr(given, "examination", given)
    if isinstance(numbers, Mapping):
        ranks = [*numbers]
        if {*ranks} != {*range(1, len(ranks) + 1)}:
            raise InputError(f"examination is of the ranks {shown(ranks)}", _NEED)
        numbers = [numbers[rank] for rank in range(1, len(ranks) + 1)]
    found = np.array(numbers_in(numbers))
    if not len(found) or not ((found > 0) & np.isfinite(found)).all():
        raise InputError(f"examination is {shown(given)}", _NEED)
    if not max(1 / _MOST, found.max() / _RATIO) < found.min() <= found.max() < _MOST:
        raise InputError(
            f"examination is from {found.min():g} to {found.max():g}",
            f"ranks that are looked at {_RATIO:g} times as rarely as others tell nothing: leave "
            "them out, and count from 1 for rank 1",
        )
    return found


def numbers_in(given: Any) -> list[float]:
    """Return a list of numbers, NaN for what is none; empty for what is no list."""
    is_list = isinstance(given, Iterable) and getattr(given, "ndim", 1) == 1
    if not is_list or isinstance(given, (str, bytes, Mapping, type)):
        return []
    return [*map(as_number, given)]
