"""What a coefficient is: a formula over pairs of rankings, its parameters, and facts about it."""

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

    ``TAU(variant="a") @ 10`` is another one, cut behind rank 10.

    Parameters
    ----------
    name
        Its name, as ``compare_rankings`` and the command line take it.
    function
        ``function(a, b, ...)`` of two rankings, whose value is or becomes a float.
    over
        ``over(pairs, ...)`` of a Pairing: (Q,) float64, with the same parameters.
    bounds
        The lowest and the highest value.
    same
        The value of a ranking of two items or more, without ties, and itself.
    symmetric
        Whether a and b can change places.
    aliases
        Other names of it.
    deepest
        Gives, of its parameters, the rank behind which nothing can change a double's last digit;
        None where every rank matters.
    shown
        Parameters that are written also where they have their defaults.
    given
        The parameters that were chosen, by name.
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
            If there is no such parameter, or it cannot be that.
        """
        declared = _declared(self.over)
        for name in parameters:
            if name not in declared:
                takes = ", ".join(declared)
                what = "cutoff" if name == "k" else f"parameter {name!r}"
                raise InputError(f"{self.name} has no {what}; it takes {takes}")
        if parameters.get("k") is not None:
            parameters["k"] = whole("k", parameters["k"])  # one number, of whatever type
        chosen = dict(self.given) | parameters
        self.over(_NO_PAIRS, **chosen)  # checks what it takes
        kept = {name: chosen.get(name, value) for name, value in declared.items()}
        others = [(name, value) for name, value in kept.items() if value != declared[name]]
        return replace(self, given=tuple(others))

    @overload
    def __matmul__(self, k: int) -> Coefficient: ...
    @overload
    def __matmul__(self, k: Iterable[int]) -> tuple[Coefficient, ...]: ...
    def __matmul__(self, k: int | Iterable[int]) -> Coefficient | tuple[Coefficient, ...]:
        """Set the cutoff: ``tau @ 10``; of several, ``tau @ [5, 10]``, give a tuple."""
        try:
            cutoffs = None if isinstance(k, (str, bytes)) else list(k)  # type: ignore[arg-type]
        except TypeError:  # a number
            cutoffs = None
        return self(k=k) if cutoffs is None else tuple(self(k=one) for one in cutoffs)

    def of(self, pairs: Pairing) -> Floats:
        """Compare each pair: (Q,) float64, NaN where there is nothing to compare."""
        return self.over(pairs, **dict(self.given))

    def last_rank(self) -> int | None:
        """Give the rank behind which nothing changes the value; None where every rank may."""
        parameters = self.parameters
        deepest = None if self.deepest is None else self.deepest(**parameters)
        limits = [one for one in (parameters["k"], deepest) if one is not None]
        return min(limits, default=None)

    def __str__(self) -> str:
        """Write the name: parameters that differ from the defaults, then the cutoff."""
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
    """Name the parameters of a formula, with their defaults."""
    declared = signature(over).parameters.values()
    return {one.name: one.default for one in declared if one.kind is Parameter.KEYWORD_ONLY}


def _written(value: Any) -> str:
    if callable(value):
        return str(value.__name__)
    return f'"{value}"' if isinstance(value, str) else str(value)


def quotient(part: Values, whole: Values) -> Floats:
    """Divide, NaN where there is nothing to divide by: (Q,) and (Q,) to (Q,) float64."""
    out = np.full(len(part), np.nan)
    np.divide(part, whole, out=out, where=whole != 0)
    return out


_NO_ROWS = np.empty(0, dtype=np.int64)
_NO_PAIRS = Pairing(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), *[_NO_ROWS] * 5)
