"""Names of coefficients, and the coefficients that they mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rankmark.errors import MeasureError, shown
from rankmark.formulas import as_formulas, formulas_in
from rankmark.similarity import ALL
from rankmark.similarity.coefficient import Coefficient

_BY_NAME = {name.lower(): found for found in ALL for name in (found.name, *found.aliases)}


def coefficient(name: str | Coefficient) -> Coefficient:
    """Find a coefficient by its name.

    Parameters
    ----------
    name
        Such as ``tau``, ``tau(variant="a")@10``, ``RBO(p=0.9)``, or the name of a function, such as
        ``kendall_tau``. Case does not matter. A coefficient is returned as it is.

    Raises
    ------
    MeasureError
        If the name is unknown, or a parameter is invalid.

    Examples
    --------
    >>> from rankmark.similarity.coefficient_names import coefficient
    >>> coefficient("kendall_tau@10"), coefficient("rbo( p = 0.98 )")
    (tau@10, RBO(p=0.98))
    """
    found = coefficients(name)
    if len(found) > 1:
        raise MeasureError(
            f"{shown(name)} means {len(found)} coefficients", f"need one, such as {found[0]}"
        )
    return found[0]


def coefficients(name: str | Coefficient) -> tuple[Coefficient, ...]:
    """Find all coefficients that a name stands for: ``tau@5,10`` or ``tau@10, RBO``."""
    if isinstance(name, Coefficient):
        return (name,)
    if not isinstance(name, str):
        raise MeasureError(f"{shown(name)} is not a coefficient", "need its name, such as RBO")
    return _parsed(name)


def as_coefficients(
    requested: Iterable[str | Coefficient] | str | Coefficient,
) -> tuple[Coefficient, ...]:
    """Return the requested coefficients in order, without duplicates."""
    return as_formulas(requested, coefficients, "coefficient", "RBO(p=0.9)")


@lru_cache(maxsize=256)
def _parsed(name: str) -> tuple[Coefficient, ...]:
    return formulas_in(name, _BY_NAME, "coefficient")
