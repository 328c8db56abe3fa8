"""Names of methods of fusion, and the methods that they mean."""

from __future__ import annotations

from functools import lru_cache

from rankmark.errors import MeasureError, shown
from rankmark.formulas import formulas_in
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods import ALL

_BY_NAME = {name.lower(): found for found in ALL for name in (found.name, *found.aliases)}


def method(name: str | Method) -> Method:
    """Find a method by its name.

    Parameters
    ----------
    name
        Such as ``RRF``, ``RRF(k=10)`` or ``CombMNZ(norm="z")``. Case does not matter. A method is
        returned as it is.

    Raises
    ------
    MeasureError
        If the name is unknown, or a parameter is invalid.

    Examples
    --------
    >>> from rankmark.verbs.fuse.method_names import method
    >>> method("rrf"), method("CombMNZ(norm='z')")
    (RRF(k=60), CombMNZ(norm="z"))
    """
    if isinstance(name, Method):
        return name
    if not isinstance(name, str):
        raise MeasureError(f"{shown(name)} is not a method", "need its name, such as RRF(k=60)")
    return _parsed(name)


@lru_cache(maxsize=256)
def _parsed(name: str) -> Method:
    found = formulas_in(name, _BY_NAME, "method of fusion")
    if len(found) > 1:
        raise MeasureError(
            f"{shown(name)} means {len(found)} methods", f"need one, such as {found[0]}"
        )
    return found[0]
