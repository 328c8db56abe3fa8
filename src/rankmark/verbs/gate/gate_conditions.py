"""What a gate is asked: its conditions and options, from keywords and from its file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import Measure
from rankmark.measures.thresholds import with_rel
from rankmark.scoring.request import as_measures
from rankmark.verbs.gate.gate_condition import (
    Condition,
    ScoredMeasure,
    scored_measure,
    scored_measures,
)
from rankmark.verbs.gate.gate_options import (
    OF_CONDITIONS,
    ONLY,
    USUAL,
    Checks,
    is_chosen,
    options_of,
)

if TYPE_CHECKING:
    from rankmark.data.contract.reading_options import ProgressOfFiles
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.gate.gate_condition import GatedMeasure
    from rankmark.verbs.gate.gate_config import ConfigFile


class Request(NamedTuple):
    """What a gate is given besides the systems.

    Parameters
    ----------
    conditions, slices, conventions
        As for ``gate``.
    known
        The options that a gate has.
    options
        {option: value}; None for one that is not given.
    config
        The file, which has been read; None without.
    """

    conditions: Sequence[Any]
    slices: Mapping[str, Iterable[Any]] | None
    conventions: Mapping[str, Any]
    known: Checks
    options: Mapping[str, Any]
    config: ConfigFile | None

    @classmethod
    def of(cls, gate: Callable[..., Any], given: Mapping[str, Any]) -> Request:
        """Take all arguments of ``gate``, or a verb like it, by their names, and read its file."""
        config = given["config"]
        if config is not None:
            from rankmark.verbs.gate.gate_config import ConfigFile  # noqa: PLC0415

            config = ConfigFile.read(config, gate)
        known = options_of(gate)
        options = {name: value for name, value in given.items() if name in known}
        names = ("conditions", "slices", "conventions")
        same = {name: given[name] for name in names}
        return cls(known=known, options=options, config=config, **same)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Everything that a gate is asked.

    Parameters
    ----------
    conditions
        As given; "*" is not yet each slice.
    known
        The options that a gate has.
    options
        {option: value} of all of them.
    slices
        {name: query ids}.
    runs
        {name of a system: paths of its runs}.
    conventions
        Keywords of ``evaluate``, except ``rel``, which the measures have.
    progress
        As for ``compare``.
    """

    conditions: tuple[Condition, ...]
    known: Checks
    options: Mapping[str, Any]
    slices: Mapping[str, Iterable[Any]]
    runs: Mapping[str, Sequence[str]]
    conventions: dict[str, Any]
    progress: ProgressOfFiles | None = None

    @property
    def measures(self) -> list[Measure]:
        """The measures to evaluate, each once; none if scores are given."""
        return [one for one in self.gated if isinstance(one, Measure)]

    @property
    def gated(self) -> list[GatedMeasure]:
        """What the conditions are about, each once."""
        return list(dict.fromkeys(one.measure for one in self.conditions))

    def choices(
        self,
        conditions: Sequence[Condition],
        slices: Mapping[str, Sequence[str]],
        systems: Sequence[tuple[str, int]],
    ) -> dict[str, Any]:
        """Return everything that was asked as values that JSON can represent, for records.

        Slices are written as ids, and files that are not paths are left out. Of each system, the
        baseline first, its name and the number of its runs are given.
        """
        options = {
            name: self.options[name]
            for name, check in self.known.items()
            if check is not None and is_chosen(name, self.options[name])
        }
        files = {
            name: os.fsdecode(self.options[name])
            for name in ("reference", "weights", "draws", "clusters")
            if isinstance(self.options[name], (str, os.PathLike))
        }
        return {
            **self.conventions,
            **options,
            **files,
            "conditions": [condition.to_dict() for condition in conditions],
            "slices": dict(slices),
            "systems": [[name, runs] for name, runs in systems],
            "worst": 0,
        }


