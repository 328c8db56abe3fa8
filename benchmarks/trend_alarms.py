"""`python benchmarks/trend_alarms.py`: how often a trend finds a change where there is none.

Each record differs from the first by chance: no mean difference in the population, of which the
queries are drawn. All records are looked at as they come. Prints Markdown: the share of series in
which any look finds a change, and of those in which the twentieth record is truly worse by .05, and
those after it, how many find a change at or after it and none before.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.special import stdtr
from simulated.printed import command, table

from rankmark.statistics.reweighting import approximate_probabilities

LEVEL, DROP, DROPS_AT = 0.05, 0.05, 20
QUERIES, LOOKS = (20, 50, 200), 50
Array = np.ndarray[Any, Any]


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return differences in all queries."""
    return rng.normal(0.0, 0.15, shape)


def few(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return differences in a tenth of the queries."""
    return rng.normal(0.0, 0.4, shape) * (rng.random(shape) < 0.1)


def rare(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Return small gains, and large losses in one of fifty queries."""
    lost = rng.random(shape) < 0.02
    return np.where(lost, -0.5, 0.5 * 0.02 / 0.98) + rng.normal(0.0, 0.02, shape)


DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "all queries move": normal,
    "a tenth of the queries moves": few,
    "2% of the queries lose .5, the others gain": rare,
}


def p_of_bounds(differences: Array) -> Array:
    """Return p of the reweighting bounds over the last axis, differences being from -1 to 1."""
    flat = differences.reshape(-1, differences.shape[-1])
    ones = np.ones(len(flat))
    either = [approximate_probabilities(one, ones) for one in (flat, -flat)]
    p: Array = np.minimum(1.0, 2 * np.minimum(*either))
    return p.reshape(differences.shape[:-1])


def p_of_t(differences: Array) -> Array:
    """Return p of Student's t over the last axis."""
    n = differences.shape[-1]
    error = differences.std(axis=-1, ddof=1) / np.sqrt(n)
    t = np.divide(differences.mean(axis=-1), error, out=np.zeros_like(error), where=error > 0)
    found: Array = 2 * stdtr(n - 1, -abs(t))
    return found


WAYS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "t, each at 5%": lambda t, _, __: t <= LEVEL,
    "t, Holm over the records so far": lambda t, _, i: (
        np.minimum.accumulate(t, axis=1) <= LEVEL / i
    ),
    "`trend`: t, at 5% / (i (i + 1))": lambda t, _, i: t <= LEVEL / (i * (i + 1)),
    "bounds of `gate`, at the same levels": lambda _, p, i: p <= LEVEL / (i * (i + 1)),
}


def found_at(differences: Array) -> list[Array]:
    """Return at which looks each way finds a change: (series, looks) bool."""
    looks = np.arange(1, differences.shape[1] + 1)
    t, bounds = p_of_t(differences), p_of_bounds(differences)
    return [way(t, bounds, looks) for way in WAYS.values()]


def outcomes(
    draw: Callable[[np.random.Generator, tuple[int, ...]], Array],
    queries: int,
    series: int,
    rng: np.random.Generator,
) -> dict[str, list[Array]]:
    """Return in which series each way finds a change: (series,) bool, with and without a drop."""
    drawn = np.clip(draw(rng, (series, LOOKS, queries)), -1 + DROP, 1)
    alarms = found_at(drawn)
    drawn[:, DROPS_AT - 1 :] -= DROP
    found = found_at(drawn)
    return {
        "false alarm in 10": [np.any(one[:, :10], axis=1) for one in alarms],
        f"false alarm in {LOOKS}": [np.any(one, axis=1) for one in alarms],
        f"drop of {DROP} found": [
            one[:, DROPS_AT - 1 :].any(axis=1) & ~one[:, : DROPS_AT - 1].any(axis=1)
            for one in found
        ],
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate series, and print how often they err, and what they find."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=2000)
    series = parser.parse_args(argv).series
    rng = np.random.default_rng(0)
    print(command("trend_alarms.py", argv))
    table(
        f"{series:,} series of {LOOKS} records.",
        ["differences", "looks", "queries", *WAYS],
        (
            [name, told, str(queries), *(f"{one.mean():.1%}" for one in shares)]
            for (name, draw), queries in product(DRAWS.items(), QUERIES)
            for told, shares in outcomes(draw, queries, series, rng).items()
        ),
        words=2,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
