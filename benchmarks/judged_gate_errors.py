"""`python benchmarks/judged_gate_errors.py`: how often a gate with a model's labels errs.

The mean of each population is lower by just the margin, so that no more than 5% of samples should
pass; the model errs in ways that are hard for the gate. Prints Markdown: how often the gate passes
by people's labels alone, by both as it decides, and by the bounds that were considered instead;
then how often harmless changes pass. A figure above 6% is bold.
"""

import argparse
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy.special import ndtri, stdtrit
from simulated.judged import DIFFERENCES, LOSSES, Population
from simulated.losses import ALL_OR_NOTHING, MIXED, SKEWED, SPARSE, Losses
from simulated.printed import command, share, table

from rankmark.statistics.model_decision import decide_with_model
from rankmark.statistics.random_weighting import approximate_probabilities
from rankmark.statistics.unequal_sampling import drawn, inclusion_probabilities

LEVEL = 0.05
STEPS = 22  # of the bisection
AT_ONCE = 1_500_000  # numbers
PARTS = ("errors", "exact", "probabilities", "power")
Both = Callable[[np.random.Generator, tuple[int, int]], tuple[np.ndarray, np.ndarray]]
Judge = Callable[[np.random.Generator, np.ndarray], np.ndarray]

JUDGES: dict[str, Judge] = {
    "makes no errors": lambda _, x: x,
    "sees half of each": lambda _, x: 0.5 * x,
    "sees no losses": lambda rng, x: (
        np.maximum(x, 0) + 0.1 * (rng.random(x.shape) < 0.3) * rng.random(x.shape)
    ),
    "sees losses as gains": lambda _, x: np.where(x <= -0.3, -x, x),
    "adds noise of 0.1": lambda rng, x: (0.8 * x + 0.1 * rng.standard_normal(x.shape)).clip(-1, 1),
    "misses half of them": lambda rng, x: np.where(rng.random(x.shape) < 0.5, x, 0.0),
}
"""How a model judges differences between -1 and 1."""


def judged(cell: Losses, judge: Judge) -> Both:
    """Return what draws differences by people and by a model."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        people = cell.draw(rng, shape)
        return people, judge(rng, people)

    return draw


def correlated(population: Population, rho: float) -> Both:
    """Return the same of a population whose ranks by people and by the model are correlated."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        people, model = population.draw(rng, shape[0] * shape[1], rho)
        return people.reshape(shape), model.reshape(shape)

    return draw


def populations() -> Iterable[tuple[str, str, float, Both]]:
    """Yield names of changes and of judges, the loss of the mean, and what draws both."""
    cells = [*SPARSE[1:4], *SPARSE[6:], *ALL_OR_NOTHING[1:], *MIXED[2:8], MIXED[9], *SKEWED[1::2]]
    for cell in cells:
        for name, judge in JUDGES.items():
            yield cell.name, name, cell.loss, judged(cell, judge)
    for population in (*DIFFERENCES, *LOSSES):
        for rho in (0.5, 0.9, 0.99):
            name = f"ranks them with a correlation of {rho:g}"
            yield population.name, name, -population.mean(), correlated(population, rho)


def lower(values: np.ndarray, worst: np.ndarray) -> np.ndarray:
    """Return the reweighting bound of each row, by bisection."""
    low, high = worst.copy(), np.maximum(values.mean(axis=1), worst)
    for _ in range(STEPS):
        t = (low + high) / 2
        below = approximate_probabilities(values - t[:, None], np.maximum(t - worst, 1e-12)) <= (
            LEVEL
        )
        low, high = np.where(below, t, low), np.where(below, high, t)
    return low