def asked_of(
    request: Request,
    of_scores: Callable[[], str] | None = None,
    *,
    usual: Sequence[str] = ("nDCG@10",),
) -> Asked:
    """Combine what keywords and the file ask for; keywords take precedence.

    Parameters
    ----------
    request
        What was given.
    of_scores
        If systems are scores by query, what returns the name of the score that a gate without a
        condition is about; otherwise None.
    usual
        The measures of rankings that a gate without a condition is about.
    """
    chosen = {name: value for name, value in request.options.items() if value is not None}
    in_file: tuple[Condition, ...] = ()
    runs: Mapping[str, Sequence[str]] = {}
    slices, conventions = dict(request.slices or {}), dict(request.conventions)
    are_scores = of_scores is not None
    if request.config is not None:
        found = request.config.contents(chosen, are_scores=are_scores)
        in_file, runs = found.conditions, found.runs
        slices = {**found.slices, **slices}
        conventions = {**found.conventions, **conventions}
        chosen = {**found.options, **chosen}
    refuse_combinations(chosen, are_scores=are_scores)
    options = {name: chosen.get(name, USUAL.get(name)) for name in request.known}
    profile = conventions.get("profile")
    meant = partial(
        as_conditions,
        shared={name: options[name] for name in OF_CONDITIONS if options.get(name) is not None},
        each_slice=options["by"] is not None,
        profile=profile,
        scored=options if are_scores else None,
    )
    asked = [*(_in_profile(one, profile) for one in in_file), *meant(request.conditions)]
    if not asked:
        asked = meant(usual if of_scores is None else (of_scores(),))
    progress = conventions.pop("progress", None)
    if not are_scores:
        asked = _with_rel(asked, conventions.pop("rel", None))
    return Asked(
        conditions=tuple(asked),
        known=request.known,
        options=options,
        slices=slices,
        runs=runs,
        conventions=conventions,
        progress=progress,
    )


def as_conditions(
    given: Iterable[Any],
    shared: Mapping[str, Any],
    *,
    each_slice: bool = False,
    profile: str | Profile | None = None,
    scored: Mapping[str, Any] | None = None,
) -> list[Condition]:
    """Return conditions from measures, conditions, lists of them, and mappings.

    Parameters
    ----------
    given
        As for ``gate``; a mapping has the margin of each measure, or keywords of ``Condition``.
    shared
        What measures without a condition of their own have in common: keywords of ``Condition``.
    each_slice
        Whether these have to hold in each slice, too.
    profile
        The tool whose measures names are; None for none.
    scored
        The options of a gate on scores by query, which names then are of; None for one on runs.
    """

    def named(item: Any, **own: Any) -> list[tuple[Condition, bool]]:
        if scored is None:
            found: Sequence[GatedMeasure] = as_measures(item, profile=profile)[0]
        else:
            found = scored_measures(item, scored)
        return [(Condition(one, **{**shared, **own}), True) for one in found]

    def each(items: Iterable[Any]) -> Iterator[tuple[Condition, bool]]:
        """Yield conditions, and whether each was given as a measure."""
        for item in items:
            if isinstance(item, Condition):
                of_scores = None if scored is None else scored_measure(item.measure, scored)
                meant = item.of(of_scores) if of_scores else _in_profile(item, profile)
                yield meant, False
            elif isinstance(item, Mapping):
                for name, asked in item.items():
                    own = asked if isinstance(asked, Mapping) else {"max_drop": asked}
                    _refuse_unknown(name, own)
                    yield from named(name, **own)
            elif isinstance(item, (list, tuple)):
                yield from each(item)
            elif isinstance(item, (str, Measure)) or callable(item):
                yield from named(item)
            else:
                raise MeasureError(
                    f"{shown(item)} is not a condition", "need a measure, or rankmark.Condition"
                )

    found = [*each(given)]
    if not each_slice:
        return [condition for condition, _ in found]
    own = [condition for condition, is_named in found if not is_named]
    of_names = [condition for condition, is_named in found if is_named]
    return [*own, *of_names, *(one.of(one.measure, "*") for one in of_names)]


def _refuse_unknown(measure: Any, given: Mapping[Any, Any]) -> None:
    known = (*OF_CONDITIONS, "slice")
    for name in given:
        if name not in known:
            raise InputError(
                f"the condition on {shown(measure)} has {shown(name)}",
                f"need a number, or keywords of Condition: {', '.join(known)}",
            )


def _in_profile(condition: Condition, profile: str | Profile | None) -> Condition:
    """Return a condition on the tool's version of its measure."""
    if profile is None or isinstance(condition.measure, ScoredMeasure):
        return condition
    from rankmark.profiles.requests import tools_version  # noqa: PLC0415

    return condition.of(tools_version(profile, condition.measure))


def _with_rel(conditions: Sequence[Condition], rel: float | None) -> list[Condition]:
    """Return conditions on the measures with this threshold, where they take one."""
    measures = [one.measure for one in conditions if isinstance(one.measure, Measure)]
    named = with_rel(measures, rel)
    return [one.of(measure) for one, measure in zip(conditions, named, strict=True)]


def refuse_combinations(chosen: Mapping[str, Any], *, are_scores: bool = False) -> None:
    """Refuse options that have no meaning together."""
    kind, known = (
        ("runs", "") if are_scores else ("scores by query", ": rankmark knows its measures")
    )
    for name, only in ONLY.items():
        if only == kind and is_chosen(name, chosen.get(name)):
            raise InputError(f"{name} is for {kind}", f"leave {name} out{known}")
