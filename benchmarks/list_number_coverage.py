"""`python benchmarks/list_number_coverage.py`: simulate intervals of numbers of all lists together.

Users have tastes in common with everybody, and of their own; two recommenders share most of them.
Prints Markdown: how often intervals at 95% hold the mean of other samples of as many users, by
leaving a user out at a time, and by drawing users with replacement; the worst setting first.
"""

import argparse
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from simulated.printed import command, table

from rankmark.data.preparing.list_facts import Lists
from rankmark.measures import HHI, Entropy, Gini, ItemCoverage, Personalization, UserCoverage
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure
from rankmark.scoring.run_values import Jackknifed, difference_of

MEASURES: tuple[Any, ...] = (UserCoverage, Personalization, HHI, Entropy, Gini, ItemCoverage)
K = 10
EVERYWHERE = (-np.inf, np.inf)


class Setting(NamedTuple):
    """Users, items, how steep the popularity of items is for two recommenders, shared taste."""

    users: int
    items: int
    first: float
    second: float
    shared: float


SETTINGS = (
    Setting(20, 100, 1.0, 1.2, 0.7),
    Setting(50, 500, 1.0, 1.3, 0.7),
    Setting(200, 500, 0.8, 1.0, 0.7),
    Setting(50, 2000, 0.5, 0.7, 0.5),
    Setting(500, 200, 1.2, 1.4, 0.8),
)


def drawn(setting: Setting, rng: np.random.Generator) -> list[Lists]:
    """Draw the lists of both recommenders; one user in twenty or so gets none."""
    users, items, *steep, shared = setting
    popular = -np.log(np.arange(1, items + 1))
    common = rng.gumbel(size=(users, items))
    has, found = rng.random(users) < 0.95, []
    for number, strength in enumerate(steep):
        own = rng.gumbel(size=(users, items))
        scores = strength * popular + shared * common + (1 - shared) * own
        best = np.argpartition(-scores, K - 1, axis=1)[:, :K]
        answered = has & (rng.random(users) < 0.97) if number else has
        found.append(listed(best[answered].ravel(), np.where(answered, K, 0)))
    return found


def listed(items: np.ndarray, sizes: np.ndarray) -> Lists:
    """Return lists of these sizes."""
    starts = np.append(0, np.cumsum(sizes))
    rank = np.arange(len(items)) - np.repeat(starts[:-1], sizes) + 1
    return Lists(starts, items, rank, np.arange(len(sizes)), np.arange(len(items)))


def redrawn(lists: Lists, at: np.ndarray) -> Lists:
    """Return the lists of users that were drawn with replacement."""
    sizes = np.diff(lists.starts)[at]
    ends = np.cumsum(sizes)
    rows = np.arange(ends[-1]) + np.repeat(lists.starts[at] - ends + sizes, sizes)
    return listed(lists.items[rows], sizes)


def shares(
    setting: Setting, measure: RunMeasure, draws: int, drawn_twice: int, resamples: int
) -> Iterator[float]:
    """Yield how often intervals hold: of one run, of the difference, and of it by the bootstrap."""
    rng = np.random.default_rng(7)
    facts: Any = SimpleNamespace(catalogue=setting.items, n_items=setting.items)
    samples = [drawn(setting, rng) for _ in range(draws)]
    found: list[list[LeftOut]] = [[measure.over(one, facts) for one in pair] for pair in samples]
    ones = [Jackknifed.of(*first) for first, _ in found]
    pairs = [difference_of(first, second) for first, second in found]
    for some in (ones, pairs):
        truth = np.mean([one.value for one in some])
        ends = np.array([one.ends(0.95, EVERYWHERE) for one in some])
        yield float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    held = []
    for pair in samples[:drawn_twice]:
        values = []
        for _ in range(resamples):
            at = rng.integers(0, setting.users, setting.users)
            first, second = (measure.over(redrawn(one, at), facts).value for one in pair)
            values.append(second - first)
        low, high = np.quantile(values, [0.025, 0.975])
        held.append(low <= truth <= high)
    yield float(np.mean(held))


def main(argv: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400, help="samples of users")
    parser.add_argument("--drawn-twice", type=int, default=60, help="of these, with a bootstrap")
    parser.add_argument("--resamples", type=int, default=200)
    chosen = parser.parse_args(argv)
    print(command("list_number_coverage.py", argv))
    rows = []
    for measure in MEASURES:
        each = [[*shares(one, measure @ K, **vars(chosen))] for one in SETTINGS]
        rows.append(
            [measure.name]
            + [f"{100 * min(of):.0f} to {100 * max(of):.0f}" for of in zip(*each, strict=True)]
        )
    head = ["measure", "one run", "difference", "difference, bootstrap"]
    table("How often intervals at 95% hold, in percent", head, rows)


if __name__ == "__main__":
    main()
