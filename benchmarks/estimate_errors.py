"""`python benchmarks/estimate_errors.py`: how often intervals of `rankmark estimate` miss.

Prints Markdown: the share of samples whose interval holds the mean by human labels, for means,
differences, strata and unequal inclusion probabilities; and how often a one-sided bound passes a
run that loses just the margin. Bold: more than 1.5 points off, on the misleading side.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from simulated.judged import DIFFERENCES, LOSSES, MEANS, Population
from simulated.printed import command, table

from rankmark.statistics import Interval
from rankmark.statistics.labelled_samples import drawn, inclusion_probabilities
from rankmark.statistics.prediction_powered import (
    PredictionMethod,
    PredictionPowered,
    prediction_powered,
)

PARTS = ("means", "differences", "strata", "probabilities", "margins")
CORRELATIONS = (0.5, 0.9)
WAYS: tuple[PredictionMethod, ...] = ("ppi++", "ppi")
OTHERS = 10  # queries judged by the model only, for each one judged by people
Sample = Callable[[np.random.Generator, Population, int, float], dict[str, PredictionPowered]]


def simple(
    rng: np.random.Generator, population: Population, n: int, correlation: float
) -> dict[str, PredictionPowered]:
    """Estimate from a simple random sample in each way."""
    people, model = population.draw(rng, n * (1 + OTHERS), correlation)
    people[n:] = np.nan
    found = {
        way: prediction_powered(people, model, method=way, between=population.between)
        for way in WAYS
    }
    by_t = {"ppi++ by t": prediction_powered(people, model)}
    return found | by_t | {"published": prediction_powered(people, model, form="normal")}


def stratified(
    rng: np.random.Generator, population: Population, n: int, correlation: float
) -> dict[str, PredictionPowered]:
    """Estimate from four strata by the model's score, with equal numbers and proportional ones."""
    people, model = population.draw(rng, n * (1 + OTHERS), correlation)
    cuts = population.model(np.array([0.25, 0.5, 0.75]))
    strata = np.searchsorted(np.unique(cuts), model, side="right")
    found = {}
    for way in ("proportional", "as many of each"):
        judged = np.full(len(people), np.nan)
        names, counts = np.unique(strata, return_counts=True)
        for name, count in zip(names, counts, strict=True):
            wish = n * count / len(people) if way == "proportional" else n / len(names)
            size = min(max(2, round(wish)), count)
            rows = rng.choice(np.flatnonzero(strata == name), size, replace=False)
            judged[rows] = people[rows]
        found[way] = prediction_powered(
            judged, model, strata=strata.tolist(), between=population.between
        )
    return found


def unequal(
    rng: np.random.Generator, population: Population, n: int, correlation: float
) -> dict[str, PredictionPowered]:
    """Estimate from samples that prefer queries by the model's scores."""
    people, model = population.draw(rng, n * (1 + OTHERS), correlation)
    found = {}
    for uniform in (0.5, 0.25):
        chances = inclusion_probabilities(np.abs(model), n, uniform=uniform)
        judged = np.full(len(people), np.nan)
        rows = drawn(chances, rng)
        judged[rows] = people[rows]
        found[f"{uniform:.0%} equal"] = prediction_powered(
            judged, model, probabilities=chances, between=population.between
        )
    return found


def coverage(
    sample: Sample, population: Population, n: int, correlation: float, draws: int
) -> dict[str, tuple[float, float]]:
    """Return the share of intervals that hold the mean, and their width, by way."""
    rng = np.random.default_rng(zlib.crc32(f"{population.name} {n} {correlation}".encode()))
    truth = population.mean()
    holding: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(draws):
        found = sample(rng, population, n, correlation)
        intervals = {way: one.interval for way, one in found.items()}
        alone = next(iter(found.values())).people
        for way, one in {"people alone": alone, **intervals}.items():
            holds = one.low - 1e-12 <= truth <= one.high + 1e-12  # NaN holds nothing
            width = 0.0 if one.undefined else one.high - one.low
            holding.setdefault(way, []).append((holds, width))
    return {
        way: (float(np.mean([holds for holds, _ in each])), float(np.mean([w for _, w in each])))
        for way, each in holding.items()
    }


