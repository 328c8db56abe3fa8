"""From a name to the coefficient that it means."""

from __future__ import annotations

from functools import lru_cache

from rankmark.errors import InputError, MeasureError, shown
from rankmark.notation import Notation, NotationError, whole
from rankmark.similarity import ALL
from rankmark.similarity.coefficient import Coefficient

_BY_NAME = {name.lower(): one for one in ALL for name in (one.name, *one.aliases)}


def coefficient(name: str | Coefficient) -> Coefficient:
    """Find a coefficient by its name.

    Parameters
    ----------
    name
        Such as ``tau``, ``tau(variant="a")@10``, ``RBO(p=0.9)``, or the name of the function, such
        as ``kendall_tau``. Case does not matter. A coefficient is returned as it is.

    Returns
    -------
    Coefficient
        ``str()`` of it is a name that finds it again, but for weighers, which are functions.

    Raises
    ------
    MeasureError
        If none has that name, or a parameter is wrong.

    Examples
    --------
    >>> from rankmark.similarity.coefficient_names import coefficient
    >>> coefficient("kendall_tau@10"), coefficient("rbo( p = 0.98 )")
    (tau@10, RBO(p=0.98))
    """
    found = coefficients(name)
    if len(found) > 1:
        raise MeasureError(
            f"{shown(name)} is {len(found)} coefficients; one is needed here, such as {found[0]}"
        )
    return found[0]


def coefficients(name: str | Coefficient) -> tuple[Coefficient, ...]:
    """Find all coefficients that a name stands for: ``tau@5,10`` or ``tau@10, RBO``."""
    if isinstance(name, Coefficient):
        return (name,)
    if not isinstance(name, str):
        raise MeasureError(f"{shown(name)} is no coefficient; need its name, such as RBO")
    return _parsed(name)


@lru_cache(maxsize=256)
def _parsed(name: str) -> tuple[Coefficient, ...]:
    reader = Notation(name)
    try:
        found = _read(reader)
        while reader.take(","):
            found += _read(reader)
        reader.end()
    except NotationError as error:
        message, at = error.args
        raise MeasureError(f"coefficient {shown(name)}, position {at + 1}: {message}") from None
    return tuple(dict.fromkeys(found))


def _read(reader: Notation) -> list[Coefficient]:
    """Take a name with all its cutoffs."""
    start = reader.skip_blanks()
    word = reader.match(r"[^\W\d]\w*") or ""
    found = _BY_NAME.get(word.lower())
    if found is None:
        known = ", ".join(one.name for one in ALL)
        raise NotationError(f"there is no coefficient {shown(word)}; there are {known}", start)
    given: dict[str, object] = {}
    for parameter, value, at in reader.parameters():
        _set(found, given, parameter, _as_meant(value), at)
    at = reader.at
    k = reader.cutoff()
    if k is not None:
        _set(found, given, "k", k, at)
    several = [found(**given)]
    while another := reader.another():
        digits, at = another
        if k is None:
            raise NotationError(
                f"{shown(digits)} follows no cutoff; write {found.name}@{digits[:18]}", at
            )
        several.append(several[0] @ whole(digits, at))
    return several


def _as_meant(value: object) -> object:
    """Take True and False for what they are."""
    words = {"true": True, "false": False}
    return words.get(value.lower(), value) if isinstance(value, str) else value


def _set(found: Coefficient, given: dict[str, object], name: str, value: object, at: int) -> None:
    if name in given:
        raise NotationError(f"{name} is given twice", at)
    try:
        found(**{name: value})
    except InputError as error:
        raise NotationError(str(error), at) from None
    given[name] = value