def bounds(people: np.ndarray, judge: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """Return lower bounds of each row: people judged the first n queries, the model all."""
    x, f, rest = people[:, :n], judge[:, :n], judge[:, n:]
    count = rest.shape[1]
    spread = rest.var(axis=1, ddof=1) / count
    x0, f0 = x - x.mean(axis=1, keepdims=True), f - f.mean(axis=1, keepdims=True)
    scale = 1 / (n * (n - 1))
    a, b = scale * np.sum(x0**2, axis=1), scale * np.sum(x0 * f0, axis=1)
    c = scale * np.sum(f0**2, axis=1) + spread
    useful = (b > 0) & (c > 1e-15)
    best = np.where(useful, b / np.where(useful, c, 1), 0).clip(0, 1)
    share = 1 - LEVEL ** (1 / n)
    size = share * judge.shape[1]
    whole = min(int(size), judge.shape[1] - 1)
    top = -np.partition(-judge, whole, axis=1)[:, : whole + 1]  # the last is the least of them
    largest = (top[:, :whole].sum(axis=1) + (size - whole) * top[:, whole]) / size
    slope, z = np.maximum(share * largest, 0), ndtri(LEVEL)
    steep = z**2 * c - slope**2
    left = np.maximum(a - b * best, 0)
    back = slope * np.sqrt(left / np.where(steep > 0, c * steep, 1))
    ours = np.where(useful & (steep > 0), np.maximum(best - back, 0), 0)
    minus = -np.ones(len(x))
    of_rest = lower(rest, minus)
    found = {"people alone": lower(x, minus)}
    ways = {
        "both": (ours, largest),
        "lambda of PPI++": (best, largest),
        "imagined by people only": (best, judge.mean(axis=1)),
    }
    for name, (lam, top) in ways.items():
        residuals = x - lam[:, None] * f
        worst = np.minimum(-1 - lam * top, residuals.min(axis=1))
        first = residuals.mean(axis=1) - lower(residuals, worst)
        second = lam * (rest.mean(axis=1) - of_rest)
        center = residuals.mean(axis=1) + lam * rest.mean(axis=1)
        found[name] = center - np.hypot(first, second)
    residuals = x - best[:, None] * f
    error = np.sqrt(residuals.var(axis=1, ddof=1) / n + best**2 * spread)
    center = residuals.mean(axis=1) + best * rest.mean(axis=1)
    found["PPI++ by t"] = center - stdtrit(n - 1, 1 - LEVEL) * error
    return found


def passing(
    draw: Both, margin: float, n: int, name: str, options: argparse.Namespace
) -> dict[str, float]:
    """Return in which share of samples each bound lies above the margin."""
    rng = np.random.default_rng(zlib.crc32(f"{name} {n}".encode()))
    queries, left = n * (1 + options.others), options.samples
    passed: dict[str, int] = {}
    while left:
        rows = min(left, max(1, AT_ONCE // queries))
        for way, low in bounds(*draw(rng, (rows, queries)), n).items():
            passed[way] = passed.get(way, 0) + int((low > -margin).sum())
        left -= rows
    return {way: count / options.samples for way, count in passed.items()}


def errors(options: argparse.Namespace) -> None:
    """Print how often populations pass that lose just the margin."""
    every = [*populations()]
    found = {
        n: [
            (passing(draw, loss, n, f"{change}, {judge}", options), f"{change}; it {judge}")
            for change, judge, loss, draw in every
        ]
        for n in options.queries
    }
    ways = [*found[options.queries[0]][0][0]]
    rows = []
    for way in ways:
        cells = []
        top = ("", 0.0)
        for n in options.queries:
            rates = [(one[way], name) for one, name in found[n]]
            most, name = max(rates)
            cells.append(f"{share(most)} ({100 * np.mean([rate for rate, _ in rates]):.1f})")
            top = max(top, (name, most), key=lambda one: one[1])
        rows.append([way, top[0], *cells])
    table(
        f"Percent of samples that pass, though the loss is the margin: the largest of "
        f"{len(every)} populations (and the mean):",
        ["bound", "the hardest", *(f"n = {n}" for n in options.queries)],
        rows,
        words=2,
    )


def exact(options: argparse.Namespace) -> None:
    """Print how far the bounds above are from those of ``decide_with_model``."""
    away = []
    for change, judge, loss, draw in [*populations()][::7]:
        if loss < 0:
            continue
        n = 50
        rng = np.random.default_rng(zlib.crc32(f"{change} {judge}".encode()))
        people, model = draw(rng, (1, n * (1 + options.others)))
        fast = bounds(people, model, n)["both"][0]
        seen = np.where(np.arange(people.shape[1]) < n, people[0], np.nan)
        a, b = np.maximum(-seen, 0), np.maximum(seen, 0)
        slow = decide_with_model(a, b, np.maximum(-model[0], 0), np.maximum(model[0], 0), 0.1)
        away.append(abs(slow.low - fast))
    print(
        f"\nLargest distance of the bounds drawn here from those of `decide_with_model`, in "
        f"{len(away)} samples: {max(away):.5f}."
    )


def unequal(options: argparse.Namespace) -> None:
    """Print how often the gate passes the loss that is the margin, if people judge what changed."""
    samples = max(options.samples // 10, 1)

    def rows() -> Iterable[list[str]]:
        for population in (*LOSSES, DIFFERENCES[2]):
            cells = []
            for n in options.queries:
                rng = np.random.default_rng(zlib.crc32(f"unequal {population.name} {n}".encode()))
                passed = 0
                for _ in range(samples):
                    people, model = population.draw(rng, n * (1 + options.others), 0.9)
                    chances = inclusion_probabilities(np.abs(model), n, uniform=0.5)
                    seen = np.full(len(people), np.nan)
                    chosen = drawn(chances, rng)
                    seen[chosen] = people[chosen]
                    by_people = np.maximum(-seen, 0), np.maximum(seen, 0)
                    by_model = np.maximum(-model, 0), np.maximum(model, 0)
                    found = decide_with_model(*by_people, *by_model, 0.1, probabilities=chances)
                    passed += found.low > population.mean()
                cells.append(share(passed / samples))
            yield [population.name, "ranks them with a correlation of 0.9", *cells]

    table(
        f"Percent of {samples:,} samples that pass, though the loss is the margin, if queries are "
        "chosen for people by the size of the model's differences, half of each probability equal:",
        ["change", "the model", *(f"n = {n}" for n in options.queries)],
        rows(),
        words=2,
    )


def harmless(change: float, spread: float, same: float) -> tuple[str, str, Both]:
    """Some of the queries change for better or worse; the model sees a share of them correctly."""

    def one(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        size = (spread * rng.gamma(1.0, 1.0, shape)).clip(0, 1)
        sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
        return np.where(rng.random(shape) < change, sign * size, 0.0)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        people = one(rng, shape)
        return people, np.where(rng.random(shape) < same, people, one(rng, shape))

    return f"{change:.0%} change, by {spread:g} on average", f"{same:.0%} correctly", draw


def power(options: argparse.Namespace) -> None:
    """Print how often changes of mean 0 pass."""

    def rows() -> Iterable[list[str]]:
        for change, spread in ((1.0, 0.2), (0.3, 0.2), (0.05, 0.2)):
            for same in (0.9, 0.6):
                name, judge, draw = harmless(change, spread, same)
                for margin in (0.02, 0.05):
                    cells = []
                    for n in options.queries:
                        found = passing(draw, margin, n, f"{name}, {judge}", options)
                        alone, both = (100 * found[way] for way in ("people alone", "both"))
                        cells.append(f"{alone:.0f} / {both:.0f}")
                    yield [f"{name}, {judge}", f"{margin:g}", *cells]

    table(
        "Percent of samples that pass where the mean does not change, people alone / both:",
        ["change, and what the model sees", "margin", *(f"n = {n}" for n in options.queries)],
        rows(),
        words=2,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/judged_gate_errors.py", description=__doc__
    )
    parser.add_argument("--samples", type=int, default=1_000, help="a figure (1,000)")
    parser.add_argument("--queries", default="20,50,100,200", help="judged by people")
    parser.add_argument("--others", type=int, default=5, help="judged by the model, for each (5)")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    options = parser.parse_args(argv)
    options.queries = [int(one) for one in options.queries.split(",")]
    began = time.process_time()
    print(command("judged_gate_errors.py", argv))
    print(
        f"{options.samples:,} samples a figure; {options.others} queries with labels of the model "
        "only for each one that people judged; 95% confidence."
    )
    parts = options.parts.split(",")
    if "errors" in parts:
        errors(options)
    if "exact" in parts:
        exact(options)
    if "probabilities" in parts:
        unequal(options)
    if "power" in parts:
        power(options)
    print(f"\n{time.process_time() - began:,.0f} seconds of CPU.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
