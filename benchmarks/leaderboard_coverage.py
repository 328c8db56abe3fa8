"""`python benchmarks/leaderboard_coverage.py`: how often the intervals of a leaderboard hold.

Benchmarks of a few tasks are drawn from a population of tasks, in which the models have true means
and ranks. The populations are made, or, with --scores, the tasks of a wide table of real scores,
whose models have the ranks of its means.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rankmark as rm

MODELS = 20
Draw = Callable[[np.random.Generator, int], np.ndarray[Any, Any]]
"""(tasks, models) scores, or (tasks, queries, models)."""


def made(spacing: float, noise: str) -> tuple[np.ndarray[Any, Any], Draw]:
    """Return true means with a spacing, and how tasks are drawn around them."""
    means = 0.6 - spacing * np.arange(MODELS)

    def draw(random: np.random.Generator, tasks: int) -> np.ndarray[Any, Any]:
        difficulty = random.normal(0.0, 0.15, (tasks, 1))
        if noise == "normal":
            own = random.normal(0.0, 0.03, (tasks, MODELS))
        else:  # most tasks are alike, and in a few some models fail
            own = 0.03 * (1.0 - random.exponential(1.0, (tasks, MODELS)))
        return means + difficulty + own

    return means, draw


def real(path: str, models: slice) -> tuple[np.ndarray[Any, Any], Draw]:
    """Return the true means of models and how tasks are drawn, from a wide table of scores."""
    board = rm.leaderboard(path, resamples=100)
    scores = board.scores[:, models]
    return scores.mean(axis=0), lambda random, tasks: scores[
        random.integers(len(scores), size=tasks)
    ]


def of_queries(spacing: float, queries: int) -> tuple[np.ndarray[Any, Any], Draw]:
    """Return true means over tasks that stay, and how queries of each task are drawn."""

    def draw_queries(random: np.random.Generator, tasks: int) -> np.ndarray[Any, Any]:
        own = np.random.default_rng(tasks).normal(0.0, 0.1, (tasks, 1, MODELS))
        centre = 0.6 - spacing * np.arange(MODELS) + own - own.mean(axis=0)
        easy = random.normal(0.0, 0.2, (tasks, queries, 1))
        found: np.ndarray[Any, Any] = (
            centre + easy + random.normal(0.0, 0.2, (tasks, queries, MODELS))
        )
        return found

    return 0.6 - spacing * np.arange(MODELS), draw_queries


def table_of(scores: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return {model: {task: score}}, or {model: {task: {query: score}}}."""

    def inner(of_task: Any) -> Any:
        if of_task.ndim == 0:
            return float(of_task)
        return {f"q{at}": value for at, value in enumerate(of_task.tolist())}

    return {
        f"m{model}": {f"t{task}": inner(of_task[..., model]) for task, of_task in enumerate(scores)}
        for model in range(scores.shape[-1])
    }


def held(means: np.ndarray[Any, Any], draw: Draw, tasks: int, times: int) -> list[float]:
    """Return the shares of what holds, and the mean widths."""
    above = (means[:, None] > means + 1e-12).sum(axis=0)
    below = (means[:, None] < means - 1e-12).sum(axis=0)
    names = [f"m{at}" for at in range(len(means))]
    rows = []
    for seed in range(times):
        scores = draw(np.random.default_rng([seed, tasks]), tasks)
        over: Any = "tasks" if scores.ndim == 2 else "queries"
        board = rm.leaderboard(table_of(scores), over=over, resamples=1000, seed=seed, threads=1)
        of_model = [board[name] for name in names]

        def inside(low: str, high: str, of_model: list[Any] = of_model) -> np.ndarray[Any, Any]:
            lows, highs = (np.array([getattr(one, end) for one in of_model]) for end in (low, high))
            found: np.ndarray[Any, Any] = (lows <= above + 1) & (highs >= len(means) - below)
            return found

        together, draws = inside("rank_low", "rank_high"), inside("draw_low", "draw_high")
        interval = [one.low <= mean <= one.high for one, mean in zip(of_model, means, strict=True)]
        of = dict(zip(names, means.tolist(), strict=True))
        wrong = any(
            one.separated and of[one.better] <= of[one.worse] + 1e-12 for one in board.pair_list()
        )
        ends: list[Any] = of_model
        width = np.mean([one.rank_high - one.rank_low for one in ends])
        in_draws = np.mean([one.draw_high - one.draw_low for one in ends])
        rows.append(
            [wrong, together.all(), width, draws.mean(), draws.all(), in_draws, np.mean(interval)]
        )
    shares: list[float] = np.mean(rows, axis=0).tolist()
    return shares


def populations(scores: str | None) -> Iterator[tuple[str, np.ndarray[Any, Any], Draw]]:
    """Yield what is simulated."""
    for noise in ("normal", "skewed"):
        for spacing in (0.0, 0.005, 0.02):
            yield (f"{noise}, spacing {spacing:g}", *made(spacing, noise))
    for queries in (10, 50):
        for spacing in (0.0, 0.005):
            name = f"{queries} queries a task, spacing {spacing:g}"
            yield (name, *of_queries(spacing, queries))
    if scores is not None:
        yield ("real, the 20 best models", *real(scores, slice(20)))
        yield ("real, every ninth model", *real(scores, slice(None, None, 9)))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--tasks", type=int, nargs="+", default=[8, 15, 40])
    parser.add_argument("--only", default="", help="populations whose names contain this")
    parser.add_argument("--scores", help="a wide table, a row for each model")
    chosen = parser.parse_args()
    print(
        "| population | tasks | a pair wrong | all rank intervals hold | width | percentiles of "
        "draws hold | all of them | width | interval of a mean holds |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, means, draw in populations(chosen.scores):
        for tasks in chosen.tasks if chosen.only in name else ():
            wrong, together, width, draws, all_draws, of_draws, interval = held(
                means, draw, tasks, chosen.times
            )
            print(
                f"| {name} | {tasks} | {wrong:.3f} | {together:.3f} | {width:.1f} | {draws:.3f} | "
                f"{all_draws:.3f} | {of_draws:.1f} | {interval:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
