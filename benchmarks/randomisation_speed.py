"""`python benchmarks/randomisation_speed.py`: how long it takes to test every pair of many systems.

Each work runs in a process of its own, so that its peak memory is its own too. scipy tests one
pair; what it would take for all of them is that many times as long.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import machine
import numpy as np

QUERIES, SYSTEMS, MEASURES = 250, 17, 10
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2
TESTS = PAIRS * MEASURES


def scores() -> np.ndarray:
    """Draw scores of systems that are much alike."""
    rng = np.random.default_rng(0)
    hard = rng.beta(0.8, 1.2, (QUERIES, 1, MEASURES))
    noise = rng.normal(0, 0.1, (QUERIES, SYSTEMS, MEASURES))
    return np.clip(hard + noise, 0.0, 1.0)


def nothing(given: np.ndarray, resamples: int, threads: int) -> object:
    """Import what the others import: the memory that they begin with."""
    import rankmark.statistics

    return len(rankmark.statistics.__all__), given.shape, resamples, threads


def pairs(given: np.ndarray, resamples: int, threads: int) -> object:
    """Test all pairs on all measures by random signs."""
    from rankmark.statistics import randomise_pairs

    found = randomise_pairs(given, resamples=resamples, threads=threads)
    return [one.p for row in found for one in row]


def step_down(given: np.ndarray, resamples: int, threads: int) -> object:
    """Test them corrected by the largest t, stepping down."""
    from rankmark.statistics import max_t

    return max_t(given, resamples=resamples, threads=threads).adjusted.tolist()


def labels(given: np.ndarray, resamples: int, threads: int) -> object:
    """Compare them by random orders of the systems."""
    from rankmark.statistics import randomised_tukey

    return randomised_tukey(given, resamples=resamples, threads=threads).adjusted.tolist()


def intervals(given: np.ndarray, resamples: int, threads: int) -> object:
    """Return BCa intervals of all means, of 10,000 draws."""
    from rankmark.statistics import mean_intervals

    found = mean_intervals(given.reshape(QUERIES, -1), threads=threads)
    return [resamples, *((one.low, one.high) for one in found)]


def scipy_pair(given: np.ndarray, resamples: int, _threads: int) -> object:
    """Test one pair on one measure by scipy, in batches of 1,024."""
    from scipy.stats import permutation_test

    differences = given[:, 1, 0] - given[:, 0, 0]
    found = permutation_test(
        (differences,),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=1024,
        rng=np.random.default_rng(0),
    )
    return float(found.pvalue)


WORKS: dict[str, tuple[Callable[[np.ndarray, int, int], object], int, int]] = {
    "import only": (nothing, 1, 0),
    "scipy.stats.permutation_test": (scipy_pair, 1, 1),
    "randomise_pairs": (pairs, 1, TESTS),
    "randomise_pairs, 2 threads": (pairs, 2, TESTS),
    "max_t, step down": (step_down, 1, TESTS),
    "randomised_tukey": (labels, 1, TESTS),
    "mean_intervals, BCa": (intervals, 1, SYSTEMS * MEASURES),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure every work, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--resamples", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3, help="of each, of which the median is told")
    parser.add_argument("--work", choices=WORKS, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.work:
        print(json.dumps(measured(options.work, options.resamples)))
        return 0
    print(f"{machine.describe()}\n")
    print(
        f"{QUERIES} queries, {SYSTEMS} systems, {MEASURES} measures; {options.resamples:,} "
        f"resamples (BCa 10,000); median of {options.runs}.\n"
    )
    print("| work | results | seconds | peak MB beyond import | scipy, as many tests |")
    print("| --- | ---: | ---: | ---: | ---: |")
    base = one_pair = 0.0
    same: dict[str, set[str]] = {}
    for name, (_, _, results) in WORKS.items():
        runs = [in_process(name, options.resamples) for _ in range(options.runs)]
        same.setdefault(name.partition(",")[0], set()).update(str(run["found"]) for run in runs)
        seconds = float(np.median([run["seconds"] for run in runs]))
        peak = float(np.median([run["peak"] for run in runs]))
        if not results:
            base = peak
            continue
        one_pair = one_pair or seconds
        ratio = f"{results * one_pair / seconds:,.0f}x" if results == TESTS else ""
        print(
            f"| {name} | {results:,} | {seconds:.2f} | {peak - base:,.0f} | {ratio} |", flush=True
        )
    alike = all(len(sums) == 1 for sums in same.values())
    print(f"\nAll runs of a work, with 1 thread or 2, gave the same bits: {alike}.")
    return 0


def in_process(name: str, resamples: int) -> dict[str, float | str]:
    """Measure a work in a process of its own."""
    command = [sys.executable, __file__, "--work", name, "--resamples", str(resamples)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, float | str] = json.loads(found.stdout)
    return answer


def measured(name: str, resamples: int) -> dict[str, float | str]:
    """Do a work, and tell its seconds, its peak memory in MB, and what it found."""
    work, threads, _ = WORKS[name]
    given = scores()
    began = time.perf_counter()
    found = work(given, resamples, threads)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak": peak, "found": repr(found)}


if __name__ == "__main__":
    sys.exit(main())
