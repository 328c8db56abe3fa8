"""The lines below a leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import few, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.verbs.leaderboard.standing import Standing

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
    """Say how many pairs are separated, how the numbers were found, and what is missing."""
    level = 1.0 - chosen["confidence"]
    by = "the mean score" if chosen["by"] == "mean" else "Borda points"
    lines = [
        f"separated (significantly different): {_of(counts['separated'], counts['pairs'])}, and "
        f"{counts['separated_neighbours']:,} of {counts['neighbours']:,} with neighbouring ranks; "
        f"{_number(counts['tiers'], 'tier')}, with no separated pair within a tier",
        f"ranked by {by} over {_number(counts['tasks'], 'task')}; rank interval: the ranks that "
        "the separated pairs allow, with "
        f"{_percent(chosen['confidence'])} confidence for all models together",
        _tests(chosen["over"], level),
        f"first, rank in draws: from {chosen['resamples']:,} draws of {_DRAWN[chosen['over']]}, "
        f"seed {chosen['seed']}; they show how the ranking would move, but have no confidence "
        "level",
    ]
    if chosen["lower_is_better"]:
        lines.append(f"lower is better: {listed(chosen['lower_is_better'])}")
    smallest = 2.0 ** (1 - counts["tasks"])
    if chosen["over"] != "queries" and smallest > level:
        lines.append(
            f"{counts['tasks']:,} tasks are too few to separate any two models at "
            f"{_percent(level)}: the smallest p that they can give is {smallest:.3g}"
        )
    return [*lines, *_missing(unranked, dropped)]


def _tests(over: str, level: float) -> str:
    if over == "queries":
        way = "max-T test over all pairs, by draws of queries"
    else:
        way = "max-T test over all pairs, by random signs of the tasks"
    interval = {
        "tasks": "Student's t over tasks",
        "queries": "normal, from the variance of the queries within tasks",
        "both": "Student's t over tasks, with the variance of their queries added, so that it is "
        "too wide",
    }[over]
    return (
        f"pairs: {way}, with a probability of at most {_percent(level)} that any is separated "
        f"wrongly; interval of the mean: {interval}"
    )


def _missing(unranked: Sequence[Standing], dropped: Mapping[str, int]) -> list[str]:
    lines = []
    if unranked:
        names = [f"{one.model} ({len(one.missing):,})" for one in unranked]
        lines.append(
            f"not ranked: {_number(len(names), 'model')} without scores of all tasks (number of "
            f"missing ones): {few(names)}"
        )
    if dropped:
        names = [f"{task} ({_number(count, 'model')})" for task, count in dropped.items()]
        lines.append(
            f"not counted: {_number(len(names), 'task')} without scores of all models (number of "
            f"missing ones): {few(names)}"
        )
    return lines


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _of(some: int, of: int) -> str:
    return f"{some:,} of {_number(of, 'pair')}"


def _percent(share: float) -> str:
    return f"{100.0 * share:.6g}%"
