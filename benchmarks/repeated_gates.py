"""`python benchmarks/repeated_gates.py`: simulate how often a gate passes a run that is too bad.

The new run is worse by just the margin. Each day brings new queries, drawn from the differences of
two runs, shifted; the gate is looked at each day, and passes if it ever does. Prints Markdown.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from simulated.populations import observed
from simulated.printed import command

from rankmark.statistics import confidence_sequence, error_after_looks
from rankmark.statistics.reweighting import approximate_probabilities

LOOKS = (1, 5, 10, 30)
MARGIN = 0.05
LEVEL = 0.05


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate gates at 95% confidence, and print how often they ever pass."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qrels", type=Path, required=True)
    parser.add_argument("--runs", type=Path, nargs=2, required=True, metavar=("BASE", "NEW"))
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--collections", type=int, default=2000)
    parser.add_argument("--queries", type=int, default=10, help="a day (10)")
    options = parser.parse_args(argv)
    name, draw = observed(options.qrels, options.runs, options.measure)
    rng = np.random.default_rng(0)
    days = np.arange(1, LOOKS[-1] + 1) * options.queries
    ways = ("bound of one look", "confidence sequence")
    drawn = np.clip(draw(rng, (options.collections, int(days[-1]))) - MARGIN, -1, 1)
    held = np.zeros((len(ways), LOOKS[-1], options.collections), dtype=bool)
    for day, n in enumerate(days.tolist()):
        losses = np.full(options.collections, 1 - MARGIN)
        p = approximate_probabilities(drawn[:, :n] + MARGIN, losses)
        held[0, day] = p < LEVEL
    for number, d in enumerate(drawn):
        lows = confidence_sequence(d, (-1, 1), 1 - 2 * LEVEL).lows
        held[1, :, number] = lows[days - 1] > -MARGIN
    passed = dict(zip(ways, np.maximum.accumulate(held, axis=1).sum(axis=2), strict=True))
    print(command("repeated_gates.py", argv))
    print(f"{name}; {options.collections:,} simulations, {options.queries} queries a day.\n")
    print("| bounds | " + " | ".join(f"{looks} look{'s' * (looks > 1)}" for looks in LOOKS) + " |")
    print("| --- |" + " ---: |" * len(LOOKS))
    theory = [error_after_looks(looks, alternative="greater") for looks in LOOKS]
    rows = {
        way: (count / options.collections)[np.array(LOOKS) - 1] for way, count in passed.items()
    }
    for way, shares in {**rows, "one look, in theory": theory}.items():
        print(f"| {way} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
