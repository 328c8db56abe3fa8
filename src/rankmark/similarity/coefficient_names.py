"""Names of coefficients, and the coefficients that they mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rankmark.errors import InputError, MeasureError, shown
from rankmark.notation import Notation, NotationError, whole
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
    if isinstance(requested, str) or not isinstance(requested, Iterable):
        requested = (requested,)
    groups = (entry if isinstance(entry, (tuple, list)) else (entry,) for entry in requested)
    found = tuple(
        dict.fromkeys(c for group in groups for name in group for c in coefficients(name))
    )
    if not found:
        raise MeasureError("no coefficient was requested", "name one, such as RBO(p=0.9)")
    return found


@lru_cache(maxsize=256)
def _parsed(name: str) -> tuple[Coefficient, ...]:
    reader = Notation(name)
    try:
        found = _read(reader)
        while reader.take(","):
            found += _read(reader)
        reader.end()
    except NotationError as error:
        where = f"coefficient {shown(name)}, position {error.at + 1}"
        raise MeasureError(error.found, error.remedy, where=where) from None
    return tuple(dict.fromkeys(found))


def _read(reader: Notation) -> list[Coefficient]:
    """Read a name with all its cutoffs."""
    start = reader.skip_blanks()
    word = reader.match(r"[^\W\d]\w*") or ""
    found = _BY_NAME.get(word.lower())
    if found is None:
        known = ", ".join(coefficient.name for coefficient in ALL)
        raise NotationError(f"unknown coefficient {shown(word)}", start, f"need one of {known}")
    parameters: dict[str, object] = {}
    for parameter, value, at in reader.parameters():
        _set(found, parameters, parameter, _boolean(value), at)
    at = reader.at
    k = reader.cutoff()
    if k is not None:
        _set(found, parameters, "k", k, at)
    several = [found(**parameters)]
    while another := reader.another():
        digits, at = another
        if k is None:
            raise NotationError(
                f"{shown(digits)} follows no cutoff", at, f"write {found.name}@{digits[:18]}"
            )
        several.append(several[0] @ whole(digits, at))
    return several


def _boolean(value: object) -> object:
    """Convert the words True and False."""
    words = {"true": True, "false": False}
    return words.get(value.lower(), value) if isinstance(value, str) else value


def _set(
    found: Coefficient, parameters: dict[str, object], name: str, value: object, at: int
) -> None:
    if name in parameters:
        raise NotationError(f"{name} is given twice", at, "keep one of the two")
    try:
        found(**{name: value})
    except (InputError, MeasureError) as error:
        raise NotationError(error.found, at, error.remedy or "") from None
    parameters[name] = value
