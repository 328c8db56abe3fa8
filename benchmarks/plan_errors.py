"""`python benchmarks/plan_errors.py`: simulate gates over logs that are judged by a plan.

Queries are judged in the order of a plan, drawn in proportion to what they can lose, and the gate
is looked at after each. Prints Markdown: how often a log passes at any look although its mean fell
by exactly the margin, and how often logs pass that labels changed at random, beside a gate on as
many queries that were drawn at random.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from simulated.logs import K, Log, logs, lost, measures
from simulated.printed import command, share, table

from rankmark import nDCG
from rankmark.statistics.log_bets import Log as Known
from rankmark.statistics.log_bets import looks_of_logs
from rankmark.statistics.reweighting import approximate_probabilities

LEVEL = 0.05
NUMBERS = (25, 50, 100)
SHARES = (0.15, 0.4)
"""Margins, as shares of the mean of what can be lost."""
PATTERNS = ("at random", "half, at random", "largest", "smallest", "beside wins")
MARGINS = (0.01, 0.02, 0.05)
PARTS = ("level", "sample", "power", "plain")
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def _known(log: Log, n: int) -> Known:
    total = float(log.losses.sum())
    return Known(len(log.losses), total, float(log.gains.sum()), 0.0, 1.0, planned=n)


def _orders(log: Log, n: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return the first n queries of so many orders: (n, draws)."""
    has = np.flatnonzero(log.losses > 0)
    n = min(n, len(has))
    parts = []
    for first in range(0, draws, 500):
        rows = min(500, draws - first)
        keys = rng.exponential(size=(rows, len(has))) / log.losses[has]
        near = np.argpartition(keys, n - 1, axis=1)[:, :n]
        order = np.argsort(np.take_along_axis(keys, near, axis=1), axis=1)
        parts.append(has[np.take_along_axis(near, order, axis=1)])
    return np.concatenate(parts).T


def _passes(log: Log, change: np.ndarray, margin: float, n: int, draws: int, name: str) -> float:
    """Return in which share of orders the gate passes at one of n looks."""
    if margin * len(change) >= log.losses.sum():
        return 1.0
    rng = np.random.default_rng(zlib.crc32(f"{name} {n}".encode()))
    rows = _orders(log, n, draws, rng)
    found = looks_of_logs(change[rows], log.losses[rows], _known(log, n), -margin, 1 - LEVEL)
    return float(np.mean(found > 0))


def level(draws: int) -> None:
    """Print how often logs pass that lost just the margin."""
    worst: list[tuple[float, str]] = []

    def rows() -> Iterator[list[str]]:
        for measure in measures():
            for log in logs(measure):
                mean = float(log.losses.mean())
                if not mean:
                    continue
                for part in SHARES:
                    figures = []
                    for pattern in PATTERNS:
                        name = f"{measure} {log.name} {pattern} {part}"
                        rng = np.random.default_rng(zlib.crc32(name.encode()))
                        change = lost(log, pattern, part * mean, rng)
                        if change is None:
                            figures.append("")
                            continue
                        found = [_passes(log, change, part * mean, n, draws, name) for n in NUMBERS]
                        worst.extend(
                            (one, f"{name} n={n}") for one, n in zip(found, NUMBERS, strict=True)
                        )
                        figures.append(" ".join(map(share, found)))
                    yield [str(measure), log.name, f"{part * mean:.4f}", *figures]

    many = ", ".join(map(str, NUMBERS))
    head = ["measure", "change", "margin", *PATTERNS]
    table(
        f"Percent of orders that pass at any of {many} looks, though the mean fell by the margin, "
        "by which queries lose:",
        head,
        rows(),
        words=2,
    )
    figures = np.array([one for one, _ in worst])
    error = float(np.sqrt(LEVEL * (1 - LEVEL) / draws))
    print(
        f"\n{len(figures)} figures, standard error {100 * error:.2f}: largest "
        + "; ".join(f"{100 * one:.2f} ({name})" for one, name in sorted(worst, reverse=True)[:3])
        + f"; mean {100 * figures.mean():.2f}."
    )


