"""Candidates: some choices at once, and the values under them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, NamedTuple

from rankmark.array_types import Bools
from rankmark.conventions import Conventions
from rankmark.errors import InputError, MeasureError
from rankmark.measures import Measure, Success
from rankmark.verbs.reconcile.alternatives import Choice, Convention, Situation, conventions_for
from rankmark.verbs.reconcile.rankings import Order, Ranking, Rankings, Scores

_KEPT = 256  # scores of queries; most candidates differ only in how they are averaged


class Change(NamedTuple):
    """A choice of a convention that differs from the start."""

    convention: Convention
    choice: Choice


Changes = tuple[Change, ...]
State = tuple[tuple["Measure", ...], bytes, tuple[tuple[str, Any], ...]]


@dataclass(frozen=True, slots=True)
class Start:
    """The measures and conventions from which changes are counted.

    Parameters
    ----------
    measures
        As they were asked for.
    conventions
        Those of ``evaluate``, or as the caller knows them.
    known
        The names of the conventions that the caller knows, which are not changed.
    """

    measures: tuple[Measure, ...]
    conventions: Conventions
    known: frozenset[str] = frozenset()

    @property
    def kept(self) -> dict[str, Any]:
        """The conventions that the caller knows."""
        return {name: getattr(self.conventions, name) for name in self.known}

    def ranking(self, rankings: Rankings, changes: Iterable[Change]) -> Ranking | None:
        """Return the ranking of a candidate; None if the run does not allow it."""
        order: Order = next((choice.value for c, choice in changes if c.name == "order"), "")
        return rankings.under(self.documents(changes), order)

    def state(self, rankings: Rankings, changes: Changes) -> State | None:
        """Return what decides the numbers of a candidate; None if the run does not allow it."""
        ranking = self.ranking(rankings, changes)
        if ranking is None:
            return None
        return self.changed(changes), ranking.key, tuple(sorted(self.average(changes).items()))

    def average(self, changes: Iterable[Change]) -> dict[str, Any]:
        """Return how queries are averaged: the choices by convention."""
        queries = self.conventions.queries
        average: dict[str, Any] = {
            "queries": queries if isinstance(queries, str) else "listed",
            "no_relevant": self.conventions.no_relevant,
        }
        for convention, choice in changes:
            if convention.part == "average":
                average[convention.name] = choice.value
        return average

    def documents(self, changes: Iterable[Change]) -> Conventions:
        """Return the conventions for documents."""
        chosen = {
            c.name: choice.value
            for c, choice in changes
            if c.part == "ranking" and c.name != "order"
        }
        return replace(self.conventions, **chosen) if chosen else self.conventions

    def changed(self, changes: Iterable[Change]) -> tuple[Measure, ...]:
        """Return the measures, with the changes that apply to each."""
        found = self.measures
        for convention, choice in changes:
            if convention.part == "measure":
                found = tuple(_applied(m, convention.name, choice.value) or m for m in found)
        return found

    def differs(self, convention: Convention, choice: Choice) -> bool:
        """Return whether a choice changes anything."""
        change = Change(convention, choice)
        if convention.part == "measure":
            return self.changed((change,)) != self.measures
        if convention.name in self.known:
            return False
        if convention.part == "ranking" and convention.name != "order":
            return self.documents((change,)) != self.conventions
        if convention.part == "average":
            of_run = any(measure.depends_on == "run" for measure in self.measures)
            if of_run or choice.value == self.average(()).get(convention.name):
                return False
            counts = all(measure.aggregate == "sum" for measure in self.measures)
            of_hits = all(measure.name in {"P", "R"} for measure in self.measures)
            by = {"divisor": not counts, "aggregate": not counts, "pooled": of_hits}
            return by.get(convention.name, True)
        return True


def _applied(measure: Measure, name: str, value: Any) -> Measure | None:
    """Return the measure with another parameter; None if it has none, or not with this value."""
    if name == "formula":
        recall = measure.name == "R" and measure.k is not None  # type: ignore[attr-defined]
        return Success(k=measure.k, rel=measure.rel) if recall else None  # type: ignore[attr-defined]
    if name not in measure.parameters:
        return None
    try:
        return measure.with_parameters(**{name: value})
    except MeasureError:
        return None


class Candidates:
    """All candidates for one start, and the scores of queries under each."""

    def __init__(
        self, start: Start, situation: Situation, rankings: Rankings, subset: Bools | None
    ) -> None:
        self.start = start
        self.rankings = rankings
        self.changes: dict[Convention, tuple[Change, ...]] = {}
        self.without_effect: list[Change] = []
        for convention in conventions_for(start.measures):
            changes = [
                Change(convention, choice)
                for choice in convention.choices_in(situation)
                if start.differs(convention, choice)
            ]
            if convention.part == "ranking":
                changes = [change for change in changes if self._has_effect(change)]
            if changes:
                self.changes[convention] = tuple(changes)
        self._place = {
            change: at
            for at, change in enumerate(c for several in self.changes.values() for c in several)
        }
        self._subset = subset
        self._scores: OrderedDict[tuple[bytes, Measure], Scores] = OrderedDict()
        self._slow: dict[tuple[bytes, Measure], bool] = {}

    def _has_effect(self, change: Change) -> bool:
        """Return whether a change moves any judged document; those that do not are set aside."""
        found, start = self.ranking((change,)), self.ranking(())
        if found is None or start is None:
            return False
        if found.key == start.key:
            self.without_effect.append(change)
        return found.key != start.key

    def of(self, number: int) -> Iterator[Changes]:
        """Yield all candidates with a number of changes, those of the same scores together."""
        scored = [c for c in self.changes if c.part in {"ranking", "measure"}]
        scored.sort(key=lambda convention: convention.part != "ranking")
        others = [c for c in self.changes if c.part in {"average", "number"}]
        for count in range(number + 1):
            for outer in self._products(scored, count):
                for inner in self._products(others, number - count):
                    yield outer + inner

    def _products(self, conventions: Sequence[Convention], number: int) -> Iterator[Changes]:
        for chosen in combinations(conventions, number):
            yield from product(*(self.changes[convention] for convention in chosen))

    def order(self, changes: Changes) -> tuple[int, ...]:
        """Return a key that sorts: fewest changes first, then by their places in the table."""
        places = sorted(self._place.get(change, len(self._place)) for change in changes)
        return len(changes), *places

    def ranking(self, changes: Changes) -> Ranking | None:
        """Return the ranking of a candidate; None if the run does not allow it."""
        return self.start.ranking(self.rankings, changes)

    def scores(self, changes: Changes) -> tuple[Scores, ...] | None:
        """Return the scores of each measure; None if they cannot be computed."""
        ranking = self.ranking(changes)
        if ranking is None:
            return None
        try:
            measures = self.start.changed(changes)
            if changes and any(self._is_slow(ranking, measure) for measure in measures):
                return None
            return tuple(self._of(ranking, measure) for measure in measures)
        except (InputError, MeasureError):  # labels without a gain, say
            return None

    def values(self, changes: Changes) -> tuple[float, ...] | None:
        """Return the number of each measure; None if they cannot be computed."""
        scores = self.scores(changes)
        if scores is None:
            return None
        average: Mapping[str, Any] = self.start.average(changes)
        return tuple(of_measure.value(average) for of_measure in scores)

    def _is_slow(self, ranking: Ranking, measure: Measure) -> bool:
        key = ranking.key, measure
        if key not in self._slow:
            self._slow[key] = ranking.is_slow(measure)
        return self._slow[key]

    def _of(self, ranking: Ranking, measure: Measure) -> Scores:
        key = ranking.key, measure
        if key in self._scores:
            self._scores.move_to_end(key)
            return self._scores[key]
        found = self._scores[key] = Scores(ranking, measure, self._subset)
        if len(self._scores) > _KEPT:
            self._scores.popitem(last=False)
        return found
