"""What an evaluation is asked to compute: measures by name, and the conventions for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rankmark.conventions import DECLARED, Conventions
from rankmark.data.alignment import Needs
from rankmark.errors import InputError, MeasureError, ProfileWarning, shown, warn
from rankmark.measures import Measure
from rankmark.measures.base.requirements import ABOVE_ZERO, needs_of
from rankmark.measures.names import every, flat
from rankmark.measures.names import measures as measures_of
from rankmark.measures.thresholds import takes_rel, with_rel
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.measures.names import AnyMeasure
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
    from rankmark.profiles.known import profile as known  # noqa: PLC0415  (few name a profile)

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
    from rankmark.profiles.known import profile as known  # noqa: PLC0415  (few name a profile)

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


class Requested(NamedTuple):
    """The measures to compute, what they need, and the names under which they were requested."""

    measures: tuple[Measure, ...]
    needs: Needs
    names: Mapping[str, Measure]
    anywhere: bool
    """Whether one is scored apart: against other judgments, or within a budget."""
    lists: bool
    """Whether one of them depends on the items of lists."""
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

    by_name = meanings(known(profile), measures)
    found = every([measure for of_name in by_name.values() for measure in of_name], rel=rel)
    chosen = _resolved(tuple(found), None, *(measure.chosen for measure in found))
    single = {
        name: of_name[0]
        for name, of_name in by_name.items()
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
    names = _with_rel(dict(_named(name for name in given if isinstance(name, str))), rel)
    return _requested(found, names)


def _requested(found: tuple[Measure, ...], names: Mapping[str, Measure]) -> Requested:
    needs = needs_of(found)
    needs = needs._replace(lowest=min(needs.lowest, ABOVE_ZERO))
    anywhere = any(one.is_apart for one in found)
    lists = any(one.depends_on in {"lists", "run"} for one in found)
    apart = any(one.own_conventions for one in found)
    return Requested(found, needs, names, anywhere, lists, apart)


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


class Asked(NamedTuple):
    """Measures, and the conventions under which they are computed.

    Parameters
    ----------
    measures
        In the requested order.
    needs
        What they need of an alignment.
    names
        The names under which they were requested.
    anywhere
        Whether one is scored apart: against other judgments, or within a budget.
    lists
        Whether one of them depends on the items of lists.
    conventions
        Those of the evaluation, with those that measures have for themselves.
    profile
        The profile that was named; None if there is none.
    """

    measures: tuple[Measure, ...]
    needs: Needs
    names: Mapping[str, Measure]
    anywhere: bool
    lists: bool
    conventions: Conventions
    profile: str | Profile | None

    @classmethod
    def of(
        cls,
        measures: Iterable[AnyMeasure] | AnyMeasure | None,
        conventions: Conventions,
        rel: float | None = None,
        profile: str | Profile | None = None,
    ) -> Asked:
        """Resolve the measures, whose own conventions and those of the profile apply."""
        found = requested_measures(measures, rel, profile)
        if found.lists and any(one.of_scores for one in found.measures):
            from rankmark.measures.of_runs.gap import with_inner  # noqa: PLC0415

            found = _requested(with_inner(found.measures), found.names)
        requested, needs, names, anywhere, lists, apart = found
        if profile is not None or apart:
            conventions = conventions_of(requested, conventions, profile)
        if profile is not None:
            needs = Needs(subtopics=needs.subtopics)  # all, to find what differs there
        return cls(requested, needs, names, anywhere, lists, conventions, profile)

    @property
    def items(self) -> bool:
        """Whether one of the measures looks at the items of lists; gaps look at other scores."""
        return self.lists and any(
            one.depends_on in {"lists", "run"} and not one.of_scores for one in self.measures
        )

    def with_corrected(self, sampled: Any) -> Asked:
        """Ask also for estimates of the measures on all items; see ``evaluate``."""
        from rankmark.measures.sampled_negatives import Corrected, depends_on_rank  # noqa: PLC0415

        try:
            items, negatives = sampled
        except (TypeError, ValueError):
            raise InputError(
                f"sampled is {shown(sampled)}", "need (items, negatives), such as (10_001, 100)"
            ) from None
        more = [
            Corrected(of=one, items=items, negatives=negatives)
            for one in self.measures
            if depends_on_rank(one)
        ]
        if not more:
            raise MeasureError(
                "sampled is given, and no measure depends on the rank of a target",
                "ask for nDCG@10, RR, R@10 or another that does",
            )
        needs = self.needs if self.profile is not None else needs_of([*self.measures, *more])
        return self._replace(
            measures=(*self.measures, *more),
            needs=needs._replace(lowest=min(needs.lowest, ABOVE_ZERO)),
        )
