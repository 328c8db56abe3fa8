"""`python benchmarks/gate_errors.py`: simulate how often a gate passes a run that is too bad.

The mean of each population is lower by just the margin, so that no more than 5% of samples should
pass. Prints Markdown: how often the gate passes, by Student's t and by the reweighting bound that
decides; then how often harmless changes pass. A figure above 6% is bold.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.special import stdtrit
from simulated.losses import (
    ALL_OR_NOTHING,
    HARMLESS,
    HEAVY,
    MIXED,
    SKEWED,
    SPARSE,
    WEIGHTED,
    Draw,
    Losses,
    Weighted,
    real,
)
from simulated.printed import command, share, table

from rankmark.statistics.confidence_sequences import _bets, _won
from rankmark.statistics.reweighting import approximate_probabilities, probability, smallest_margin

LEVEL = 0.05
DOUBT = 0.08  # of p, relative: nearer to the level than this, the exact p-value decides
AT_ONCE = 4_000_000  # numbers
MARGINS = (0.01, 0.02, 0.05)
PARTS = ("synthetic", "weights", "real", "power")


def by_t(differences: np.ndarray, margin: float) -> np.ndarray:
    """Return which rows a gate by t passes; where nothing differs, it passed."""
    n = differences.shape[1]
    means, spreads = differences.mean(axis=1), differences.std(axis=1, ddof=1)
    low = means - stdtrit(n - 1, 1 - LEVEL) * spreads / np.sqrt(n)
    passes: np.ndarray = low > -margin
    return passes


def by_reweighting(differences: np.ndarray, margin: float) -> np.ndarray:
    """Return which rows pass by the reweighting bound; near the level, by the exact p-value."""
    p = np.concatenate(
        [
            approximate_probabilities(part + margin, np.full(len(part), 1 - margin))
            for part in np.array_split(differences, max(1, differences.size // 500_000))
        ]
    )
    known: dict[bytes, float] = {}
    for row in np.flatnonzero(np.abs(p - LEVEL) < DOUBT * LEVEL):
        values, counts = np.unique(differences[row], return_counts=True)
        key = values.tobytes() + counts.tobytes()
        if key not in known:
            known[key] = probability(values + margin, counts.astype(np.float64), 1 - margin)
        p[row] = known[key]
    passes: np.ndarray = p < LEVEL
    return passes


def by_betting(differences: np.ndarray, margin: float) -> np.ndarray:
    """Return which rows a confidence sequence passes at the end: those that rule out the margin."""
    values, mean = (differences + 1) / 2, (1 - margin) / 2
    won = [_won(row, _bets(row, 1 - 2 * LEVEL), mean).cumsum().max() for row in values]
    passes: np.ndarray = np.array(won) >= np.log(1 / LEVEL)
    return passes


BOUNDS: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "t": by_t,
    "reweighting": by_reweighting,
}


def passing(
    draw: Draw, margin: float, n: int, draws: int, ways: Iterable[str], name: str
) -> dict[str, float]:
    """Return in which share of samples each bound passes."""
    rng = np.random.default_rng(zlib.crc32(f"{name} {n}".encode()))
    passed = dict.fromkeys(ways, 0)
    left = draws
    while left:
        rows = min(left, max(1, AT_ONCE // n))
        differences = draw(rng, (rows, n))
        for way in passed:
            passed[way] += int((BOUNDS | {"anytime": by_betting})[way](differences, margin).sum())
        left -= rows
    return {way: count / draws for way, count in passed.items()}


def synthetic(options: argparse.Namespace) -> None:
    """Print how often populations pass that lose just the margin."""
    worst = {way: dict.fromkeys(options.queries, 0.0) for way in BOUNDS}

    def row(cell: Losses) -> list[str]:
        found = [
            passing(cell.draw, cell.loss, n, options.draws(n), BOUNDS, cell.name)
            for n in options.queries
        ]
        for n, one in zip(options.queries, found, strict=True):
            for way in BOUNDS:
                worst[way][n] = max(worst[way][n], one[way])
        return [
            cell.name,
            f"{cell.loss:.4f}",
            *(share(one[way]) for way in BOUNDS for one in found),
        ]

    head = ["change", "margin", *(f"{way}, n = {n:,}" for way in BOUNDS for n in options.queries)]
    cells = [*SPARSE, *ALL_OR_NOTHING, *MIXED, *SKEWED]
    table("Percent of samples that pass, though the loss is the margin:", head, map(row, cells))
    largest = [share(worst[way][n]) for way in BOUNDS for n in options.queries]
    print(f"| largest |  | {' | '.join(largest)} |")


def weighted(options: argparse.Namespace) -> None:
    """Print the same of weighted queries, and of clusters.

    The largest size is that of the sample, or that of the population, which is stated.
    """

    def row(cell: Weighted) -> list[str]:
        margin, found = cell.loss, []
        for n in options.queries:
            rng = np.random.default_rng(zlib.crc32(f"{cell.name} {n}".encode()))
            passed: list[list[float]] = [[], []]
            left = options.draws(n)
            while left:
                rows = min(left, max(1, AT_ONCE // n))
                left -= rows
                sizes, differences = cell.draw(rng, (rows, n))
                values = sizes * (differences + margin)
                known = [sizes.max(axis=1)]
                known += [] if cell.largest is None else [np.full(rows, cell.largest)]
                for at, largest in enumerate(known):
                    p = approximate_probabilities(values, largest * (1 - margin))
                    passed[at] += (p < LEVEL).tolist()
            found.append(
                " / ".join(share(float(np.mean(each))) if each else "-" for each in passed)
            )
        return [cell.name, f"{margin:.4f}", *found]

    head = ["change", "margin", *(f"n = {n:,}" for n in options.queries)]
    for title, cells in (("", WEIGHTED), (", where heavy ones are lost that many lack", HEAVY)):
        table(
            f"Percent of samples of n weighted queries, or n clusters, that pass{title}; the "
            "largest size known is that of the sample / of the population:",
            head,
            map(row, cells),
        )


def observed(options: argparse.Namespace) -> None:
    """Print the same of real differences, put together."""
    populations = list(real(options.qrels, options.runs, (0.02, 0.05)))
    rows = []
    for n in options.queries:
        found = [
            passing(one.draw, one.loss, n, max(1000, options.draws(n) // 5), BOUNDS, one.name)
            for one in populations
        ]
        for way in BOUNDS:
            rates = np.array([one[way] for one in found])
            top = populations[int(rates.argmax())]
            again = passing(top.draw, top.loss, n, options.draws(n), [way], f"again {top.name}")
            rows.append(
                [
                    f"{way}, n = {n:,}",
                    *(share(value) for value in (rates.mean(), np.quantile(rates, 0.95))),
                    share(rates.max()),
                    f"{share(again[way])} ({top.name}, margin {top.loss:.3f})",
                ]
            )
    table(
        f"Real differences: {len(options.runs)} runs, {len(populations)} populations. Percent of "
        "samples that pass, though the loss is the margin:",
        ["bound", "mean", "95% quantile", "largest", "the largest, simulated again"],
        rows,
    )


def power(options: argparse.Namespace) -> None:
    """Print how often changes of mean 0 pass."""
    ways = [*BOUNDS, "anytime"]

    def rows() -> Iterable[list[str]]:
        for name, draw in HARMLESS.items():
            for margin in MARGINS:
                cells = []
                for n in options.queries:
                    draws = min(options.draws(n), 1000)
                    found = passing(draw, margin, n, draws, ways, name)
                    cells.append(" / ".join(f"{100 * found[way]:.0f}" for way in ways))
                yield [name, f"{margin:g}", *cells]

    head = ["change", "margin", *(f"n = {n:,}" for n in options.queries)]
    table(
        "Percent of samples that pass where the mean does not change, t / reweighting / "
        "anytime (looked at once):",
        head,
        rows(),
    )
    margins = ", ".join(f"{smallest_margin(n):.4f}" for n in options.queries)
    print(f"\nSmallest margins that can be shown if nothing changes: {margins}.")


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(prog="python benchmarks/gate_errors.py", description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000, help="a figure (10,000)")
    parser.add_argument("--queries", default="25,50,100,200,1000", help="numbers of queries")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--qrels", type=Path, help="judgments, for real differences")
    parser.add_argument("--runs", type=Path, nargs="+", metavar="RUN", help="runs for them")
    options = parser.parse_args(argv)
    options.queries = [int(one) for one in options.queries.split(",")]
    options.draws = lambda n: max(options.samples // 2, options.samples * 100 // max(100, n))
    began = time.perf_counter()
    print(command("gate_errors.py", argv))
    print(f"{options.samples:,} samples a figure, half as many from n = 200 on; 95% confidence.")
    parts = options.parts.split(",")
    if "synthetic" in parts:
        synthetic(options)
    if "weights" in parts:
        weighted(options)
    if "real" in parts and options.runs:
        observed(options)
    if "power" in parts:
        power(options)
    print(f"\n{time.perf_counter() - began:,.0f} seconds.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
