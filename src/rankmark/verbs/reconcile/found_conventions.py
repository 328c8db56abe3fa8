"""What a search found, described: changes in words, calls, and how likely a coincidence is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankmark.conventions import DECLARED
from rankmark.data.contract.reading_options import FILES
from rankmark.errors import RankmarkError
from rankmark.measures import Measure
from rankmark.measures.names import measures as measures_of
from rankmark.profiles.profile import Profile
from rankmark.results.shell_words import command_line
from rankmark.verbs.reconcile.alternatives import choice_of, plain_value
from rankmark.verbs.reconcile.candidates import Candidates, Change, Changes
from rankmark.verbs.reconcile.certainty import Coincidence, right
from rankmark.verbs.reconcile.reconciliation import Answer, ChangedConvention
from rankmark.verbs.reconcile.search import SUBSETS, Found, Search
from rankmark.verbs.reconcile.targets import PerQuery
from rankmark.verbs.reconcile.tools import Meant, ToolNumbers, ToolsTried, taken_over

_COLUMNS = ("columns", "qrels_columns", "run_columns")
_FORMATS = ("qrels_format", "run_format")
_TABLES = (*FILES, "weights")


class Inputs(NamedTuple):
    """The inputs as the caller gave them, and how they are read.

    Parameters
    ----------
    qrels, run
        As given.
    options
        The keywords of ``evaluate`` for their form.
    """

    qrels: Any
    run: Any
    options: Mapping[str, Any]

    def call(self, measures: Sequence[Measure], conventions: Mapping[str, Any]) -> str:
        """Write the call of ``evaluate``."""
        names = [_name_of(measure) or str(measure) for measure in measures]
        words = [_shown(self.qrels, "qrels"), _shown(self.run, "run")]
        words.append(repr(names[0] if len(names) == 1 else names))
        chosen = {**{n: v for n, v in self.options.items() if v is not None}, **conventions}
        for name, value in chosen.items():
            words.append(f"{name}={_shown(value, name) if name in _TABLES else repr(value)}")
        return f"rm.evaluate({', '.join(words)})"

    def command(
        self,
        measures: Sequence[Measure],
        conventions: Mapping[str, Any],
        extra: Iterable[str] = (),
    ) -> str | None:
        """Write the command; None for data in memory, or what no option can name."""
        qrels, run = _path(self.qrels), _path(self.run)
        names = [_name_of(measure) for measure in measures]
        if qrels is None or run is None or None in names:
            return None
        words = ["rankmark", "evaluate", qrels, run]
        for name in names:
            words += ["-m", str(name)]
        for name, value in conventions.items():
            option = DECLARED[name].option
            if DECLARED[name].is_flag:
                words += [option] * bool(value)
            elif name == "queries" and not isinstance(value, str):
                listed = ",".join(value)
                read = [query.strip() for query in listed.split(",")]
                if listed.startswith("@") or read != list(value):
                    return None  # the option would be read as other ids
                words += [option, listed]
            else:
                words += [option, str(value)]
        for name, value in self.options.items():
            option = f"--{name.replace('_', '-')}"
            if value is None:
                continue
            text = _path(value) if name in _TABLES else str(value)
            if text is not None and name in (*_FORMATS, *_TABLES):
                words += [option, text]
            elif name in _COLUMNS:
                words += [f"{option[:-1]}={role}={column}" for role, column in value.items()]
            else:
                return None
        return command_line([*words, *extra])


def _name_of(measure: Measure) -> str | None:
    """Return a name that stands for the measure; None if there is none, as with functions."""
    try:
        return str(measure) if measures_of(str(measure)) == (measure,) else None
    except RankmarkError:
        return None


def _shown(given: Any, name: str) -> str:
    if given is None:
        return "None"
    return repr(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else name


def _path(given: Any) -> str | None:
    if not isinstance(given, (str, os.PathLike)):
        return None
    path = os.fsdecode(given)
    return os.path.join(".", path) if path.startswith("-") and path != "-" else path  # noqa: PTH118


_MOST_DESCRIBED = 100
_Sameness = tuple[tuple[bytes, ...], tuple[Any, ...]]


class Described(NamedTuple):
    """An answer, and what gives it."""

    answer: Answer
    source: Found | ToolNumbers


class Describer:
    """Describes candidates of one search.

    Parameters
    ----------
    search
        After it went.
    inputs
        As the caller gave them.
    subset
        The ids of the caller's subset, if there is one.
    near
        The given numbers in words, such as "numbers near 0.4312".
    """

    def __init__(self, search: Search, inputs: Inputs, subset: Sequence[str], near: str) -> None:
        self._search = search
        self._candidates: Candidates = search.candidates
        self._inputs = inputs
        self._subset = list(subset)
        self._near = near

    def answers(self, several: Sequence[Found]) -> tuple[Answer, ...]:
        """Describe candidates; those with the same value for every query together."""
        groups = self._groups(several).values()
        return tuple(self._answer(first, others) for first, *others in groups)

    def with_tools(self, several: Sequence[Found], tools: ToolsTried) -> tuple[Described, ...]:
        """Describe candidates, and name the tools that give the same for every query.

        Other tools that give the numbers are answers of their own. Answers with fewer changes come
        first, and of as many changes those that a known tool computes. If nothing needs to change,
        tools are no answers of their own.
        """
        found = []
        for (averaged, then), (first, *others) in self._groups(several).items():
            alike = [] if then else [t for t in tools.found if t.averaged == averaged]
            names = tuple(tool.profile.name for tool in alike)
            found.append(Described(replace(self._answer(first, others), tools=names), first))
        if found and not found[0].answer.changes:
            return tuple(found)
        known = {name for one in found for name in one.answer.tools}
        groups: dict[tuple[bytes, ...], list[ToolNumbers]] = {}
        for tool in tools.found:
            if tool.profile.name not in known:
                groups.setdefault(tool.averaged, []).append(tool)
        found += [Described(self._of_tools(group), group[0]) for group in groups.values()]
        return tuple(sorted(found, key=lambda one: _likelihood(one.answer)))

    def _groups(self, several: Sequence[Found]) -> dict[_Sameness, list[Found]]:
        """Put candidates together that give the same for every query."""
        groups: dict[_Sameness, list[Found]] = {}
        for found in several[:_MOST_DESCRIBED]:
            groups.setdefault(self._sameness(found), []).append(found)
        for same in groups.values():  # what evaluate computes by itself comes first
            same.sort(
                key=lambda found: bool(self._then(self._candidates_of(found), found.changes)[1])
            )
        return groups

    def _of_tools(self, group: Sequence[ToolNumbers]) -> Answer:
        """Describe tools that give the same for every query by the first of them."""
        first, *_ = group
        start = self._candidates.start
        names = [str(measure) for measure in start.measures]
        known = {name: start.conventions.to_dict()[name] for name in sorted(start.known)}
        chosen = {"profile": first.profile.name, **known}
        return Answer(
            changes=(self._by_tool(first.profile, first.meant),),
            values=dict(zip(names, first.values, strict=True)),
            measures=dict(zip(names, [str(one.measure) for one in first.meant], strict=True)),
            conventions=chosen,
            call=self._inputs.call(start.measures, chosen),
            command=self._inputs.command(start.measures, chosen),
            tools=tuple(tool.profile.name for tool in group),
            coincidence=self.coincidence(1),
            right=self._right(1),
        )

    def _by_tool(self, profile: Profile, several: Sequence[Meant]) -> ChangedConvention:
        """Describe all conventions of a tool as one change."""
        start = self._candidates.start
        steps = {
            choice_of(taken.name, taken.theirs, measure).words: None
            for measure, meant in zip(start.measures, several, strict=True)
            for taken in taken_over(Meant(measure, start.conventions), meant)
        }
        words = f"as {profile.tool} {profile.version} ({'; '.join(steps)})"
        return ChangedConvention("tool", "profile", profile.name, words, "")

    def _candidates_of(self, found: Found) -> Candidates:
        return self._candidates if found.tool is None else found.tool.candidates

    def _sameness(self, found: Found) -> _Sameness:
        """Return the scores that are averaged, and what else is done with them.

        They are the same for candidates that differ in no query.
        """
        candidates, changes = self._candidates_of(found), found.changes
        average = candidates.start.average(changes)
        scores = candidates.scores(changes) or ()
        others = tuple(
            (change.convention.name, change.choice.value)
            for change in changes
            if change.convention.part in {"average", "number"}
            and change.convention.name not in {"queries", "no_relevant", "rounded_queries"}
        )
        return tuple(of_measure.averaged(average).tobytes() for of_measure in scores), others

    def _answer(self, found: Found, others: Sequence[Found]) -> Answer:
        candidates, changes = self._candidates_of(found), found.changes
        measures = candidates.start.changed(changes)
        conventions = self._conventions(candidates, changes)
        extra, then = self._then(candidates, changes)
        names = [str(measure) for measure in self._candidates.start.measures]
        subsets = any(change.convention in SUBSETS for change in changes)
        order = [one.words for one in self._described(found) if one.name == "order"]
        return Answer(
            changes=self._described(found),
            values=dict(zip(names, found.outcome.values, strict=True)),
            measures=dict(zip(names, map(str, measures), strict=True)),
            conventions=conventions,
            first=tuple(f"order each ranking anew: {words}" for words in order),
            then=then,
            call=self._inputs.call(measures, conventions),
            command=self._inputs.command(measures, conventions, extra),
            also=tuple(self._briefly(other) for other in others),
            differing=self._differing(candidates, changes),
            distance=found.outcome.distance,
            coincidence=self.coincidence(found.number, subsets=subsets),
            right=None if subsets else self._right(found.number),
        )

    def _briefly(self, found: Found) -> str:
        """Describe a candidate in words, tools by their names."""
        tool = "" if found.tool is None else f"as {found.tool.profile.tool} with "
        return tool + "; ".join(str(described(change)) for change in found.changes)

    def _described(self, found: Found) -> tuple[ChangedConvention, ...]:
        changes = tuple(map(described, found.changes))
        if found.tool is None:
            return changes
        return (self._by_tool(found.tool.profile, found.tool.meant), *changes)

    def _conventions(self, candidates: Candidates, changes: Changes) -> dict[str, Any]:
        """Return the keywords of ``evaluate`` that are not at their defaults."""
        start = candidates.start
        average = start.average(changes)
        chosen = start.documents(changes).to_dict() | {"no_relevant": average["no_relevant"]}
        if average["queries"] == "subset":
            chosen["queries"] = self._subset
        elif average["queries"] in {"judged", "both"}:
            chosen["queries"] = average["queries"]
        return {name: value for name, value in chosen.items() if value != DECLARED[name].default}

    def _then(self, candidates: Candidates, changes: Changes) -> tuple[list[str], tuple[str, ...]]:
        """Return options for the command, and what must be done with the number."""
        options: list[str] = []
        then: list[str] = []
        for change in sorted(changes, key=lambda change: change.convention.part == "number"):
            name, value = change.convention.name, change.choice.value
            if change.convention.part not in {"average", "number"} or name == "no_relevant":
                continue
            if name == "aggregate":
                options += ["--aggregate", value]
                if self._inputs.command((), {}) is None:
                    then.append(f"take the {value} of the queries, with ev.aggregate")
            elif name == "divisor":
                then.append(_multiply(candidates, changes, value))
            elif name == "pooled":
                then.append(f"take {change.choice.words} instead of the mean")
            elif name == "printing":
                cut = "cut off the decimals instead of rounding"
                then.append("multiply by 100" if value == "percent" else cut)
            elif not (name == "queries" and value != "positive"):
                then.append(f"average {change.choice.words}")
        return options, tuple(then)

    def _differing(self, candidates: Candidates, changes: Changes) -> tuple[str, ...]:
        target = self._search.target
        if not isinstance(target, PerQuery):
            return ()
        values = target.by_query(candidates, changes)
        if values is None:
            return ()
        queries = candidates.rankings.qrels.query_ids
        rows = target.rows[target.differing(values, changes)]
        return tuple(queries[row] for row in rows.tolist())

    def coincidence(self, changes: int, *, subsets: bool = False) -> Coincidence:
        """Return how likely a coincidence is among candidates with at most as many changes."""
        every, target = self._search.tried, self._search.target
        enough = (one for one in every if one.changes >= changes and not subsets)
        tried = next(enough, every[-1])
        return Coincidence(
            changes if changes == 0 else tried.changes,
            tried.candidates,
            tried.distinct,
            tried.chance,
            self._near,
            target.decimals,
            isinstance(target, PerQuery),
            tried.subsets,
        )

    def _right(self, changes: int) -> float | None:
        if changes == 0:
            return None
        tried = [one for one in self._search.tried if not one.subsets]
        chances = [one.chance for one in tried if 1 <= one.changes <= changes]
        return right(chances) if chances else None


def _likelihood(answer: Answer) -> tuple[int, int]:
    """Return a key that sorts: fewest changes first, and of those what known tools compute."""
    by_tool = [change.part == "tool" for change in answer.changes]
    known = all(tool or change.who for tool, change in zip(by_tool, answer.changes, strict=True))
    if answer.tools or (known and any(by_tool)):
        return len(answer.changes), 0
    return len(answer.changes), 1 if known else 2


def _multiply(candidates: Candidates, changes: Changes, divisor: int | str) -> str:
    average = candidates.start.average(changes)
    scores = (candidates.scores(changes) or ())[0]
    averaged = len(scores.rows(average))
    if divisor == "run":
        ranking = candidates.ranking(changes)
        facts = None if ranking is None else ranking.facts
        by = 0 if facts is None else int(np.count_nonzero(facts.answered)) + facts.run_only
    else:
        by = averaged + int(divisor)
    return f"multiply by {averaged}/{by}"


def described(change: Change) -> ChangedConvention:
    """Describe one change."""
    convention, choice = change
    value = plain_value(choice.value)
    return ChangedConvention(convention.part, convention.name, value, choice.words, choice.who)


def tried_values(candidates: Candidates) -> dict[str, list[Any]]:
    """Return the values that were tried, by convention."""
    tried: dict[str, list[Any]] = {}
    for convention, changes in candidates.changes.items():
        doubled = convention.part == "measure" and convention.name in DECLARED
        name = f"{convention.name} of the measure" if doubled else convention.name
        tried[name] = [plain_value(change.choice.value) for change in changes]
    return tried
