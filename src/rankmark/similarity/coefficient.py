"""A coefficient: a formula over pairs of rankings, its parameters, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmark.array_types import Floats, Values
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.formulas import Formula


@dataclass(frozen=True, slots=True, repr=False)
class Coefficient(Formula):
    """A coefficient with its parameters: compared, hashed and printed by value.

    ``TAU(variant="a") @ 10`` sets a parameter and the cutoff.

    Parameters
    ----------
    name
        Its name in ``compare_rankings`` and on the command line.
    function
        ``function(a, b, ...)`` of two rankings; its value has a ``float()``.
    over
        ``over(pairs, ...)`` of a Pairing, with the same parameters: (Q,) float64.
    bounds
        The lowest and the highest value.
    same
        The value of a ranking compared with itself, for at least two items and no ties.
    symmetric
        Whether the value stays the same if a and b are exchanged.
    aliases
        Other names.
    deepest
        Function of the parameters that returns the rank beyond which no item can change a double;
        None if every rank matters.
    shown
        Parameters that ``str()`` includes even if they have their defaults.
    given
        The parameters that differ from their defaults.
    """

    name: str
    function: Callable[..., Any]
    over: Callable[..., Floats]
    bounds: tuple[float, float]
    same: float
    symmetric: bool = True
    aliases: tuple[str, ...] = ()
    deepest: Callable[..., int] | None = None
    shown: tuple[str, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        self.over(_NO_PAIRS, **parameters)

    def of(self, pairs: Pairing) -> Floats:
        """Compare each pair: (Q,) float64, NaN if there is nothing to compare."""
        return self.over(pairs, **dict(self.given))

    def last_rank(self) -> int | None:
        """Return the rank beyond which no item changes the value; None if every rank may."""
        parameters = self.parameters
        deepest = None if self.deepest is None else self.deepest(**parameters)
        limits = [limit for limit in (parameters["k"], deepest) if limit is not None]
        return min(limits, default=None)


def quotient(part: Values, whole: Values) -> Floats:
    """Divide; NaN if the divisor is 0: (Q,) and (Q,) to (Q,) float64."""
    out = np.full(len(part), np.nan)
    np.divide(part, whole, out=out, where=whole != 0)
    return out


_NO_ROWS = np.empty(0, dtype=np.int64)
_NO_PAIRS = Pairing(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), *[_NO_ROWS] * 5)
