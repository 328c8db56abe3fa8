"""What a search found, described: changes in words, calls, and how likely a coincidence is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import Conventions
from rankmark.reconciliation.alternatives import plain_value, words_of
from rankmark.reconciliation.targets import PerQuery
from rankmark.reconciliation.tool_differences import taken_over
from rankmark.reconciliation.tools import Meant
from rankmark.results.reconciliation import Answer, ChangedConvention, Coincidence

if TYPE_CHECKING:
    from rankmark.reconciliation.calls import Inputs
    from rankmark.reconciliation.candidates import Candidates, Change, Changes
    from rankmark.reconciliation.search import Found, Search
    from rankmark.reconciliation.tools import ToolNumbers, ToolsTried

_MOST_DESCRIBED = 100
_Sameness = tuple[tuple[bytes, ...], tuple[Any, ...]]


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
    """

    def __init__(self, search: Search, inputs: Inputs, subset: Sequence[str]) -> None:
        self._search = search
        self._candidates: Candidates = search.candidates
        self._inputs = inputs
        self._subset = list(subset)
        self._groups: dict[_Sameness, list[Found]] = {}
        """The candidates described last, those of one answer together."""

    def answers(self, several: Sequence[Found]) -> tuple[Answer, ...]:
        """Describe candidates; those with the same value for every query together."""
        self._groups = {}
        for found in several[:_MOST_DESCRIBED]:
            self._groups.setdefault(self._sameness(found.changes), []).append(found)
        return tuple(
            self._answer(first, tuple(_words(other.changes) for other in others))
            for first, *others in self._groups.values()
        )

    def with_tools(self, answers: tuple[Answer, ...], tools: ToolsTried) -> tuple[Answer, ...]:
        """Name the tools that give an answer for every query; others are answers of their own.

        These come before answers with several changes. If nothing needs to change, there are none.

        Parameters
        ----------
        answers
            Those described last.
        """
        named = tuple(
            replace(answer, tools=_tools_giving(averaged, then, tools.found))
            for answer, (averaged, then) in zip(answers, self._groups, strict=True)
        )
        if named and not named[0].changes:
            return named
        known = {name for answer in named for name in answer.tools}
        groups: dict[tuple[bytes, ...], list[ToolNumbers]] = {}
        for tool in tools.found:
            if tool.profile.name not in known:
                groups.setdefault(tool.averaged, []).append(tool)
        own = tuple(self._of_tools(group, tools) for group in groups.values())
        few = sum(len(answer.changes) <= 1 for answer in named)
        return (*named[:few], *own, *named[few:])

    def _of_tools(self, group: Sequence[ToolNumbers], tools: ToolsTried) -> Answer:
        """Describe tools that give the same for every query by the first of them."""
        first, *_ = group
        profile = first.profile
        start = self._candidates.start
        names = [str(measure) for measure in start.measures]
        known = {name: start.conventions.to_dict()[name] for name in sorted(start.known)}
        chosen = {"profile": profile.name, **known}
        steps = {
            words_of(taken.name, taken.theirs, measure): None
            for measure, meant in zip(start.measures, first.meant, strict=True)
            for taken in taken_over(Meant(measure, start.conventions), meant)
        }
        words = f"as {profile.tool} {profile.version}: {'; '.join(steps)}"
        possible = self.coincidence(1).possible
        probability = min(1.0, tools.distinct / possible)
        return Answer(
            changes=(ChangedConvention("tool", "profile", profile.name, words, ""),),
            values=dict(zip(names, first.values, strict=True)),
            measures=dict(zip(names, [str(one.measure) for one in first.meant], strict=True)),
            conventions=chosen,
            then=(),
            call=self._inputs.call(start.measures, chosen),
            command=self._inputs.command(start.measures, chosen),
            tools=tuple(tool.profile.name for tool in group),
            also=(),
            differing=(),
            distance=0.0,
            coincidence=Coincidence(
                1, tools.tried, tools.distinct, possible, probability, tools=True
            ),
        )

    def _sameness(self, changes: Changes) -> _Sameness:
        """Return the scores that are averaged, and what else is done with them.

        They are the same for candidates that differ in no query.
        """
        average = self._candidates.start.average(changes)
        scores = self._candidates.scores(changes) or ()
        others = tuple(
            (change.convention.name, change.choice.value)
            for change in changes
            if change.convention.part in {"average", "number"}
            and change.convention.name not in {"queries", "no_relevant", "rounded_queries"}
        )
        return tuple(of_measure.averaged(average).tobytes() for of_measure in scores), others

    def _answer(self, found: Found, also: tuple[str, ...]) -> Answer:
        start, changes = self._candidates.start, found.changes
        measures = start.changed(changes)
        conventions = self._conventions(changes)
        extra, then = self._then(changes)
        names = [str(measure) for measure in start.measures]
        return Answer(
            changes=tuple(map(described, changes)),
            values=dict(zip(names, found.outcome.values, strict=True)),
            measures=dict(zip(names, map(str, measures), strict=True)),
            conventions=conventions,
            then=then,
            call=self._inputs.call(measures, conventions),
            command=self._inputs.command(measures, conventions, extra),
            tools=(),
            also=also,
            differing=self._differing(changes),
            distance=found.outcome.distance,
            coincidence=self.coincidence(len(changes)),
        )

    def _conventions(self, changes: Changes) -> dict[str, Any]:
        """Return the keywords of ``evaluate`` that are not at their defaults."""
        start = self._candidates.start
        average = start.average(changes)
        chosen = start.documents(changes).to_dict() | {"no_relevant": average["no_relevant"]}
        if average["queries"] == "subset":
            chosen["queries"] = self._subset
        elif average["queries"] in {"judged", "both"}:
            chosen["queries"] = average["queries"]
        usual = Conventions().to_dict()
        return {name: value for name, value in chosen.items() if value != usual[name]}

    def _then(self, changes: Changes) -> tuple[list[str], tuple[str, ...]]:
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
                then.append(self._multiply(changes, value))
            elif name == "printing":
                cut = "cut off the decimals instead of rounding"
                then.append("multiply by 100" if value == "percent" else cut)
            elif not (name == "queries" and value != "positive"):
                then.append(f"average {change.choice.words}")
        return options, tuple(then)

    def _multiply(self, changes: Changes, divisor: int | str) -> str:
        average = self._candidates.start.average(changes)
        scores = (self._candidates.scores(changes) or ())[0]
        averaged = len(scores.rows(average))
        if divisor == "run":
            ranking = self._candidates.ranking(changes)
            facts = None if ranking is None else ranking.facts
            by = 0 if facts is None else int(np.count_nonzero(facts.answered)) + facts.run_only
        else:
            by = averaged + int(divisor)
        return f"multiply by {averaged}/{by}"

    def _differing(self, changes: Changes) -> tuple[str, ...]:
        target = self._search.target
        if not isinstance(target, PerQuery):
            return ()
        values = target.by_query(self._candidates, changes)
        if values is None:
            return ()
        queries = self._candidates.rankings.qrels.query_ids
        rows = target.rows[target.differing(values, changes)]
        return tuple(queries[row] for row in rows.tolist())

    def coincidence(self, changes: int) -> Coincidence:
        """Return how likely a coincidence is among candidates with at most as many changes."""
        # One change shows which numbers are possible; after subsets were tried, all count.
        tried = next(
            (one for one in self._search.tried if one.changes >= max(changes, 1)),
            self._search.tried[-1],
        )
        if self._search.subsets:
            tried = self._search.tried[-1]
        if changes == 0:
            return Coincidence(0, 1, 1, tried.possible, min(1.0, 1 / tried.possible))
        return Coincidence(
            tried.changes, tried.candidates, tried.distinct, tried.possible, tried.chance
        )


def _tools_giving(
    averaged: tuple[bytes, ...], then: tuple[Any, ...], tools: Sequence[ToolNumbers]
) -> tuple[str, ...]:
    return tuple(tool.profile.name for tool in tools if not then and tool.averaged == averaged)


def described(change: Change) -> ChangedConvention:
    """Describe one change."""
    convention, choice = change
    value = plain_value(choice.value)
    return ChangedConvention(convention.part, convention.name, value, choice.words, choice.who)


def _words(changes: Iterable[Change]) -> str:
    return "; ".join(str(described(change)) for change in changes)


def tried_values(candidates: Candidates) -> dict[str, list[Any]]:
    """Return the values that were tried, by convention."""
    names = Conventions().to_dict()
    tried: dict[str, list[Any]] = {}
    for convention, changes in candidates.changes.items():
        doubled = convention.part == "measure" and convention.name in names
        name = f"{convention.name} of the measure" if doubled else convention.name
        tried[name] = [plain_value(change.choice.value) for change in changes]
    return tried
