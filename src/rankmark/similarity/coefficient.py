"""A coefficient: a formula over pairs of rankings, its parameters, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankmark.alignment.ranking_pairs import Pairing
from rankmark.conventions import whole
from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Values


@dataclass(frozen=True, slots=True)
class Coefficient:
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

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values, in the order in which they are declared."""
        return _declared(self.over) | dict(self.given)

    def __call__(self, **parameters: Any) -> Coefficient:
        """Choose parameters.

        Raises
        ------
        InputError
            If a parameter does not exist, or its value is invalid.
        """
        declared = _declared(self.over)
        for name in parameters:
            if name not in declared:
                what = "cutoff" if name == "k" else f"parameter {name!r}"
                raise InputError(f"{self.name} has no {what}", f"it takes {', '.join(declared)}")
        if parameters.get("k") is not None:
            parameters["k"] = whole("k", parameters["k"])
        chosen = self.parameters | parameters
        self.over(_NO_PAIRS, **chosen)  # checks the parameters
        given = ((name, chosen[name]) for name in declared if chosen[name] != declared[name])
        return replace(self, given=tuple(given))

    @overload
    def __matmul__(self, k: int) -> Coefficient: ...
    @overload
    def __matmul__(self, k: Iterable[int]) -> tuple[Coefficient, ...]: ...
    def __matmul__(self, k: int | Iterable[int]) -> Coefficient | tuple[Coefficient, ...]:
        """Set the cutoff, ``tau @ 10``; several cutoffs, ``tau @ [5, 10]``, return a tuple."""
        try:
            cutoffs = None if isinstance(k, (str, bytes)) else list(k)  # type: ignore[arg-type]
        except TypeError:  # a number
            cutoffs = None
        return self(k=k) if cutoffs is None else tuple(self(k=cutoff) for cutoff in cutoffs)

    def of(self, pairs: Pairing) -> Floats:
        """Compare each pair: (Q,) float64, NaN if there is nothing to compare."""
        return self.over(pairs, **dict(self.given))

    def last_rank(self) -> int | None:
        """Return the rank beyond which no item changes the value; None if every rank may."""
        parameters = self.parameters
        deepest = None if self.deepest is None else self.deepest(**parameters)
        limits = [limit for limit in (parameters["k"], deepest) if limit is not None]
        return min(limits, default=None)

    def __str__(self) -> str:
        """Format the name, parameters that differ from their defaults, and the cutoff."""
        k = dict(self.given).get("k")
        inside = ", ".join(
            f"{name}={_written(value)}"
            for name, value in self.parameters.items()
            if name != "k" and (name in self.shown or name in dict(self.given))
        )
        return self.name + (f"({inside})" if inside else "") + ("" if k is None else f"@{k}")

    def __repr__(self) -> str:
        return str(self)


@cache
def _declared(over: Callable[..., Floats]) -> dict[str, Any]:
    """Return the parameters of a formula with their defaults."""
    declared = signature(over).parameters.values()
    return {each.name: each.default for each in declared if each.kind is Parameter.KEYWORD_ONLY}


def _written(value: Any) -> str:
    if callable(value):
        return str(value.__name__)
    return f'"{value}"' if isinstance(value, str) else str(value)


def quotient(part: Values, whole: Values) -> Floats:
    """Divide; NaN if the divisor is 0: (Q,) and (Q,) to (Q,) float64."""
    out = np.full(len(part), np.nan)
    np.divide(part, whole, out=out, where=whole != 0)
    return out


_NO_ROWS = np.empty(0, dtype=np.int64)
_NO_PAIRS = Pairing(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), *[_NO_ROWS] * 5)
