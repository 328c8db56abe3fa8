"""The lines below a leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.leaderboards.standing import Standing

_DRAWN = {
    "tasks": "tasks",
    "queries": "queries of each task, the tasks staying as they are",
    "both": "tasks, and queries of each task drawn",
}


def notes_of(
    counts: Mapping[str, int],
    chosen: Mapping[str, Any],
    unranked: Sequence[Standing],
    dropped: Mapping[str, int],
) -> list[str]:
    """Say how many pairs are told apart, how the numbers were found, and what is missing."""
    level = 1.0 - chosen["confidence"]
    by = "the mean score" if chosen["by"] == "mean" else "Borda points"
    lines = [
        f"told apart: {counts['separated']:,} of {counts['pairs']:,} pairs, and "
        f"{counts['separated_neighbours']:,} of {counts['neighbours']:,} neighbours in the order; "
        f"{counts['tiers']:,} tiers, in none of which two models are told apart",
        f"ranked by {by} over {counts['tasks']:,} tasks; rank interval: the ranks that the pairs "
        f"told apart leave, all together at {_percent(chosen['confidence'])} confidence",
        _tests(chosen["over"], level),
        f"first, and rank in draws: of {chosen['resamples']:,} draws of {_DRAWN[chosen['over']]}, "
        f"seed {chosen['seed']}; they show how the ranking would move, and are no confidence",
    ]
    if chosen["lower_is_better"]:
        lines.append(f"lower is better: {listed(chosen['lower_is_better'])}")
    smallest = 2.0 ** (1 - counts["tasks"])
    if chosen["over"] != "queries" and smallest > level:
        lines.append(
            f"{counts['tasks']:,} tasks cannot tell any two models apart at {_percent(level)}: the "
            f"smallest p that they can give is {smallest:.3g}"
        )
    return [*lines, *_missing(unranked, dropped)]


def _tests(over: str, level: float) -> str:
    if over == "queries":
        way = "the largest t of all pairs in the draws"
    else:
        way = "max-T over all pairs, random signs of the tasks"
    interval = {
        "tasks": "t over tasks",
        "queries": "normal, of the queries' spread within tasks",
        "both": "t over tasks, with the spread of their queries added, which is too wide",
    }[over]
    return f"pairs: {way}, any wrong at {_percent(level)}; interval of the mean: {interval}"


def _missing(unranked: Sequence[Standing], dropped: Mapping[str, int]) -> list[str]:
    lines = []
    if unranked:
        names = [f"{one.model} ({len(one.missing):,})" for one in unranked]
        noun = "model lacks" if len(names) == 1 else "models lack"
        lines.append(f"not ranked: {len(names):,} {noun} tasks (how many): {_few(names)}")
    if dropped:
        names = [
            f"{task} ({count:,} {'model' if count == 1 else 'models'})"
            for task, count in dropped.items()
        ]
        noun = "task" if len(names) == 1 else "tasks"
        lines.append(f"not counted: {len(names):,} {noun} that some models lack: {_few(names)}")
    return lines


def _few(names: list[str], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def _percent(share: float) -> str:
    return f"{100.0 * share:.6g}%"
