"""`python benchmarks/trial_errors.py`: how often systems of several trials differ by chance alone.

Both systems have the same mean, but answer each query differently, and each trial differently
again; means over trials are tested by query, as `rankmark.compare` does. Prints Markdown: the share
of simulations in which a difference is significant at 5%, the worst cells first, by the
randomisation test (the default), by t, and by t over the rows of all trials, as if they were
queries, which is wrong.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy.stats import ttest_1samp
from simulated.printed import command, table

from rankmark.statistics import randomisation_tests

LEVEL, CHUNK = 0.05, 100  # simulations with the same signs
TRIALS, QUERIES = (2, 3, 5), (20, 50, 200)
Shape = tuple[int, int, int]  # queries, trials, simulations
Draw = Callable[[np.random.Generator, Shape], np.ndarray]


def normal(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Return scores of normal effects: of the system on the query, and of the trial."""
    queries, _, runs = shape
    return rng.normal(0.0, 0.1, (queries, 1, runs)) + rng.normal(0.0, 0.12, shape)


def passed(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Return 0 or 1: each query is passed with a chance of its own, often near 0 or 1."""
    queries, _, runs = shape
    return (rng.random(shape) < rng.beta(0.6, 0.4, (queries, 1, runs))).astype(float)


def failing(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Return scores near those of the query, but 0 in a tenth of the trials, which crash."""
    queries, _, runs = shape
    score = rng.beta(4.0, 2.0, (queries, 1, runs)) + rng.normal(0.0, 0.02, shape)
    return np.where(rng.random(shape) < 0.1, 0.0, np.clip(score, 0, 1))


POPULATIONS: dict[str, Draw] = {"normal": normal, "0 or 1": passed, "10% crash": failing}


def cell(draw: Draw, trials: tuple[int, int], queries: int, runs: int) -> list[float]:
    """Return the shares of simulations in which each test is significant."""
    found = np.zeros(3)
    for number in range(runs // CHUNK):
        rng = np.random.default_rng([number, queries, *trials])
        of_query = rng.normal(0.0, 0.2, (queries, 1, CHUNK)) if draw is normal else 0.0
        old, new = (draw(rng, (queries, count, CHUNK)) + of_query for count in trials)
        differences = new.mean(axis=1) - old.mean(axis=1)
        tests = randomisation_tests(differences, resamples=2000, seed=number)
        rows = new - old  # of 1 and several trials, the one is compared with each
        found += [
            sum(one.p <= LEVEL for one in tests),
            (ttest_1samp(differences, 0.0).pvalue <= LEVEL).sum(),
            (ttest_1samp(rows.reshape(-1, CHUNK), 0.0).pvalue <= LEVEL).sum(),
        ]
    return [*(found / runs).tolist()]


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate all cells."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collections", type=int, default=4000)
    runs = parser.parse_args(argv).collections
    print(command("trial_errors.py", argv))
    found = [
        (cell(draw, (first, count), queries, runs), name, first, count, queries)
        for (name, draw), count, queries in product(POPULATIONS.items(), TRIALS, QUERIES)
        for first in {count, 1}
    ]
    found.sort(key=lambda one: -abs(one[0][0] - LEVEL))
    error = (LEVEL * (1 - LEVEL) / runs) ** 0.5
    table(
        f"{runs:,} simulations of each cell, standard error {error:.2%}.",
        ["scores", "trials", "queries", "randomisation", "t", "t of all rows"],
        (
            [name, f"{first} and {count}", str(queries), *(f"{100 * one:.1f}%" for one in shares)]
            for shares, name, first, count, queries in found
        ),
        words=2,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
