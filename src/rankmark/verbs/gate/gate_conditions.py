"""What a gate is asked: its conditions and options, from keywords and from its file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import Measure
from rankmark.measures.thresholds import with_rel
from rankmark.scoring.request import as_measures
from rankmark.verbs.evaluate.evaluate import chosen_queries
from rankmark.verbs.gate.gate_condition import Condition
from rankmark.verbs.gate.gate_options import BY_NAME, OF_CONDITIONS, OPTIONS
from rankmark.verbs.gate.scored_measure import ScoredMeasure, scored_measure, scored_measures

if TYPE_CHECKING:
    from rankmark.data.contract.reading_options import ProgressOfFiles
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.gate.scored_measure import GatedMeasure

_OF_RANKINGS = ("bounds",)
_OF_SCORES = ("score_range", "lower_is_better")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Everything that a gate is asked.

    Parameters
    ----------
    conditions
        As given; "*" is not yet each slice.
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
            one.name: self.options[one.name]
            for one in OPTIONS
            if one.kind not in {"of a condition", "file"} and self.options[one.name] != one.default
        }
        files = {
            name: os.fsdecode(self.options[name])
            for name in ("reference", "weights", "clusters")
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
    conditions: Iterable[Any],
    given: Mapping[str, Any],
    slices: Mapping[str, Iterable[Any]] | None,
    config: str | os.PathLike[str] | None,
    conventions: Mapping[str, Any],
    of_scores: Callable[[], str] | None = None,
    *,
    usual: Sequence[str] = ("nDCG@10",),
) -> Asked:
    """Combine what keywords and the file ask for; keywords take precedence.

    Parameters
    ----------
    conditions
        As for ``gate``.
    given
        {option: value}; None for one that is not given.
    slices, config, conventions
        As for ``gate``.
    of_scores
        If systems are scores by query, what returns the name of the score that a gate without a
        condition is about; otherwise None.
    usual
        The measures of rankings that a gate without a condition is about.

    Raises
    ------
    InputError
        If an option, a condition or a combination of them is impossible.
    """
    checked = {
        name: BY_NAME[name].checked(value) for name, value in given.items() if value is not None
    }
    chosen = {name: value for name, value in checked.items() if value is not None}
    in_file: tuple[Condition, ...] = ()
    runs: Mapping[str, Sequence[str]] = {}
    slices, conventions = dict(slices or {}), dict(conventions)
    are_scores = of_scores is not None
    if config is not None:
        from rankmark.verbs.gate.gate_config import read_config  # noqa: PLC0415

        found = read_config(config, chosen, are_scores=are_scores)
        in_file, runs = found.conditions, found.runs
        slices = {**found.slices, **slices}
        conventions = {**found.conventions, **conventions}
        chosen = {**found.options, **chosen}
    refuse_combinations(chosen, are_scores=are_scores)
    options = {one.name: chosen.get(one.name, one.default) for one in OPTIONS}
    shared = {name: options[name] for name in OF_CONDITIONS if options[name] is not None}
    profile = conventions.get("profile")
    meant = partial(
        as_conditions,
        shared=shared,
        each_slice=options["by"] is not None,
        profile=profile,
        scored=options if are_scores else None,
    )
    asked = [*(_in_profile(one, profile) for one in in_file), *meant(conditions)]
    if not asked:
        asked = meant(usual if of_scores is None else (of_scores(),))
    progress = conventions.pop("progress", None)
    if not are_scores:
        asked = _with_rel(asked, conventions.pop("rel", None))
    if "queries" in conventions:
        conventions["queries"] = chosen_queries(conventions["queries"])
    return Asked(
        conditions=tuple(asked),
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

    def named(item: Any) -> Sequence[GatedMeasure]:
        if scored is not None:
            return scored_measures(item, scored)
        return as_measures(item, profile=profile)[0]

    def meant(condition: Condition) -> Condition:
        if scored is not None:
            return condition.of(scored_measure(condition.measure, scored))
        return _in_profile(condition, profile)

    found = _conditions(given, shared, named, meant)
    if not each_slice:
        return [condition for condition, _ in found]
    own = [condition for condition, is_named in found if not is_named]
    of_names = [condition for condition, is_named in found if is_named]
    return [*own, *of_names, *(one.of(one.measure, "*") for one in of_names)]


def _conditions(
    given: Iterable[Any],
    shared: Mapping[str, Any],
    named: Callable[[Any], Sequence[GatedMeasure]],
    meant: Callable[[Condition], Condition],
) -> list[tuple[Condition, bool]]:
    """Return each condition, and whether it was given as a measure."""
    found: list[tuple[Condition, bool]] = []
    for item in given:
        if isinstance(item, Condition):
            found.append((meant(item), False))
        elif isinstance(item, Mapping):
            for name, asked in item.items():
                own = asked if isinstance(asked, Mapping) else {"max_drop": asked}
                _refuse_unknown(name, own)
                found += [(Condition(one, **{**shared, **own}), True) for one in named(name)]
        elif isinstance(item, (list, tuple)):
            found += _conditions(item, shared, named, meant)
        else:
            if not isinstance(item, (str, Measure)) and not callable(item):
                raise MeasureError(
                    f"{shown(item)} is not a condition", "need a measure, or rankmark.Condition"
                )
            found += [(Condition(one, **shared), True) for one in named(item)]
    return found


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
    for name in _OF_RANKINGS if are_scores else _OF_SCORES:
        option = BY_NAME[name]  # files may be tables, which have no single truth value
        if name in chosen and (option.kind == "file" or chosen[name] != option.default):
            raise InputError(
                f"{name} is for {'runs' if are_scores else 'scores by query'}",
                f"leave {name} out"
                if are_scores
                else f"leave {name} out: rankmark knows its measures",
            )
