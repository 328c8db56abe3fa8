"""`python benchmarks/error_rates.py`: simulate how often tests and intervals are wrong.

Prints Markdown: the share of collections in which a test rejects a null that holds, in which a
corrected family rejects any, in which an interval holds the mean, and in which intervals that are
looked at again and again ever miss it. A figure in bold is off its
level by more than three standard errors, on the side that misleads.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from simulated.coverage import (
    METHODS,
    SHARE_METHODS,
    coverage,
    coverage_of_differences,
    coverage_with_weights,
)
from simulated.families import CORRECTIONS, SYSTEMS, any_rejected
from simulated.looks import WAYS, missing
from simulated.populations import DIFFERENCES, PAIRED_SHARES, SCORES, Draw, observed
from simulated.printed import command
from simulated.simultaneous import EFFECTS, all_held
from simulated.simultaneous import FAMILIES as WAYS_TOGETHER
from simulated.single_tests import TESTS, rejections

PARTS = ("tests", "families", "simultaneous", "intervals", "weights", "shares", "looks")
FAMILY_NULLS = ("symmetric", "mean 0, skewed", "95% zeros", "tied")
BETTER = 0.2
SPREADS = (0.0, 0.5, 1.0, 1.5)


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for, and print a table for each."""
    options = parse(argv)
    began = time.perf_counter()
    print(command("error_rates.py", argv))
    print(
        f"{options.collections:,} collections a figure, seed {options.seed}, "
        f"{options.resamples:,} resamples, level 0.05."
    )
    nulls = {name: draw for name, draw in DIFFERENCES.items() if name in options.nulls}
    if options.qrels:
        name, draw = observed(options.qrels, options.runs, options.measure)
        nulls[name] = draw
    if "tests" in options.parts:
        tests(options, nulls)
    if "families" in options.parts:
        families(options)
    if "simultaneous" in options.parts:
        simultaneous(options)
    if "intervals" in options.parts:
        intervals(options)
    if "weights" in options.parts:
        weights(options)
    if "shares" in options.parts:
        shares(options)
    if "looks" in options.parts:
        looks(options, nulls)
    print(f"\n{time.perf_counter() - began:,.0f} seconds.")
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python benchmarks/error_rates.py", description=__doc__)
    parser.add_argument("--collections", type=int, default=10_000, help="a figure (10,000)")
    parser.add_argument("--resamples", type=int, default=999, help="of each test (999)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--queries", default="10,25,50,250,5000", help="numbers of queries")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--nulls", nargs="+", metavar="NAME", help="some of the populations")
    parser.add_argument("--qrels", type=Path, help="judgments, to draw from real scores too")
    parser.add_argument("--runs", type=Path, nargs=2, metavar="RUN", help="two runs for them")
    parser.add_argument("--measure", default="nDCG@10", help="of the runs (nDCG@10)")
    options = parser.parse_args(argv)
    options.queries = [int(one) for one in options.queries.split(",")]
    options.parts = options.parts.split(",")
    if set(options.parts) - set(PARTS):
        parser.error(f"--parts: need some of {', '.join(PARTS)}")
    options.nulls = options.nulls or list(DIFFERENCES)
    if set(options.nulls) - set(DIFFERENCES):
        parser.error(f"--nulls: need some of {'; '.join(DIFFERENCES)}")
    if (options.qrels is None) != (options.runs is None):
        parser.error("--qrels and --runs go together")
    return options


def tests(options: argparse.Namespace, nulls: dict[str, Draw]) -> None:
    """Print how often tests of two systems reject."""
    print("\n### Two systems whose mean difference is 0: share rejected\n")

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name, draw in nulls.items():
            for n in options.queries:
                rng = generator(options.seed, "tests", name, n)
                found = rejections(draw, n, options.collections, options.resamples, rng)
                yield [name, f"{n:,}"], [found[test] for test in TESTS]

    table(["differences", "queries", *TESTS], rows(), above(0.05, options.collections))


def families(options: argparse.Namespace) -> None:
    """Print how often corrected families reject any pair that is alike."""
    print(f"\n### {SYSTEMS} systems, all pairs: share of families with a false rejection\n")
    print(
        "In rows that say so, one system is better by "
        f"{BETTER}, and the pairs of the others count.\n"
    )

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name in (one for one in FAMILY_NULLS if one in options.nulls):
            for better in (0.0, BETTER):
                for n in (one for one in options.queries if one <= 250):
                    rng = generator(options.seed, f"families {better}", name, n)
                    found = any_rejected(
                        DIFFERENCES[name], n, options.collections, options.resamples, rng, better
                    )
                    label = f"{name}, one better" if better else name
                    yield [label, f"{n:,}"], [found[one] for one in CORRECTIONS]

    table(["scores", "queries", *CORRECTIONS], rows(), above(0.05, options.collections))


