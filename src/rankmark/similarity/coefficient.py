"""The facts of a coefficient, which tests and pages read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Coefficient(NamedTuple):
    """What is true of a coefficient for all rankings.

    Parameters
    ----------
    function
        ``function(a, b, ...)``, whose value is or becomes a float.
    bounds
        The lowest and the highest value.
    same
        The value of a ranking of two items or more, without ties, and itself.
    symmetric
        Whether a and b can change places.
    """

    function: Callable[..., Any]
    bounds: tuple[float, float]
    same: float
    symmetric: bool = True
