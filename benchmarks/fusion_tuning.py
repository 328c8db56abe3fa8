"""`python benchmarks/fusion_tuning.py`: by how much the means of tuned fusion err, in simulations.

Prints Markdown. A population of queries is generated, with two runs each, and every point of a grid
is scored on all of it, so that the true mean of each point is known. Then few queries are drawn
again and again, fusion is tuned on them as `rankmark.tune_fusion` does, and the means that it
reports are compared with the true mean of the point that it chose. The last table counts how often
the test of `compared` finds a difference where there is none.
"""

import argparse
import sys
from typing import Any, NamedTuple

import numpy as np

import rankmark as rm
from rankmark.statistics import t_test
from rankmark.verbs.tune.chosen_points import chosen_points, query_folds
from rankmark.verbs.tune.tuning_grid import preferences, tuning_grid

DOCUMENTS, RETRIEVED = 60, 30
MEASURE = "nDCG@10"
SIZES = (25, 50, 100, 200)
FOLDS, REPEATS = 5, 10
GRIDS: dict[str, dict[str, Any]] = {
    "11 weights of wsum": {"methods": "wsum"},
    "the default: RRF and wsum": {},
    "RRF, and wsum with 5 norms, steps of 0.05": {
        "norms": ["min-max", "max", "z", "rank", "l2"],
        "step": 0.05,
    },
}


class Population(NamedTuple):
    """Queries with judgments and two runs, which are better for different queries."""

    qrels: dict[str, dict[str, int]]
    runs: dict[str, dict[str, dict[str, float]]]


def population(queries: int, random: np.random.Generator) -> Population:
    """Generate queries whose documents have labels 0 to 3, and runs that know them more or less."""
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"words": {}, "vectors": {}}
    ids = [f"d{at}" for at in range(DOCUMENTS)]
    for at in range(queries):
        label = np.minimum(random.geometric(0.75, DOCUMENTS) - 1, 3)
        query = f"q{at}"
        qrels[query] = dict(zip(ids, label.tolist(), strict=True))
        signal = random.lognormal(-0.6, 0.7, 2)
        for (name, run), strength in zip(runs.items(), signal, strict=True):
            draw = random.gumbel if name == "words" else random.normal
            noise = draw(size=DOCUMENTS)
            score = strength * label + noise
            first = np.argsort(-score)[:RETRIEVED]
            scale = random.uniform(5, 15) if name == "words" else 0.1
            run[query] = {ids[d]: float(scale * score[d]) for d in first.tolist()}
    return Population(qrels, runs)


class Errors(NamedTuple):
    """Differences from the true mean of the point that was chosen, one for each draw."""

    training: np.ndarray
    held_out: np.ndarray
    lost: np.ndarray
    """The true mean of the best point, minus that of the point that was chosen."""


def errors(
    scores: np.ndarray, preference: np.ndarray, size: int, draws: int, random: np.random.Generator
) -> Errors:
    """Tune on some queries drawn from all, again and again."""
    true = scores.mean(axis=1)
    found = np.empty((draws, 3))
    for draw in range(draws):
        rows = random.choice(scores.shape[1], size, replace=False)
        dealt = query_folds([*map(str, range(size))], folds=FOLDS, repeats=REPEATS, seed=draw)
        picked = chosen_points(scores[:, rows], dealt, preference, more_is_better=True)
        chosen = true[picked.best]
        training = scores[picked.best, rows].mean()
        found[draw] = (
            training - chosen,
            picked.held_out[picked.middle].mean() - chosen,
            true.max() - chosen,
        )
    return Errors(*found.T)


def false_alarms(
    scores: np.ndarray, size: int, draws: int, random: np.random.Generator
) -> np.ndarray:
    """Return how often tuning is found to be better, and worse, than a run that is as good.

    Each query's scores of the two runs are exchanged at random, so neither is better, and nothing
    that chooses between them can be better than either. The first row is of the repeat that
    `compared` tests, the second of the first repeat, the third of the mean over all repeats.
    """
    alarms = np.zeros((3, 2))
    for draw in range(draws):
        rows = random.choice(scores.shape[1], size, replace=False)
        pair = scores[[0, -1]][:, rows]
        swapped = random.random(size) < 0.5
        pair = np.where(swapped, pair[::-1], pair)
        dealt = query_folds([*map(str, range(size))], folds=FOLDS, repeats=REPEATS, seed=draw)
        picked = chosen_points(pair, dealt, np.arange(2), more_is_better=True)
        each = picked.held_out
        for row, held_out in enumerate([each[picked.middle], each[0], each.mean(axis=0)]):
            test = t_test(pair[0], held_out)
            if test.p <= 0.05:
                alarms[row, int(test.difference < 0)] += 1
    return alarms / draws


def main(arguments: list[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400, help="draws of queries in each cell")
    parser.add_argument("--queries", type=int, default=4000, help="queries of the population")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    random = np.random.default_rng(given.seed)
    qrels, runs = population(given.queries, random)
    print(
        f"{given.queries:,} queries in the population, {given.draws:,} draws, {MEASURE}, "
        f"{REPEATS} times {FOLDS} folds. Each error is a mean over the draws, with its standard "
        "error.\n"
    )
    head = "| grid | points | queries | training mean too high by | held-out mean too high by |"
    print(f"{head} lost against the best point |\n|---|---|---|---|---|---|")
    weights = None
    for name, grid in GRIDS.items():
        ways = tuning_grid(2, **grid)
        tuned = rm.tune_fusion(qrels, runs, MEASURE, folds=2, repeats=1, **grid)
        weights = tuned.scores if weights is None else weights
        for size in SIZES:
            found = errors(tuned.scores, preferences(ways), size, given.draws, random)
            cells = [
                f"{values.mean():+.4f} ± {values.std(ddof=1) / np.sqrt(given.draws):.4f}"
                for values in found
            ]
            print(f"| {name} | {len(ways)} | {size} | {' | '.join(cells)} |")
    assert weights is not None
    kinds = ("", ", first way", ", mean of all ways")
    head = " | ".join(f"better{kind} | worse{kind}" for kind in kinds)
    print(f"\nFound at 5 % where there is no difference:\n\n| queries | {head} |\n|{'---|' * 7}")
    for size in SIZES:
        alarms = false_alarms(weights, size, 3 * given.draws, random).ravel()
        print(f"| {size} | {' | '.join(f'{share:.3f}' for share in alarms)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
