"""`python benchmarks/online_offline_coverage.py`: can `compare_online_offline` be believed?

Experiments are drawn whose true differences are known. Prints Markdown: how often intervals hold
the truth, how likely a gain is where the smallest difference is given, and how often measures that
predict nothing are said to predict. The worst rows of a table come first.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple

import numpy as np
from simulated.printed import command

import rankmark as rm
from rankmark.statistics.errors_in_variables import Measured, relation
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.shares import share_interval

MEAN = 0.5  # of the true differences, in their spreads
NOISE = {"little": (0.9, 0.7), "online": (0.9, 0.3), "much": (0.5, 0.3)}
"""The share of the variance of measured differences, offline and online, that is no error."""


class Cell(NamedTuple):
    """What is drawn: how many, with which errors and correlation, and with which tails."""

    n: int
    noise: str
    rho: float
    heavy: bool

    def errors(self, random: np.random.Generator, of: int) -> np.ndarray[Any, Any]:
        """Draw standard errors."""
        share = NOISE[self.noise][of]
        found: np.ndarray[Any, Any] = math.sqrt((1 - share) / share) * random.uniform(
            0.7, 1.3, self.n
        )
        return found

    def true(self, random: np.random.Generator) -> tuple[Any, Any]:
        """Draw true differences, with spread 1."""
        draws = random.standard_t(4, (2, self.n)) / math.sqrt(2)
        one, other = draws if self.heavy else random.normal(size=(2, self.n))
        one = MEAN + one
        return one, self.rho * one + math.sqrt(1 - self.rho**2) * other

    def draw(self, random: np.random.Generator) -> Measured:
        """Draw experiments."""
        x, y = self.true(random)
        of_x, of_y = (self.errors(random, of) for of in (0, 1))
        return Measured(
            x + of_x * random.normal(size=self.n), y + of_y * random.normal(size=self.n), of_x, of_y
        )


def held(cell: Cell, times: int, confidence: float = 0.95) -> list[float]:
    """Return shares of what holds: correlation, slope, bounded slopes, signs, and of gains."""
    random = np.random.default_rng([cell.n, int(100 * cell.rho), len(cell.noise), cell.heavy])
    many = cell._replace(n=200_000).draw(np.random.default_rng(1))
    agree = float((many.x * many.y > 0).mean())
    rows, chances = [], []
    for _ in range(times):
        pairs = cell.draw(random)
        found = relation(pairs, confidence=confidence, probability=0.8)
        signs = share_interval((pairs.x * pairs.y > 0) * 1.0, confidence=confidence)
        rows.append(
            [
                bool(each.undefined) or each.low <= cell.rho <= each.high
                for each in (found.correlation, found.slope)
            ]
            + [not found.slope.undefined, signs.low <= agree <= signs.high, not found.unknown]
        )
        if not found.unknown:
            rise = cell.rho / (1 + float(np.median(pairs.x_error)) ** 2)
            mean = cell.rho * MEAN + rise * (found.smallest - MEAN)
            chances.append(special.ndtr(mean / math.sqrt(1 - rise * cell.rho)))
    return [*np.mean(rows, axis=0).tolist(), float(np.mean(chances)) if chances else math.nan]


def wrongly_told(n: int, measures: int, rho: float, times: int) -> float:
    """Return how often a measure is said to predict, or if all do alike, one to be the best."""
    wrong = 0
    for seed in range(times):
        random = np.random.default_rng([seed, n])
        online = random.normal(size=n)
        rows = [
            {
                **{"experiment": at, "measure": f"m{name}", "online": y, "online_se": 0.5},
                **{"offline": x, "offline_se": 0.5},
            }
            for name in range(measures)
            for at, (x, y) in enumerate(
                zip(
                    (rho * online + math.sqrt(1 - rho**2) * random.normal(size=n)).tolist(),
                    online.tolist(),
                    strict=True,
                )
            )
        ]
        found = rm.compare_online_offline(rows, resamples=400, seed=seed)
        best = found.maybe_best
        wrong += 0 < len(best) < measures if rho else bool(best)
    return wrong / times


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--experiments", type=int, nargs="+", default=[8, 15, 40])
    chosen = parser.parse_args()
    print(command("online_offline_coverage.py", None))
    cells = [
        Cell(n, noise, rho, heavy)
        for n in chosen.experiments
        for noise in NOISE
        for rho, heavy in ((0.0, False), (0.6, False), (0.95, False), (0.6, True))
    ]
    found = [(cell, held(cell, chosen.times)) for cell in cells]
    found.sort(key=lambda one: min(one[1][0], one[1][1], one[1][3]))
    print(
        "| experiments | noise | true correlation | correlation held | slope held | bounded | "
        "signs held | smallest given | chance of a gain there |"
    )
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for cell, shares in found:
        tails = ", heavy tails" if cell.heavy else ""
        told = " | ".join("-" if math.isnan(share) else f"{share:.3f}" for share in shares)
        print(f"| {cell.n} | {cell.noise}{tails} | {cell.rho:g} | {told} |", flush=True)
    print("\n| experiments | measures | correlation of each | wrongly told apart |")
    print("| ---: | ---: | ---: | ---: |")
    for n in chosen.experiments:
        for measures, rho in ((5, 0.0), (3, 0.6)):
            share = wrongly_told(n, measures, rho, chosen.times // 2)
            print(f"| {n} | {measures} | {rho:g} | {share:.3f} |", flush=True)


if __name__ == "__main__":
    main()
