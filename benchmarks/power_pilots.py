"""`python benchmarks/power_pilots.py`: how far plans for a gate can be off that rest on a pilot.

Draws pilots from populations of harmless changes, plans a gate from each by the formula of
`rankmark power`, and looks up how often the gate really passes with so many queries. Prints
Markdown, with the rows of the lowest power first.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from simulated.losses import HARMLESS, Draw
from simulated.printed import command, table

from rankmark.statistics.margin_power import queries_for_margin
from rankmark.statistics.reweighting import approximate_probabilities
from rankmark.statistics.spread_intervals import spread_interval

_RANKS = np.append(1 / np.arange(1, 11), 0.0)
_SHARES = np.array([30, 12, 9, 6, 5, 4, 3, 3, 3, 2, 23]) / 100


def _reciprocal_ranks(share: float) -> Draw:
    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        old, new = (rng.choice(_RANKS, shape, p=_SHARES) for _ in range(2))
        return np.where(rng.random(shape) < share, new - old, 0.0)

    return draw


POPULATIONS: dict[str, Draw] = {
    name: draw for name, draw in HARMLESS.items() if name != "nothing changes"
} | {f"RR@10, {share:.0%} change": _reciprocal_ranks(share) for share in (0.05, 0.2, 1.0)}
LOSS = 1.0  # the most that a query can lose


class Passing:
    """How often a gate passes a population with so many queries, interpolated."""

    def __init__(self, draw: Draw, margin: float, seed: int, samples: int) -> None:
        rng = np.random.default_rng(seed)
        self.n = np.unique(np.geomspace(40, 2_000, 24).astype(int))
        shares = []
        for n in self.n.tolist():
            differences = np.concatenate([draw(rng, (100, n)) for _ in range(-(-samples // 100))])
            losses = np.full(len(differences), LOSS - margin)
            shares.append(np.mean(approximate_probabilities(differences + margin, losses) < 0.05))
        self.power = np.maximum.accumulate(np.array(shares))

    def at(self, n: np.ndarray) -> np.ndarray:
        """Return how often a gate of so many queries passes."""
        found: np.ndarray = np.interp(np.log(n), np.log(self.n), self.power)
        return found


def planned(differences: np.ndarray, margin: float) -> tuple[float, float, float]:
    """Return the queries that a pilot asks for, and the two ends of their range."""
    spread = float(differences.std(ddof=1))
    changed = int(np.count_nonzero(differences))
    low, high = spread_interval(differences - differences.mean(), spread, changed, LOSS)
    found = [queries_for_margin(margin, one, LOSS) for one in (spread, low, high)]
    once, least, most = (np.inf if one is None else float(one.n) for one in found)
    return once, least, most


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(prog="python benchmarks/power_pilots.py", description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000, help="pilots, and of a power (2,000)")
    parser.add_argument("--queries", default="24,50,100", help="of pilots")
    parser.add_argument("--margin", type=float, default=0.05)
    options = parser.parse_args(argv)
    numbers = [int(one) for one in options.queries.split(",")]
    began = time.process_time()
    print(command("power_pilots.py", argv))

    def rows() -> Iterable[tuple[float, list[str]]]:
        for name, draw in POPULATIONS.items():
            seed = zlib.crc32(name.encode())
            passing = Passing(draw, options.margin, seed, min(options.samples, 500))
            needed = float(passing.n[np.argmax(passing.power >= 0.8)])
            rng = np.random.default_rng(seed + 1)
            for n in numbers:
                plans = np.array(
                    [planned(draw(rng, (n,)), options.margin) for _ in range(options.samples)]
                )
                once, least, most = plans.T
                powers = passing.at(once), passing.at(most)
                lowest = [float(np.quantile(one, 0.1)) for one in powers]
                yield (
                    lowest[0],
                    [
                        name,
                        f"{n:,}",
                        f"{needed:,.0f}",
                        f"{np.median(once):,.0f}",
                        f"{100 * lowest[0]:.0f}",
                        f"{np.median(least):,.0f} to {np.median(most):,.0f}",
                        f"{100 * lowest[1]:.0f}",
                        f"{100 * np.mean(most < 0.95 * needed):.1f}",
                        f"{100 * np.mean(least > 1.05 * needed):.1f}",
                    ],
                )

    head = [
        *("changes", "pilot", "really needed", "planned, median", "power of one plan in ten"),
        *("range, median", "power of its upper end", "upper end too low", "lower end too high"),
    ]
    table("Queries, and percent:", head, (cells for _, cells in sorted(rows())))
    print(f"\n{time.process_time() - began:,.0f} seconds of CPU.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
