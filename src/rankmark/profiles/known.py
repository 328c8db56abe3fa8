"""All profiles, by name."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from rankmark.errors import InputError, shown
from rankmark.notation import Notation, NotationError
from rankmark.profiles.profile import Profile

NAMES = (
    "trec_eval10",
    "trec_eval9",
    "pytrec_eval",
    "ir_measures",
    "ranx",
    "sklearn",
    "beir",
    "mteb",
    "msmarco",
    "torchmetrics",
    "lightgbm",
    "xgboost",
    "spark",
    "recbole",
    "rectools",
    "replay",
    "lenskit",
    "sentence-transformers",
    "gdeval",
    "ragas",
)
"""The names, each that of a module with its declaration (a hyphen is _), in the order of lists."""


def profile(name: str | Profile) -> Profile:
    """Return the profile of a tool: its conventions, and what its names mean.

    Parameters
    ----------
    name
        Such as ``"ranx"``; hyphens and case do not matter. ``"trec_eval9(queries=judged)"`` has
        another convention. A profile is returned unchanged.

    Raises
    ------
    InputError
        If there is no profile of that name.

    Examples
    --------
    >>> import rankmark as rm
    >>> rm.profile("ranx").conventions
    {'ties': 'input'}
    """
    if isinstance(name, Profile):
        return name
    begin = name.partition("(")[0] if isinstance(name, str) else ""
    known = {_spelled(one): one for one in NAMES}
    if _spelled(begin) not in known:
        raise InputError(f"there is no profile {shown(name)}", f"need one of {', '.join(NAMES)}")
    found = _declared(known[_spelled(begin)])
    return found.with_conventions(**_changes(name)) if begin != name else found


def _changes(name: str) -> dict[str, Any]:
    """Read the conventions in brackets after the name of a profile."""
    words = {"True": True, "False": False, "None": None}
    notation = Notation(name)
    notation.match(r"[^(]*")
    try:
        changes = {
            one: words.get(value, value) if isinstance(value, str) else value
            for one, value, _ in notation.parameters()
        }
        notation.end()
    except NotationError as error:
        raise InputError(
            f"{shown(name)} is not a profile: {error.found}",
            "write NAME(convention=value, ...)",
        ) from None
    return changes


def profiles() -> list[Profile]:
    """Return all profiles, in the order of lists."""
    return [_declared(name) for name in NAMES]


@cache
def _declared(name: str) -> Profile:
    found: Profile = import_module(f"rankmark.profiles.{name.replace('-', '_')}").PROFILE
    return found


def _spelled(name: str) -> str:
    return name.lower().replace("-", "_").replace("_", "").replace(".", "")
