"""UserCoverage: the share of the users who get a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, size
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure, divided

if TYPE_CHECKING:
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class UserCoverageOfRun(RunMeasure):
    """The share of the users who get a list.

    Formula: users with at least ``least`` items among the first k / users. The users are those that
    the evaluation averages.
    Nothing relevant: no special case.
    Ties: do not matter.
    Unjudged documents: count as all others.
    Elsewhere: Elliot's ``UserCoverage`` is the number of users, ``norm="count"``; RecTools
    ``CoveredUsers``.
    Source: Ge, Delgado-Battenfeld and Jannach, Beyond accuracy, RecSys 2010.
    """

    k: int | None = cutoff()
    least: int | None = size("how many items a user needs, at least; None for 1")
    norm: str = choice("whether it is a share, or the number of users", "users", "count")

    name = "UserCoverage"
    full_name = "coverage of users"
    aliases: Aliases = {"CoveredUsers": {}, "user_coverage": {}}
    formula = "users with a list / users"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return (0.0, 1.0) if self.norm == "users" else (0.0, np.inf)

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:  # noqa: ARG002
        has = (lists.sizes >= (self.least or 1)).astype(np.float64)
        covered, users = float(np.count_nonzero(has)), float(len(lists))
        if self.norm == "count":
            return LeftOut(covered, covered - has)
        value = covered / users if users else np.nan
        return LeftOut(value, divided(covered - has, users - 1))

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:  # noqa: ARG002
        return [] if facts.has_labels else ["without judgments, the users are those with a list"]


UserCoverage: Final = UserCoverageOfRun()
