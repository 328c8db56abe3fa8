"""`python benchmarks/repeated_gates.py`: simulate how often a gate passes a run that is too bad.

The new run is worse by just the margin. Each day brings new queries, drawn from the differences of
two runs, shifted; the gate is looked at each day, and passes if it ever does. Prints Markdown.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import stdtrit
from simulated.populations import observed

from rankmark.statistics import confidence_sequence, error_after_looks

LOOKS = (1, 5, 10, 30)
MARGIN = 0.01


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
    passed = {"Student's t": np.zeros(len(LOOKS)), "confidence sequence": np.zeros(len(LOOKS))}
    for _ in range(options.collections):
        d = np.clip(draw(rng, (1, int(days[-1]))).ravel() - MARGIN, -1, 1)
        means = np.cumsum(d)[days - 1] / days
        errors = np.sqrt((np.cumsum(d**2)[days - 1] / days - means**2) / (days - 1))
        lows = {
            "Student's t": means - stdtrit(days - 1, 0.95) * errors,
            "confidence sequence": confidence_sequence(d, (-1, 1), 0.9).lows[days - 1],
        }
        for way, low in lows.items():
            holds = np.maximum.accumulate(low > -MARGIN)
            passed[way] += holds[np.array(LOOKS) - 1]
    print(f"`python benchmarks/repeated_gates.py {shlex.join(argv or sys.argv[1:])}`\n")
    print(f"{name}; {options.collections:,} simulations, {options.queries} queries a day.\n")
    print("| bounds | " + " | ".join(f"{looks} look{'s' * (looks > 1)}" for looks in LOOKS) + " |")
    print("| --- |" + " ---: |" * len(LOOKS))
    theory = [error_after_looks(looks, alternative="greater") for looks in LOOKS]
    rows = {way: count / options.collections for way, count in passed.items()}
    for way, shares in {**rows, "t, in theory": theory}.items():
        print(f"| {way} | " + " | ".join(f"{share:.1%}" for share in shares) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
