"""`python benchmarks/agreement_coverage.py`: how often intervals of agreement hold it.

Draws queries with the labels of two judges, as `rm.compare_judgments` gets them, and counts how
often intervals hold the figures of very many queries. Prints Markdown, with the rows of the worst
cells by default first. Bold: more than 1.5 points too low.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from simulated.labels import JUDGINGS, LABELS, Judging
from simulated.printed import command, table

from rankmark.judges.agreement.agreement_figures import figures_of
from rankmark.judges.agreement.agreement_intervals import Method, Sampling, figure_intervals
from rankmark.judges.agreement.given_labels import Scale

FIGURES = figures_of(Scale.of(LABELS))
SHOWN = {
    "kappa": "kappa",
    "kappa_quadratic": "kappa, quadratic",
    "ac1": "AC1",
    "alpha_ordinal": "alpha, ordinal",
    "agreement": "agreement",
    "bias": "mean difference",
}
WAYS: dict[Method, str] = {"jackknife": "jackknife", "auto": "default"}
TRUTH = 400_000  # queries
RESAMPLES = 1_000  # in each interval, which is less precise than 4,000, and as valid


def coverage(judging: Judging, queries: int, samples: int) -> dict[str, list[float]]:
    """Return the share of intervals that hold a figure, their width, and the share without one."""
    rng = np.random.default_rng(zlib.crc32(f"{judging.name} {queries}".encode()))
    total = sum(judging.draw(rng, TRUTH // 10).sum(0) for _ in range(10))
    truth = dict(zip(FIGURES.names, FIGURES.of(total).tolist(), strict=True))
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(samples):
        tables = judging.draw(rng, queries)
        for way in WAYS:
            intervals = figure_intervals(FIGURES, tables, Sampling(way, resamples=RESAMPLES))
            for name in SHOWN:
                one = intervals[name]
                if not one.undefined:
                    holds = one.low <= truth[name] <= one.high
                    found.setdefault(f"{name} {way}", []).append((holds, one.high - one.low))
    return {key: [*np.mean(each, axis=0), 1 - len(each) / samples] for key, each in found.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/agreement_coverage.py", description=__doc__
    )
    parser.add_argument("--samples", type=int, default=500, help="a figure (500)")
    parser.add_argument("--queries", default="5,10,20,50", help="in a sample")
    parser.add_argument("--only", default="", help="populations whose names contain this")
    options = parser.parse_args(argv)
    numbers = [int(one) for one in options.queries.split(",")]
    began = time.process_time()
    print(command("agreement_coverage.py", argv))
    cells = {
        judging.name: {n: coverage(judging, n, options.samples) for n in numbers}
        for judging in JUDGINGS
        if options.only in judging.name
    }

    def rows(name: str) -> Iterable[tuple[float, list[str]]]:
        for population, by_n in cells.items():
            texts, worst = [], 1.0
            for way in WAYS:
                for found in by_n.values():
                    share, width, _ = found[f"{name} {way}"]
                    text = f"{100 * share:.1f}"
                    texts.append(f"{f'**{text}**' if share < 0.935 else text} ({width:.2f})")
                    worst = min(worst, share) if way == "auto" else worst
            yield worst, [population, *texts]

    head = ["judging", *(f"{way}, {n} queries" for way in WAYS.values() for n in numbers)]
    for name, words in SHOWN.items():
        title = f"{words}: percent of intervals of 95% that hold it (and their mean width)"
        table(title, head, (texts for _, texts in sorted(rows(name))))
    undefined = max(
        (found[key][2], f"{population}, {n} queries")
        for population, by_n in cells.items()
        for n, found in by_n.items()
        for key in found
    )
    print(f"\nMost samples without an interval: {undefined[0]:.1%} ({undefined[1]}).")
    print(f"{time.process_time() - began:,.0f} seconds of CPU.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
