"""All profiles, by name."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any

from rankmark.errors import InputError, shown
from rankmark.formulas import Notation, NotationError
from rankmark.profiles.profile import Profile
from rankmark.results import html_parts as html

NAMES = (
    "trec_eval10",
    "trec_eval9",
    "pytrec_eval",
    "ir_measures",
    "ranx",
    "sklearn",
    "beir",
    "mteb",
    "mteb-older",
    "msmarco",
    "torchmetrics",
    "lightgbm",
    "xgboost",
    "catboost",
    "spark",
    "recbole",
    "rectools",
    "replay",
    "lenskit",
    "lenskit-2025",
    "recommenders",
    "evidently",
    "elliot",
    "fairranktune",
    "implicit",
    "pykeen",
    "sentence-transformers",
    "gdeval",
    "ragas",
    "deepeval",
    "llamaindex",
    "haystack",
    "trulens",
    "opensearch",
)
"""The names, each that of a module with its declaration (a hyphen is _), in the order of lists."""

_OTHER_NAMES = {"scikitlearn": "sklearn", "sbert": "sentence-transformers"}


def profile(name: str | Profile) -> Profile:
    """Return the profile of a tool: its conventions, and what its names mean.

    Parameters
    ----------
    name
        Such as ``"ranx"``; hyphens, blanks and case do not matter.
        ``"trec_eval9(queries=judged)"`` has another convention. A profile is returned unchanged.

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
        raise InputError(f"there is no profile {shown(name)}", _instead_of(begin))
    found = _declared(known[_spelled(begin)])
    return found.with_conventions(**_changes(name)) if begin != name else found


def _instead_of(name: str) -> str:
    """Return what to write instead of a name that no profile has: similar names, or else all."""
    names = {**{_spelled(one): one for one in NAMES}, **_OTHER_NAMES}
    begun = [one for spelled, one in names.items() if len(name) > 1 and spelled in _spelled(name)]
    begun += [one for spelled, one in names.items() if spelled.startswith(_spelled(name) or "?")]
    similar = [names[spelled] for spelled in get_close_matches(_spelled(name), names, 3, 0.75)]
    if near := list(dict.fromkeys(begun or similar)):
        return f"did you mean {' or '.join(near)}? rankmark profiles lists all"
    return f"need one of {', '.join(NAMES)}"


def _changes(name: str) -> dict[str, Any]:
    """Read the conventions in brackets after the name of a profile."""
    words = {"True": True, "False": False, "None": None}
    notation = Notation(name)
    notation.match(r"[^(]*")
    changes: dict[str, Any] = {}
    try:
        for one, value, _ in notation.parameters():
            if one in changes:
                raise InputError(f"{shown(name)} has {one} twice", "keep one of the two")
            changes[one] = words.get(value, value) if isinstance(value, str) else value
        notation.end()
    except NotationError as error:
        raise InputError(
            f"{shown(name)} is not a profile: {error.found}",
            "write NAME(convention=value, ...)",
        ) from None
    return changes


class Profiles(list[Profile]):
    """A list of profiles, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        rows = [(one.name, f"{one.tool} {one.version}", one.summary) for one in self]
        return html.page(html.table(("name", "tool", "what it computes"), rows, 3))


def profiles() -> Profiles:
    """Return all profiles, in the order of lists."""
    return Profiles(_declared(name) for name in NAMES)


@cache
def _declared(name: str) -> Profile:
    return import_module(f"rankmark.profiles.{name.replace('-', '_')}").PROFILE


def _spelled(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