def sample(draws: int) -> None:
    """Print how often populations pass that lost just the margin, of which the log is a sample."""
    size, n = 1000, 50
    worst = 0.0

    def passes(log: Log, change: np.ndarray, margin: float, name: str) -> float:
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        passed = 0
        for _ in range(draws // 4):
            rows = rng.integers(0, len(change), size)
            c = log.losses[rows]
            total, spread = float(c.sum()), float(c.std(ddof=1))
            known = Known(size, total, total, 0.0, 1.0, n, spread, 1.0)
            taken = rng.permutation(rows[rng.random(size) < c])[:n]
            columns = change[taken][:, None], log.losses[taken][:, None]
            if known.least_queries(margin, LEVEL) == 0:
                passed += 1
            else:
                passed += int(looks_of_logs(*columns, known, -margin, 1 - LEVEL)[0] > 0)
        return passed / (draws // 4)

    def rows() -> Iterator[list[str]]:
        nonlocal worst
        for log in logs():
            margin = 0.4 * float(log.losses.mean())
            figures = []
            for pattern in PATTERNS:
                name = f"sample {log.name} {pattern}"
                change = lost(
                    log, pattern, margin, np.random.default_rng(zlib.crc32(name.encode()))
                )
                if change is None:
                    figures.append("")
                    continue
                found = passes(log, change, margin, name)
                worst = max(worst, found)
                figures.append(share(found))
            yield [log.name, f"{margin:.4f}", *figures]

    table(
        f"Percent of logs of {size:,} queries that pass at any of {n} looks, though the mean of "
        "the population that they are drawn from fell by the margin:",
        ["change", "margin", *PATTERNS],
        rows(),
    )
    print(f"\nLargest: {100 * worst:.2f}, of {draws // 4} logs each.")


def _by_reweighting(change: np.ndarray, margin: float, n: int, draws: int) -> float:
    """Return how often a gate passes on n queries that were drawn at random."""
    rng = np.random.default_rng(n)
    drawn = change[rng.integers(0, len(change), (draws, n))]
    p = approximate_probabilities(drawn + margin, np.full(draws, 1 - margin))
    return float(np.mean(p < LEVEL))


def power(draws: int) -> None:
    """Print how often logs pass that labels changed at random, beside a random sample."""

    def rows() -> Iterator[list[str]]:
        for log in logs(nDCG @ K):
            for margin in MARGINS:
                n_min = _known(log, 1).least_queries(margin, LEVEL)
                cells = []
                for n in NUMBERS:
                    planned = _passes(log, log.change, margin, n, draws, log.name)
                    plain = _by_reweighting(log.change, margin, n, draws)
                    cells.append(f"{100 * planned:.0f} / {100 * plain:.0f}")
                yield [
                    log.name,
                    f"{log.losses.mean():.3f}",
                    f"{log.change.mean():+.4f}",
                    f"{margin:g}",
                    f"{n_min:,}",
                    *cells,
                ]

    table(
        "Percent of draws that pass with a plan / with as many queries drawn at random:",
        ["change", "can lose", "true change", "margin", "least", *(f"n = {n}" for n in NUMBERS)],
        rows(),
    )


def _recalculating(x: np.ndarray, margin: float) -> np.ndarray:
    """Return which rows bets pass that aim at 1 / level after the last query, in this order.

    Each stake is what reaches it if the rest goes as so far; it is fixed before the query is seen,
    so that the error is at most the level (Ville's inequality).
    """
    z, mean, n = (x + 1) / 2, (1 - margin) / 2, x.shape[1]
    goal, capital = np.log(1 / LEVEL), np.zeros(len(x))
    spread, sums = np.full(len(x), 0.25), np.full(len(x), 0.5)
    hit = np.zeros(len(x), dtype=bool)
    for at in range(n):
        left = np.maximum(goal - capital, 1e-9)
        stake = np.minimum(np.sqrt(2 * left / (spread / (at + 1) * (n - at))), 0.999 / mean)
        capital += np.log1p(np.where(hit, 0.0, stake) * (z[:, at] - mean))
        hit |= capital >= goal
        sums += z[:, at]
        spread += (z[:, at] - sums / (at + 2)) ** 2
    return hit


def _lose_all(share: float) -> Draw:
    return lambda rng, size: -(rng.random(size) < share).astype(float)


def _lose_half(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return -0.5 * (rng.random(size) < 0.1)


def _win_and_lose(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    drawn = rng.random(size)
    return np.where(drawn < 0.1, 1.0, np.where(drawn < 0.25, -1.0, 0.0))


def _normal(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return np.clip(-0.05 + rng.normal(0, 0.2, size), -1, 1)


def plain(draws: int) -> None:
    """Print the bound of a gate without a plan beside bets, which are proven."""
    cells: dict[str, tuple[Draw, float]] = {
        **{f"{100 * one:g}% lose all": (_lose_all(one), one) for one in (0.02, 0.05, 0.2)},
        "10% lose a half": (_lose_half, 0.05),
        "0/1: 10% win, 15% lose": (_win_and_lose, 0.05),
        "normal, deviation 0.2": (_normal, 0.05),
    }
    rng = np.random.default_rng(5)

    def rows() -> Iterator[list[str]]:
        for at_margin in (True, False):
            for name, (draw, margin) in cells.items():
                found = []
                for n in (25, 50, 100, 200):
                    x = draw(rng, (draws, n)) + (0.0 if at_margin else margin)
                    x = np.clip(x, -1, 1)
                    p = approximate_probabilities(x + margin, np.full(draws, 1 - margin))
                    pair = np.mean(p < LEVEL), np.mean(_recalculating(x, margin))
                    found.append(" / ".join(f"{100 * one:.1f}" for one in pair))
                yield [name, "the margin" if at_margin else "nothing", f"{margin:g}", *found]

    table(
        "Percent of samples that pass by reweighting / by bets that are proven:",
        ["change", "lost", "margin", *(f"n = {n}" for n in (25, 50, 100, 200))],
        rows(),
        words=2,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(prog="python benchmarks/plan_errors.py", description=__doc__)
    parser.add_argument("--draws", type=int, default=2000, help="orders a figure (2,000)")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    options = parser.parse_args(argv)
    began = time.perf_counter()
    print(command("plan_errors.py", argv))
    print(f"{options.draws:,} orders a figure; 95% confidence; logs of 2,000 queries.")
    parts = {"level": level, "sample": sample, "power": power, "plain": plain}
    for name, part in parts.items():
        if name in options.parts.split(","):
            part(options.draws)
    print(f"\n{time.perf_counter() - began:,.0f} seconds.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
