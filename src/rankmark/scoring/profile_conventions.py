"""Conventions of single measures and of profiles, and what those of profiles do not reproduce."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.conventions import DECLARED, Conventions
from rankmark.errors import ProfileWarning, warn
from rankmark.profiles.known import profile as known

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Difference, Profile


def conventions_of(
    measures: Sequence[Measure], given: Conventions, profile: str | Profile | None
) -> Conventions:
    """Return the conventions of an evaluation, with those that measures have for themselves.

    Parameters
    ----------
    given
        Those that are not at their defaults replace those of the profile, for all measures.
    profile
        The profile, in which measures may have conventions of their own; None for none.
    measures
        The measures that are evaluated. If all have the same conventions, these are those of the
        evaluation. If some average all judged queries, the evaluation does, and the others leave
        queries out.
    """
    tool = None if profile is None else known(profile)
    usual = {name: one.default for name, one in DECLARED.items()}
    changed = {name: value for name, value in _values(given).items() if value != usual[name]}
    of_each = [
        {
            **usual,
            **({} if tool is None else tool.conventions_of(measure)),
            **changed,
            **dict(measure.own_conventions),
        }
        for measure in measures
    ]
    common = of_each[0]
    if any(one != common for one in of_each):
        common = {**usual, **({} if tool is None else tool.conventions), **changed}
        if any(one["queries"] != common["queries"] for one in of_each):
            common["queries"] = "judged"
    own = [
        (measure, tuple((name, one[name]) for name in DECLARED if one[name] != common[name]))
        for measure, one in zip(measures, of_each, strict=True)
    ]
    return Conventions(
        **common,
        profile=None if tool is None else tool.name,
        of_measures=tuple(pair for pair in own if pair[1]),
    )


def _values(conventions: Conventions) -> dict[str, object]:
    return {name: getattr(conventions, name) for name in DECLARED}


def described(
    profile: str | Profile, met: Iterable[tuple[Difference, Bools]], averaged: Any = None
) -> dict[str, Any]:
    """Return a profile for the settings of an evaluation, and warn of what it does not reproduce.

    Parameters
    ----------
    met
        The differences that concern the measures, and which queries meet their conditions.
    averaged
        (n,) int64, the rows of the queries that are averaged; None for all.
    """
    profile = known(profile)
    differences = []
    for difference, is_met in met:
        queries = int((is_met if averaged is None else is_met[averaged]).sum())
        if not queries:
            continue
        differences.append(difference.what)
        where = "1 query" if queries == 1 else f"{queries:,} queries"
        warn(
            f"{where} may differ from {profile.tool}: {difference.what}",
            f"see rankmark reconcile --against {profile.name.partition('(')[0]}",
            where=f"profile {profile.name}",
            kind=ProfileWarning,
        )
    return {
        "name": profile.name,
        "tool": profile.tool,
        "version": profile.version,
        "differences": differences,
    }
