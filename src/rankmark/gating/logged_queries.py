"""Logged queries that two systems answered, and which of those that changed are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedQueries:
    """How many logged queries changed, and which of them were judged, and are to be judged.

    Parameters
    ----------
    logged
        Queries in one of the runs.
    changed
        Those whose first ``k`` documents are not the same in the same order in both runs; a query
        in only one run changed.
    k
        The last rank that the measures look at.
    judged
        The beginning of the changed queries, in a random order, all of which have judgments.
    passed_over
        How many other changed queries have judgments, which are not used: they were chosen for
        other reasons than by chance.
    to_judge
        The other changed queries without judgments, in the order in which they have to be judged.
    seed
        Of the order.
    """

    logged: int
    changed: int
    k: int
    judged: tuple[str, ...]
    passed_over: int
    to_judge: tuple[str, ...]
    seed: int

    @property
    def share(self) -> float:
        """The share of queries that changed."""
        return self.changed / self.logged if self.logged else 0.0

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return everything for JSON, with so many of the queries to judge."""
        return {
            "logged": self.logged,
            "changed": self.changed,
            "k": self.k,
            "judged": len(self.judged),
            "judged_queries": list(self.judged),
            "passed_over": self.passed_over,
            "left_to_judge": len(self.to_judge),
            "to_judge": list(self.to_judge[:most]),
            "seed": self.seed,
        }
