"""`python benchmarks/leaderboard_intervals.py`: simulate intervals of tau between leaderboards.

Systems have true means by human labels and LLM labels, and queries add to both. Each
simulation draws queries, and then draws from these, as `rm.compare_judgments` does with runs. It
counts how often intervals hold two values: tau of as many queries on average, and tau of unlimited
ones. Prints Markdown.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankmark.judges.agreement.system_evidence import (
    Draws,
    drawn_intervals,
    drawn_means,
    paired_rankings,
)
from rankmark.similarity import TAU

AVERAGE_OF = 2000  # sets of queries
UNLIMITED = 20_000  # queries


class Setting(NamedTuple):
    """How many systems and queries, and how far the systems and the judges are apart."""

    systems: int
    queries: int
    spread: float
    judge: float
    kind: str = "normal"


SETTINGS = (
    Setting(8, 25, 0.03, 0.01),
    Setting(20, 50, 0.03, 0.01),
    Setting(20, 50, 0.03, 0.03),
    Setting(40, 25, 0.03, 0.01),
    Setting(20, 200, 0.05, 0.02),
    Setting(20, 50, 0.1, 0.0),
    Setting(6, 50, 0.03, 0.01),
    Setting(20, 22, 0.05, 0.02, "clusters"),
    Setting(20, 50, 0.05, 0.02, "tail"),
    Setting(40, 100, 0.05, 0.0, "clusters"),
    Setting(20, 50, 0.005, 0.03),
)


class Population:
    """Systems, and queries to draw."""

    def __init__(self, setting: Setting, rng: np.random.Generator) -> None:
        n = setting.systems
        if setting.kind == "clusters":
            own = np.repeat(rng.normal(0, setting.spread, (n + 3) // 4), 4)[:n]
            own += rng.normal(0, setting.spread / 10, n)
        elif setting.kind == "tail":
            own = -rng.exponential(setting.spread, n)
        else:
            own = rng.normal(0, setting.spread, n)
        self.own, self.rng = own, rng
        self.judge = rng.normal(0, setting.judge, n)
        self.noise = 0.06 + 0.08 * rng.random(n)

    def draw(self, queries: int) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores by people and by the model: (queries, systems) each."""
        rng, shape = self.rng, (queries, len(self.own))
        base = 0.5 + rng.normal(0, 0.15, (queries, 1)) + self.own
        noise = rng.normal(0, 1, shape) * self.noise
        model = base + self.judge + 0.7 * noise + rng.normal(0, 0.07, shape)
        return np.clip(base + noise, 0, 1), np.clip(model, 0, 1)


def tau(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return tau of each pair of leaderboards: (B, systems) each to (B, 1)."""
    return TAU.of(paired_rankings(a, b))[:, None]


def held(
    setting: Setting, simulations: int, resamples: int
) -> tuple[list[float], list[list[float]]]:
    """Return both true values, and how often percentiles and the interval shown hold each."""
    population = Population(setting, np.random.default_rng(0))
    sets = [population.draw(setting.queries) for _ in range(AVERAGE_OF)]
    means = [np.array([one[side].mean(0) for one in sets]) for side in (0, 1)]
    average = float(tau(*means).mean())
    whole = population.draw(UNLIMITED)
    unlimited = float(tau(*(side.mean(0)[None] for side in whole))[0, 0])
    counts = np.zeros((2, 2))
    for number in range(simulations):
        scores = population.draw(setting.queries)
        estimate = float(tau(*(side.mean(0)[None] for side in scores))[0, 0])
        draws = Draws(0.95, resamples, number)
        shown = drawn_intervals([estimate], tau, scores, ["tau"], draws)["tau"]
        drawn = np.concatenate([tau(*both) for both in drawn_means(*scores, resamples, number)])
        ends = np.quantile(drawn, [0.025, 0.975]), (shown.low, shown.high)
        for way, (low, high) in enumerate(ends):
            for at, value in enumerate((average, unlimited)):
                counts[way, at] += low - 1e-9 <= value <= high + 1e-9
    return [average, unlimited], (counts / simulations).tolist()


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate each setting, and print how often intervals hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=300)
    options = parser.parse_args(argv)
    print(f"{options.simulations} simulations of {options.resamples} draws, intervals of 95%.\n")
    head = ["systems", "queries", "spread", "judge", "kind", "tau of as many", "tau of unlimited"]
    head += ["percentiles, as many", "percentiles, unlimited", "shown, as many", "shown, unlimited"]
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for setting in SETTINGS:
        values, shares = held(setting, options.simulations, options.resamples)
        cells = [*map(str, setting), *(f"{value:.2f}" for value in values)]
        cells += [f"{share:.0%}" for of_way in shares for share in of_way]
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