def simultaneous(options: argparse.Namespace) -> None:
    """Print how often all intervals of a family hold their differences."""
    print(f"\n### {SYSTEMS} systems, all pairs: share of families whose intervals all hold\n")

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name in (one for one in FAMILY_NULLS if one in options.nulls):
            for effect, means in EFFECTS.items():
                for n in (one for one in options.queries if one <= 250):
                    rng = generator(options.seed, f"simultaneous {effect}", name, n)
                    found = all_held(
                        DIFFERENCES[name], means, n, options.collections, options.resamples, rng
                    )
                    yield [f"{name}, {effect}", f"{n:,}"], [found[one] for one in WAYS_TOGETHER]

    table(["scores", "queries", *WAYS_TOGETHER], rows(), below(0.95, options.collections))


def intervals(options: argparse.Namespace) -> None:
    """Print how often intervals hold the mean."""
    print("\n### 95% intervals: share that contain the mean\n")

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name, (draw, mean) in SCORES.items():
            for n in options.queries:
                rng = generator(options.seed, "intervals", name, n)
                found = coverage(draw, mean, n, options.collections, options.resamples, rng)
                yield [name, f"{n:,}"], [found[method] for method in METHODS]

    table(["scores", "queries", *METHODS], rows(), below(0.95, options.collections))


def weights(options: argparse.Namespace) -> None:
    """Print how often weighted intervals hold the mean."""
    print("\n### Weighted queries, 95% intervals: share that contain the mean\n")

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name in ("symmetric", "mean 0, skewed"):
            for n in options.queries:
                rng = generator(options.seed, "weights", name, n)
                figures: list[float | None] = [
                    coverage_with_weights(DIFFERENCES[name], spread, n, options.collections, rng)
                    for spread in SPREADS
                ]
                yield [name, f"{n:,}"], figures

    head = [f"log-normal weights, sigma {spread:g}" for spread in SPREADS]
    table(["differences", "queries", *head], rows(), below(0.95, options.collections))


def shares(options: argparse.Namespace) -> None:
    """Print how often intervals hold a difference of shares."""
    print("\n### 95% intervals of a difference of shares: share that contain it\n")

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name, population in PAIRED_SHARES.items():
            for n in options.queries:
                rng = generator(options.seed, "shares", name, n)
                found = coverage_of_differences(population, n, options.collections, rng)
                yield [name, f"{n:,}"], [found[method] for method in SHARE_METHODS]

    table(["systems", "queries", *SHARE_METHODS], rows(), below(0.95, options.collections))


def looks(options: argparse.Namespace, nulls: dict[str, Draw]) -> None:
    """Print how often intervals miss the mean if one looks after each query."""
    print("\n### Looking again after each query: share of sequences that ever miss the mean\n")
    most = above(0.05, options.collections)

    def rows() -> Iterator[tuple[list[str], list[float | None]]]:
        for name, draw in nulls.items():
            for n in options.queries:
                rng = generator(options.seed, "looks", name, n)
                found = missing(draw, n, options.collections, rng)
                yield [name, f"{n:,}"], [found[way] for way in WAYS]

    table(["differences", "queries", *WAYS], rows(), lambda value: value < 1 and most(value))


def generator(seed: int, *what: object) -> np.random.Generator:
    """Return random numbers of a cell's own, so that it does not depend on the others."""
    return np.random.default_rng([seed, zlib.crc32(repr(what).encode())])


def above(level: float, collections: int) -> Callable[[float], bool]:
    """Say what is above a level by more than three standard errors."""
    return lambda value: value > level + 3 * (level * (1 - level) / collections) ** 0.5


def below(level: float, collections: int) -> Callable[[float], bool]:
    """Say what is below a level by more than three standard errors."""
    return lambda value: value < level - 3 * (level * (1 - level) / collections) ** 0.5


def table(
    head: Sequence[str],
    rows: Iterator[tuple[list[str], list[float | None]]],
    off: Callable[[float], bool],
) -> None:
    """Print Markdown row by row, as the figures come."""
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * 2 + " ---: |" * (len(head) - 2))
    for words, figures in rows:
        cells = [
            "" if one is None else f"**{one:.3f}**" if off(one) else f"{one:.3f}" for one in figures
        ]
        print("| " + " | ".join([*words, *cells]) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
