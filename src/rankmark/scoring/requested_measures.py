"""The measures that a call requests: by name, under a profile, and what they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rankmark.errors import MeasureError
from rankmark.measures import Measure
from rankmark.measures.base.requirements import ABOVE_ZERO, needs_of
from rankmark.measures.names import every, flat
from rankmark.measures.names import measures as measures_of
from rankmark.measures.thresholds import takes_rel, with_rel

if TYPE_CHECKING:
    from rankmark.data.alignment import Needs
    from rankmark.measures.names import AnyMeasure
    from rankmark.profiles.profile import Profile


class Requested(NamedTuple):
    """The measures to compute, what they need, and the names under which they were requested."""

    measures: tuple[Measure, ...]
    needs: Needs
    names: Mapping[str, Measure]
    anywhere: bool
    """Whether one of them depends on the judgments of other queries."""
    apart: bool
    """Whether one of them has conventions of its own."""


def as_measures(
    measures: Iterable[AnyMeasure] | AnyMeasure | None,
    rel: float | None = None,
    profile: str | Profile | None = None,
) -> tuple[tuple[Measure, ...], Needs]:
    """Return the requested measures in order, without duplicates, and what they need."""
    return requested_measures(measures, rel, profile)[:2]


def requested_measures(
    measures: Iterable[AnyMeasure] | AnyMeasure | None,
    rel: float | None = None,
    profile: str | Profile | None = None,
) -> Requested:
    """Resolve the requested measures; None means the default ones."""
    if profile is not None:
        return _under_profile(measures, rel, profile)
    if measures is None:
        from rankmark.measures.default import DEFAULT  # noqa: PLC0415  (six measures)

        measures = DEFAULT
    given = tuple(measures) if isinstance(measures, (list, tuple)) else tuple(flat(measures))
    # P and P(rel=1) are equal, but only one of them chooses rel.
    chosen = [getattr(measure, "chosen", None) for measure in given if measure.__class__ is not str]
    try:
        return _resolved(given, rel, *chosen)
    except TypeError:  # a nested list
        found = every(given, rel=rel)
        return _resolved(tuple(found), None, *(measure.chosen for measure in found))


def _under_profile(
    measures: Iterable[AnyMeasure] | AnyMeasure | None, rel: float | None, profile: str | Profile
) -> Requested:
    from rankmark.profiles.known import profile as known  # noqa: PLC0415
    from rankmark.profiles.requests import meanings  # noqa: PLC0415

    meant = meanings(known(profile), measures)
    found = every([measure for of_name in meant.values() for measure in of_name], rel=rel)
    chosen = _resolved(tuple(found), None, *(measure.chosen for measure in found))
    single = {
        name: of_name[0]
        for name, of_name in meant.items()
        if isinstance(name, str) and len(of_name) == 1
    }
    return chosen._replace(names=_with_rel(single, rel))


@lru_cache(maxsize=256)
def _resolved(given: tuple[AnyMeasure, ...], rel: float | None, *_chosen: object) -> Requested:
    """Resolve measures.

    All positive labels are needed: by the audit, and to warn if no label reaches rel.
    """
    found = tuple(every(given, rel=rel))
    if not found:
        raise MeasureError("no measure is requested", "name one, such as nDCG@10")
    needs = needs_of(found)
    names = _with_rel(dict(_named(name for name in given if isinstance(name, str))), rel)
    needs = needs._replace(lowest=min(needs.lowest, ABOVE_ZERO))
    anywhere = any(one.depends_on == "anywhere" for one in found)
    return Requested(found, needs, names, anywhere, any(one.own_conventions for one in found))


def _named(given: Iterable[str]) -> Iterator[tuple[str, Measure]]:
    """Yield each name of one measure with it; those in a list with commas one by one."""
    for text in given:
        found = measures_of(text)
        if len(found) == 1:
            yield text, found[0]
            continue
        names = [name.strip() for name in text.split(",")]
        with suppress(MeasureError):  # a further cutoff, or half of a pair of parentheses
            if [measures_of(name) for name in names] == [(one,) for one in found]:
                yield from zip(names, found, strict=True)


def _with_rel(named: Mapping[str, Measure], rel: float | None) -> dict[str, Measure]:
    """Choose ``rel`` for the measures requested by name that take it."""
    return {
        name: with_rel([measure], rel)[0] if takes_rel(measure) else measure
        for name, measure in named.items()
    }
