"""What other tools compute on the same judgments and run, by their profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import Conventions
from rankmark.errors import InputError, MeasureError
from rankmark.profiles.known import profiles
from rankmark.profiles.requests import meanings
from rankmark.reconciliation.averages import Scores
from rankmark.reconciliation.targets import Means, PerQuery

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.reconciliation.rankings import Rankings


class Meant(NamedTuple):
    """What a tool computes under the name of a measure.

    Parameters
    ----------
    measure
        The measure here with the tool's parameters.
    conventions
        The tool's conventions for it.
    """

    measure: Measure
    conventions: Conventions

    @property
    def average(self) -> dict[str, Any]:
        """How queries are averaged."""
        queries = self.conventions.queries
        listed = queries if isinstance(queries, str) else "listed"
        return {"queries": listed, "no_relevant": self.conventions.no_relevant}

    def scores(self, rankings: Rankings) -> Scores | None:
        """Score each query; None if the run or the labels do not allow it."""
        ranking = rankings.under(self.conventions)
        chosen = None
        if not isinstance(self.conventions.queries, str):
            ids = set(self.conventions.queries)
            chosen = np.array([query in ids for query in rankings.qrels.query_ids])
        try:
            return None if ranking is None else Scores(ranking, self.measure, chosen)
        except MeasureError:
            return None


def meant_by(profile: Profile, measure: Measure, known: Mapping[str, Any]) -> Meant:
    """Return what a tool computes under the name of a measure.

    Parameters
    ----------
    known
        Conventions that the caller knows, instead of the tool's.

    Raises
    ------
    MeasureError
        If it has no such measure, or several.
    """
    found = [one for several in meanings(profile, str(measure)).values() for one in several]
    if len(found) != 1:
        raise MeasureError(f"{measure} is {len(found)} measures in {profile.tool}", "name one")
    conventions = {**profile.conventions_of(found[0]), **known}
    return Meant(found[0], Conventions(**conventions))


class ToolNumbers(NamedTuple):
    """A tool that gives some numbers, and the values of the measures.

    Parameters
    ----------
    profile
        Of the tool.
    meant
        What each measure is there.
    values
        The means.
    averaged
        For each measure, the bytes of the scores that are averaged.
    """

    profile: Profile
    meant: tuple[Meant, ...]
    values: tuple[float, ...]
    averaged: tuple[bytes, ...]


class ToolsTried(NamedTuple):
    """The tools that give some numbers.

    Parameters
    ----------
    found
        These tools.
    tried
        How many tools have the measures.
    distinct
        How many different numbers they print.
    """

    found: tuple[ToolNumbers, ...]
    tried: int
    distinct: int


def tools_that_give(
    target: Means | PerQuery,
    rankings: Rankings,
    measures: Sequence[Measure],
    known: Mapping[str, Any],
) -> ToolsTried:
    """Find the tools that give the numbers on these judgments and this run."""
    found: list[ToolNumbers] = []
    printed: list[tuple[float, ...]] = []
    for profile in profiles():
        try:
            meant = tuple(meant_by(profile, measure, known) for measure in measures)
        except (MeasureError, InputError):
            continue
        # Measures with parameters mean themselves, also those that a tool does not have.
        if not all(any(row.gives(one.measure) for row in profile.measures) for one in meant):
            continue
        scores = [one.scores(rankings) for one in meant]
        pairs = [(s, one) for s, one in zip(scores, meant, strict=True) if s is not None]
        if len(pairs) < len(meant):
            continue
        values = tuple(s.value(one.average) for s, one in pairs)
        decimals = zip(values, target.decimals, strict=True)
        printed.append(tuple(round(value, number) for value, number in decimals))
        if isinstance(target, Means):
            numbers = zip(target.numbers, values, strict=True)
            agrees = all(bool(number.agrees(value)) for number, value in numbers)
        else:
            columns = [s.by_query(one.conventions.no_relevant) for s, one in pairs]
            table = np.nan_to_num(np.stack(columns, axis=1)[target.rows])
            agrees = not len(target.differing(table, ()))
        if agrees:
            averaged = tuple(s.averaged(one.average).tobytes() for s, one in pairs)
            found.append(ToolNumbers(profile, meant, values, averaged))
    return ToolsTried(tuple(found), len(printed), len(set(printed)))
