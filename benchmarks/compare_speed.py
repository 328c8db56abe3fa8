"""What comparing runs takes beyond evaluating them: `python benchmarks/compare_speed.py`.

Makes a collection of 6,980 queries and several systems of 1,000 documents each (260 MB a system),
evaluates all of them, and compares them against a baseline and pair by pair, all in one warm
process and in turns.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from generate import (
    CHUNK,
    DEPTH,
    QUERY_IDS,
    decimals,
    digits,
    distinct,
    falling,
    marco_judgments,
    run_lines,
)
from machine import describe

import rankmark as rm
from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100", "P@10", "Success@5"]


def make(folder: Path, systems: int, queries: int) -> tuple[Path, list[Path]]:
    """Write judgments and runs: systems that order the same documents more or less alike."""
    qrels, runs = folder / "qrels", [folder / f"system{at:02}.run" for at in range(systems)]
    if qrels.exists() and all(path.exists() for path in runs):
        return qrels, runs
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(17)
    query_ids = rng.choice(np.asarray(QUERY_IDS), queries, replace=False)
    files = [path.open("wb") for path in runs]
    with qrels.open("wb") as judged:
        for start in range(0, queries, CHUNK):
            ids = query_ids[start : start + CHUNK]
            found = distinct(rng, len(ids))
            judged.write(marco_judgments(rng, ids, found))
            ranks = np.tile(np.arange(1, DEPTH + 1), len(ids))
            for at, file in enumerate(files):
                noise = rng.lognormal(0, 0.05 + 0.03 * at, found.shape)
                moved = np.argsort(np.arange(1, DEPTH + 1) * noise, axis=1)
                scores = falling(rng, len(ids), places=6, tied=0.0)
                file.write(
                    run_lines(
                        np.repeat(digits(ids, 7), DEPTH, axis=0),
                        digits(np.take_along_axis(found, moved, axis=1).ravel(), 7),
                        ranks,
                        decimals(scores.ravel(), 6),
                        b"system",
                    )
                )
    for file in files:
        file.close()
    return qrels, runs


def main() -> None:
    """Print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build/benchmarks/systems"))
    parser.add_argument("--systems", type=int, default=17)
    parser.add_argument("--queries", type=int, default=6_980)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    qrels, runs = make(options.folder, options.systems, options.queries)

    def compare(baseline: str | None) -> None:
        compared = rm.compare(qrels, runs, MEASURES, baseline=baseline)
        _ = (compared.leaderboard, compared.differences)

    works: dict[str, Callable[[], object]] = {
        "evaluated": lambda: evaluate_runs(qrels, runs, MEASURES),
        "compared with a baseline": lambda: compare("system00"),
        "compared pair by pair": lambda: compare(None),
    }
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(options.runs + 1):  # the first, which fills caches, does not count
        for name, work in works.items():
            began = time.perf_counter()
            work()
            if turn:
                seconds[name].append(time.perf_counter() - began)
    print(describe())
    sizes = f"{options.queries:,} queries x {DEPTH:,}, {len(MEASURES)} measures"
    print(f"{options.systems} systems, {sizes}")
    for name, taken in seconds.items():
        middle = statistics.median(taken)
        ratio = statistics.median(
            one / other for one, other in zip(taken, seconds["evaluated"], strict=True)
        )
        print(f"{name:<26} {middle:6.2f} s  {ratio:.2f}x  ({min(taken):.2f} to {max(taken):.2f})")


if __name__ == "__main__":
    main()
