"""`python benchmarks/traffic_draws.py`: gates of queries that were drawn by traffic, or weighted.

Some heavy queries of a log lose everything, and the margin is what that costs: a gate should pass
at most 5% of samples. Compares samples of distinct queries with weights, where the heaviest query
is that of the sample or that of the log, with draws by traffic that count once. Prints Markdown.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence

import numpy as np
from simulated.printed import command, share, table

from rankmark.statistics.reweighting import of_mean

LOG = 10_000  # queries
RANKS = np.arange(1, LOG + 1)
CELLS = {
    "1% weigh 50, all of them lost": (np.where(RANKS <= 0.01 * LOG, 50.0, 1.0), 0.01),
    "5% weigh 20, a fifth of them lost": (np.where(RANKS <= 0.05 * LOG, 20.0, 1.0), 0.01),
    "Zipf 0.8, the first 0.1% lost": (1 / RANKS**0.8, 0.001),
    "Zipf 0.8, the first 0.5% lost": (1 / RANKS**0.8, 0.005),
    "Zipf 0.8, the first 2% lost": (1 / RANKS**0.8, 0.02),
    "Zipf 1.1, the first 0.02% lost": (1 / RANKS**1.1, 0.0002),
    "Zipf 1.1, the first 1% lost": (1 / RANKS**1.1, 0.01),
}
LEVEL = 0.05


def passed(
    weights: np.ndarray, lost: float, n: int, samples: int, heavy: int
) -> tuple[float, float, float]:
    """Return how often a gate passes: with weights of the sample, of the log, and by draws."""
    rng = np.random.default_rng(n)
    breaks = lost * LOG >= RANKS
    margin = float(weights[breaks].sum() / weights.sum())
    counts = [0, 0, 0]
    for at in range(samples):
        drawn = rng.choice(LOG, n, p=weights / weights.sum())
        differences = np.where(breaks[drawn], -1.0, 0.0)
        counts[2] += of_mean(differences, -1.0).p(-margin) < LEVEL
        if at < heavy:  # these take much longer
            rows = rng.choice(LOG, n, replace=False)
            differences = np.where(breaks[rows], -1.0, 0.0)
            for place, largest in enumerate((None, float(weights.max()))):
                found = of_mean(differences, -1.0, weights[rows], largest=largest)
                counts[place] += found.p(-margin) < LEVEL
    return counts[0] / heavy, counts[1] / heavy, counts[2] / samples


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(prog="python benchmarks/traffic_draws.py", description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000, help="of draws (2,000)")
    parser.add_argument("--weighted", type=int, default=400, help="samples with weights (400)")
    parser.add_argument("--queries", default="25,50,100,400", help="in a sample")
    options = parser.parse_args(argv)
    numbers = [int(one) for one in options.queries.split(",")]
    print(command("traffic_draws.py", argv))

    def rows() -> Iterable[tuple[float, list[str]]]:
        for name, (weights, lost) in CELLS.items():
            found = [passed(weights, lost, n, options.samples, options.weighted) for n in numbers]
            texts = [share(one[way]) for way in range(3) for one in found]
            yield -max(one[2] for one in found), [name, *texts]

    ways = ("weights, heaviest of the sample", "weights, heaviest of the log", "draws")
    head = ["log", *(f"{way}, n = {n}" for way in ways for n in numbers)]
    table("Percent of samples that pass:", head, (cells for _, cells in sorted(rows())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
