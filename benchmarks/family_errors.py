"""`python benchmarks/family_errors.py`: how often families of many pairs err, and what they find.

Leaderboards of models that are bad on few tasks, and families of real runs: those of wide tables of
scores, a row for each query and a column for each run, with a header (`--tables`). Runs are made
equal by taking their means away, and queries are drawn with replacement, so that the table is the
population. Prints Markdown: the share of collections in which a pair is told apart wrongly, and of
the pairs that differ the share that is found. A wrong share in bold is above 5% by more than three
standard errors. The sign test is judged by its own claim, that a model is better on more tasks.
"""

import argparse
import csv
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import bdtr, stdtr

from rankmark.statistics import adjust, bootstrap_max_t, max_t

LEVEL = 0.05
MANY, CHANCE = 20_000, 0.04  # tasks that show who is better on more; shares by which they err
Array = np.ndarray[Any, Any]
Draw = Callable[[np.random.Generator, int], Array]

SIGNS = "sign test, Holm"
WAYS = ("t, Holm", "signs, max-T", "bootstrap, max-T", SIGNS)


def bad(share: float, count: int, loss: float, noise: float) -> tuple[Array, Draw]:
    """Return eight equal models, some of which lose much on a share of the tasks."""

    def draw(rng: np.random.Generator, tasks: int) -> Array:
        scores = rng.normal(0.5, noise, (tasks, 8))
        scores[:, :count] += share * loss - loss * (rng.random((tasks, count)) < share)
        return scores

    return np.zeros(8), draw


def normal(means: Array, noise: Array | float, share: float = 0.0) -> tuple[Array, Draw]:
    """Return models with normal differences; the two best may lose .3 on a share of the tasks."""

    def draw(rng: np.random.Generator, tasks: int) -> Array:
        scores = means + rng.normal(0.0, 1.0, (tasks, len(means))) * noise
        if share:
            scores[:, :2] += 0.3 * (share - (rng.random((tasks, 2)) < share))
        return scores

    return means, draw


def twins() -> tuple[Array, Draw]:
    """Return eight models with a spacing of .02, four of which have nearly the same errors."""
    means = -0.02 * np.arange(8)

    def draw(rng: np.random.Generator, tasks: int) -> Array:
        scores = means + rng.normal(0.0, 0.1, (tasks, 8))
        scores[:, :4] = means[:4] + rng.normal(0.0, 0.1, (tasks, 1))
        scores[:, :4] += rng.normal(0.0, 0.01, (tasks, 4))
        return scores

    return means, draw


TOP = np.array([0, 0, 0, -0.05, -0.1, -0.15, -0.2, -0.25])
UNEVEN = 0.03 * np.array([0.2, 0.2, 0.5, 0.5, 1, 1, 2, 4])

BOARDS: dict[str, tuple[Array, Draw]] = {
    **{
        f"{count} of 8 bad on {share:.0%}": bad(share, count, 0.3, 0.01)
        for count in (4, 2, 1)
        for share in (0.1, 0.05)
    },
    **{f"4 of 8 fail on {share:.0%}": bad(share, 4, 1.0, 0.003) for share in (0.1, 0.05, 0.01)},
    "8 alike, normal": normal(np.zeros(8), 0.03),
    "8 alike, uneven noise": normal(np.zeros(8), UNEVEN),
    "3 alike at the top, normal": normal(TOP, 0.03),
    "3 alike at the top, 2 bad on 10%": normal(TOP, 0.03, 0.1),
    "spacing .02, 4 nearly twins": twins(),
}


def tables(paths: list[Path]) -> dict[str, Array]:
    """Read wide tables: {name: (queries, runs)}."""
    found = {}
    for path in paths:
        with path.open(newline="") as lines:
            rows = [*csv.reader(lines)][1:]
        found[path.stem] = np.array(rows, dtype=np.float64)
    return found


def real(scores: Array, count: int) -> Array:
    """Choose so many runs of a table, the same for every number of queries."""
    chosen = np.random.default_rng(1).choice(scores.shape[1], count, replace=False)
    return scores[:, np.sort(chosen)]


def drawn_from(scores: Array) -> tuple[Array, Draw]:
    """Return the means of a table, and how rows are drawn from it."""
    return scores.mean(axis=0), lambda rng, n: scores[rng.integers(len(scores), size=n)]


def pairs_of(runs: int, *, against_first: bool) -> list[tuple[int, int]]:
    """Return all pairs, or those of the first run with the others."""
    return [pair for pair in combinations(range(runs), 2) if not against_first or not pair[0]]