def covered(
    title: str, sample: Sample, populations: Sequence[Population], options: argparse.Namespace
) -> None:
    """Print a row for each population, correlation and way, those with the worst cell first."""

    def rows() -> Iterable[tuple[float, list[str]]]:
        for population in populations:
            if options.only not in population.name:
                continue
            for correlation in CORRELATIONS:
                by_n = [
                    coverage(sample, population, n, correlation, options.draws(n))
                    for n in options.queries
                ]
                for way in by_n[0]:
                    cells = []
                    for one in by_n:
                        share, width = one[way]
                        text = f"{100 * share:.1f}"
                        cells.append(f"{f'**{text}**' if share < 0.935 else text} ({width:.3f})")
                    worst = min(one[way][0] for one in by_n)
                    yield worst, [f"{population.name}, {correlation}", way, *cells]

    head = ["scores, correlation", "estimate", *(f"n = {n}" for n in options.queries)]
    table(title, head, (cells for _, cells in sorted(rows())), words=2)


def passing(found: dict[str, PredictionPowered], loss: float) -> dict[str, bool]:
    """Return which lower bounds lie above a loss; without a spread, the mean is its own bound."""

    def low(one: Interval) -> float:
        return one.estimate if one.undefined else one.low

    plus, whole = found["ppi++"].interval, found["ppi"].interval
    return {
        "both ppi++ and ppi": min(low(plus), low(whole)) > loss,
        "ppi++": low(plus) > loss,
        "ppi": low(whole) > loss,
        "ppi++ by t": low(found["t"].interval) > loss,
        "people alone": low(found["ppi++"].people) > loss,
    }


def margins(options: argparse.Namespace) -> None:
    """Print how often lower bounds pass a run whose mean is lower by just the margin."""

    def rows() -> Iterable[list[str]]:
        for population in (*DIFFERENCES, *LOSSES):
            if options.only not in population.name:
                continue
            loss = population.mean()
            for correlation in CORRELATIONS:
                cells: dict[str, list[str]] = {}
                for n in options.queries:
                    rng = np.random.default_rng(zlib.crc32(f"gate {population.name} {n}".encode()))
                    passed: dict[str, int] = {}
                    draws = options.draws(n)
                    for _ in range(draws):
                        people, model = population.draw(rng, n * (1 + OTHERS), correlation)
                        people[n:] = np.nan
                        found: dict[str, PredictionPowered] = {
                            way: prediction_powered(
                                people,
                                model,
                                method=way,
                                confidence=0.9,
                                between=population.between,
                            )
                            for way in WAYS
                        }
                        found["t"] = prediction_powered(people, model, confidence=0.9)
                        for way, passes in passing(found, loss).items():
                            passed[way] = passed.get(way, 0) + passes
                    for way, count in passed.items():
                        text = f"{100 * count / draws:.1f}"
                        text = f"**{text}**" if count / draws > 0.065 else text
                        cells.setdefault(way, []).append(text)
                for way, row in cells.items():
                    yield [f"{population.name}, {correlation}", way, *row]

    head = ["differences, correlation", "bounds from", *(f"n = {n}" for n in options.queries)]
    title = "Percent of samples that pass at 95% confidence, though the loss is the margin:"
    table(title, head, rows(), words=2)


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/estimate_errors.py", description=__doc__
    )
    parser.add_argument("--samples", type=int, default=1_000, help="a figure (1,000)")
    parser.add_argument("--queries", default="10,20,30,50,100,500", help="judged by people")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--only", default="", help="populations whose names contain this")
    options = parser.parse_args(argv)
    options.queries = [int(one) for one in options.queries.split(",")]
    options.draws = lambda n: max(options.samples // (4 if n > 200 else 1), 1)
    began = time.process_time()
    print(command("estimate_errors.py", argv))
    print(
        f"{options.samples:,} samples a figure, a quarter for n = 500; {OTHERS} queries with labels"
        " of the model only for each one that people judged."
    )
    parts = options.parts.split(",")
    title = "Percent of intervals of 95% that hold the mean (and their mean width), {}:"
    if "means" in parts:
        covered(title.format("means of scores"), simple, MEANS, options)
    if "differences" in parts:
        covered(title.format("differences"), simple, (*DIFFERENCES, *LOSSES), options)
    if "strata" in parts:
        covered(title.format("four strata by the model's score"), stratified, MEANS, options)
    if "probabilities" in parts:
        title = title.format("unequal probabilities")
        covered(title, unequal, (*DIFFERENCES, *LOSSES), options)
    if "margins" in parts:
        margins(options)
    print(f"\n{time.process_time() - began:,.0f} seconds of CPU.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
