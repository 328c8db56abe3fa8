"""A model on a leaderboard, and a pair of models."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from rankmark.results.result import json_number


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a model stands.

    Parameters
    ----------
    model
        Its name.
    rank
        From 1; models that are equal share a rank. None for a model without a score of some task,
        which then has no number but ``tasks``.
    mean, low, high
        The mean over tasks, and its interval for other tasks or queries. Whether two models differ
        cannot be read off two such intervals.
    borda
        In each task a point for each model that it beats, and half a point for each that it equals.
    mean_rank
        The mean over tasks of the rank in the task, of which models that are equal have the
        average.
    rank_low, rank_high
        The best and the worst rank that the separated pairs leave; all true ranks are within with
        the confidence.
    first
        The share of draws in which it is first; models that are first together divide a draw.
    draw_low, draw_high
        Percentiles of its rank in the draws. They show how a ranking would move; the true rank is
        outside more often than the confidence says.
    tier
        From 1; no two models of a tier are separated.
    tasks, missing
        How many of the tasks it has a score of, and the others.
    """

    model: str
    rank: int | None
    mean: float
    low: float
    high: float
    borda: float
    mean_rank: float
    rank_low: int | None
    rank_high: int | None
    first: float
    draw_low: int | None
    draw_high: int | None
    tier: int | None
    tasks: int
    missing: tuple[str, ...]

    @classmethod
    def without_rank(cls, model: str, missing: tuple[str, ...], tasks: int) -> Standing:
        """Return a model that cannot be ranked."""
        nothing = dict.fromkeys(("mean", "low", "high", "borda", "mean_rank", "first"), math.nan)
        no_rank = dict.fromkeys(("rank", "rank_low", "rank_high", "draw_low", "draw_high", "tier"))
        unknown: dict[str, Any] = {**nothing, **no_rank}
        return cls(model=model, tasks=tasks, missing=missing, **unknown)

    def to_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        found = {
            name: json_number(value) if isinstance(value, float) else value
            for name, value in asdict(self).items()
        }
        return found | {"missing": list(self.missing)}


class Pair(NamedTuple):
    """Two models, the better one first.

    Parameters
    ----------
    better, worse
        Their names, by what they are ranked by.
    difference
        Of their means, or of their Borda points by task.
    p
        The p-value, corrected for the number of pairs; NaN if they do not differ on any task.
    wins
        The share of draws in which the better one is above.
    separated
        Whether they differ significantly.
    """

    better: str
    worse: str
    difference: float
    p: float
    wins: float
    separated: bool