def decisions(
    scores: Array, pairs: list[tuple[int, int]], resamples: int, seed: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return in which direction each way sees each pair, and which pairs it tells apart."""
    n = len(scores)
    first, second = np.array(pairs).T
    away = scores[:, second] - scores[:, first]
    means, spread = away.mean(axis=0), away.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(n - 1, -np.abs(means) * n**0.5 / spread)
    p[np.ptp(away, axis=0) == 0] = np.nan
    wins, losses = (away > 0).sum(axis=0), (away < 0).sum(axis=0)
    signs = np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses), wins + losses, 0.5))
    given: dict[str, Any] = {"resamples": resamples, "seed": seed}
    corrected = {
        "t, Holm": adjust(p, "holm").adjusted,
        "signs, max-T": max_t(scores, pairs, **given).adjusted[:, 0],
        "bootstrap, max-T": bootstrap_max_t(scores, pairs, **given).adjusted[:, 0],
        SIGNS: adjust(signs, "holm").adjusted,
    }
    seen = {way: wins - losses if way == SIGNS else means for way in WAYS}
    return seen, {way: adjusted <= LEVEL for way, adjusted in corrected.items()}


def rates(
    means: Array,
    draw: Draw,
    pairs: list[tuple[int, int]],
    n: int,
    collections: int,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, tuple[float, float]]:
    """Return for each way the share of wrong collections, and of the pairs found."""
    first, second = np.array(pairs).T
    truth = dict.fromkeys(WAYS, means[second] - means[first])
    many = draw(rng, MANY)
    more = np.sign(many[:, second] - many[:, first]).mean(axis=0)
    truth[SIGNS] = np.where(np.abs(more) < CHANCE, 0.0, more)
    wrong, right = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0.0)
    for _ in range(collections):
        seen, told = decisions(draw(rng, n), pairs, resamples, int(rng.integers(2**32)))
        for way, rejected in told.items():
            alike = np.abs(truth[way]) < 1e-12
            is_wrong = rejected & (alike | (np.sign(seen[way]) != np.sign(truth[way])))
            wrong[way] += bool(is_wrong.any())
            right[way] += float((rejected & ~is_wrong).sum() / max((~alike).sum(), 1))
    differ = {way: bool((np.abs(truth[way]) >= 1e-12).any()) for way in WAYS}
    return {
        way: (wrong[way] / collections, right[way] / collections if differ[way] else np.nan)
        for way in WAYS
    }


def rng_of(seed: int, *what: object) -> np.random.Generator:
    """Return random numbers of a cell's own, so that it does not depend on the others."""
    return np.random.default_rng([seed, zlib.crc32(repr(what).encode())])


def rows(options: argparse.Namespace) -> Iterator[tuple[str, int, dict[str, tuple[float, float]]]]:
    """Yield the cells: what is simulated, tasks or queries, and the figures."""
    given = options.collections, options.resamples
    if "boards" in options.parts:
        for name, (means, draw) in BOARDS.items():
            for n in options.tasks if options.only in name else ():
                pairs = pairs_of(len(means), against_first=False)
                yield name, n, rates(means, draw, pairs, n, *given, rng_of(options.seed, name, n))
    for name, scores in tables(options.tables).items() if "runs" in options.parts else ():
        for count in (one for one in options.runs if one <= scores.shape[1]):
            chosen = real(scores, count)
            level, power = drawn_from(chosen - chosen.mean(axis=0)), drawn_from(chosen)
            for n in options.queries if options.only in name else ():
                pairs = pairs_of(count, against_first=options.baseline)
                rng = rng_of(options.seed, name, count, n)
                equal = rates(*level, pairs, n, *given, rng)
                true = rates(*power, pairs, n, max(given[0] // 5, 1), given[1], rng)
                found = {way: (equal[way][0], true[way][1]) for way in WAYS if way != SIGNS}
                yield f"{name}, {count} runs", n, found


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default="boards,runs", help="boards, runs or both")
    parser.add_argument("--collections", type=int, default=200, help="a cell (200)")
    parser.add_argument("--resamples", type=int, default=999, help="of each test (999)")
    parser.add_argument("--tasks", type=int, nargs="+", default=[8, 15, 40])
    parser.add_argument("--queries", type=int, nargs="+", default=[25, 50])
    parser.add_argument("--runs", type=int, nargs="+", default=[17, 50], help="in a family")
    parser.add_argument("--tables", type=Path, nargs="+", default=[], help="wide tables of runs")
    parser.add_argument("--baseline", action="store_true", help="compare runs with the first")
    parser.add_argument("--floors", type=float, nargs=2, help="of errors: of pairs, in resamples")
    parser.add_argument("--only", default="", help="cells whose names contain this")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.floors:  # the function has the name of its module
        module = import_module("rankmark.statistics.bootstrap_max_t")
        module.LEAST_ERROR, module.LEAST_ERROR_DRAWN = options.floors  # type: ignore[attr-defined]
    began = time.perf_counter()
    most = LEVEL + 3 * (LEVEL * (1 - LEVEL) / options.collections) ** 0.5
    ways = WAYS if "boards" in options.parts else WAYS[:-1]
    print("| population | n |" + "".join(f" {way}: wrong | found |" for way in ways))
    print("| --- | ---: |" + " ---: |" * 2 * len(ways))
    for name, n, found in rows(options):
        cells = ""
        for wrong, right in found.values():
            told = f"**{100 * wrong:.1f}**" if wrong > most else f"{100 * wrong:.1f}"
            cells += f" {told} | {'' if np.isnan(right) else f'{100 * right:.0f}'} |"
        print(f"| {name} | {n} |{cells}", flush=True)
    print(f"\n{options.collections} collections a cell, {time.perf_counter() - began:,.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
