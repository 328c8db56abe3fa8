"""`python benchmarks/counterfactual_coverage.py`: how often intervals of such values hold.

Draws logs of a ranker with known probabilities, and values another ranker by the methods of
`rm.counterfactual`, with and without its floor of the effective sample size. Prints Markdown, with
the rows of the worst cells first. Bold: more than 1.5 points too low.
"""

import argparse
import math
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from simulated.printed import command, table

from rankmark.clicks.counterfactual.counterfactual import value_of
from rankmark.clicks.counterfactual.weighted_rewards import Rewards, Shown, Units, earned
from rankmark.statistics.query_weights import effective_number

METHODS = ("IPS", "SNIPS", "independent", "cascade", "cascade-SNIPS")
LOOKS = 1 / np.arange(1, 11)
NEW = np.array([0.1, 0.2, 0.3, 0.4])
OFTEN, RARELY = np.array([0.3, 0.4, 0.5, 0.6]), np.array([0.01, 0.02, 0.05, 0.1])


class World(NamedTuple):
    """A ranker that draws documents of four kinds at each rank, a new one, and what users like."""

    name: str
    old: Any
    new: Any
    like: Any
    ranks: int

    def draw(self, random: np.random.Generator, n: int, method: str) -> Rewards:
        """Draw a log, and weigh its rewards."""
        kinds = random.choice(4, (n, self.ranks), p=self.old)
        click = (random.random(kinds.shape) < self.like[kinds]).astype(np.float64)
        none = np.zeros(kinds.size)
        rank = np.tile(np.arange(1, self.ranks + 1), n)
        issue, ratio = np.repeat(np.arange(n), self.ranks), (self.new / self.old)[kinds].ravel()
        found = earned(Shown(issue, rank, click.ravel(), ratio, none, none, n), method, math.inf)
        logged = click.sum(axis=1)
        return _rewards(found.values, found.rewards, logged, found.weights, found.effective_n)

    @property
    def truth(self) -> float:
        """What the new ranker earns."""
        return float(self.ranks * (self.new @ self.like))


def _rewards(values: Any, rewards: Any, logged: Any, weights: Any, effective: float) -> Rewards:
    units = Units(np.ones(len(values)), "issue")
    return Rewards(values, rewards, logged, units, weights, 0, effective, math.nan, 0, 0)


MILD, HEAVY, EXTREME = [0.4, 0.3, 0.2, 0.1], [0.9, 0.07, 0.02, 0.01], [0.97, 0.02, 0.007, 0.003]
WORLDS = [
    World(f"{weights}, {clicks}, {ranks} rank{'s' * (ranks > 1)}", np.array(old), NEW, like, ranks)
    for ranks in (1, 3)
    for weights, old in (("mild", MILD), ("heavy", HEAVY), ("extreme", EXTREME))
    for clicks, like in (("clicks often", OFTEN), ("clicks rarely", RARELY))
]


class Turned(NamedTuple):
    """Ten documents in one order, and the reverse of it, which are looked at as 1 / rank."""

    name: str
    like: Any

    def draw(self, random: np.random.Generator, n: int, _: str) -> Rewards:
        """Draw a log, and move its clicks."""
        click = random.random((n, 10)) < LOOKS * self.like
        weights = LOOKS[::-1] / LOOKS
        values, of_clicks = (click * weights).sum(axis=1), np.tile(weights, (n, 1))[click]
        return _rewards(values, values, click.sum(axis=1), of_clicks, effective_number(of_clicks))

    @property
    def truth(self) -> float:
        """What the reverse order earns."""
        return float((LOOKS[::-1] * self.like).sum())


TURNED = [
    Turned("ten documents turned round, liked alike", np.full(10, 0.3)),
    Turned("ten documents turned round, the last liked", np.linspace(0.05, 0.6, 10)),
    Turned("ten documents turned round, rarely liked", np.full(10, 0.03)),
]


def cells(samples: int, numbers: Sequence[int], only: str) -> Iterator[tuple[float, list[str]]]:
    """Yield the rows of the table, with the worst share that holds by default."""
    kinds: list[tuple[World | Turned, str]] = [(one, way) for one in WORLDS for way in METHODS]
    kinds += [(one, "item-position") for one in TURNED]
    for world, method in kinds:
        if only not in f"{world.name} {method}":
            continue
        worst, texts = 1.0, []
        for n in numbers:
            random = np.random.default_rng(zlib.crc32(f"{world.name} {method} {n}".encode()))
            held: dict[float, list[bool]] = {0.0: [], 50.0: []}
            for _ in range(samples):
                found = world.draw(random, n, method)
                for least, each in held.items():
                    settings = {"method": method, "clip": None, "confidence": 0.95}
                    value = value_of(found, settings | {"min_effective": least}).value
                    if not value.undefined:
                        each.append(value.low <= world.truth <= value.high)
            given = len(held[50.0]) / samples
            texts += [_share(held[0.0]), _share(held[50.0]) if given else "", f"{100 * given:.0f}"]
            if given >= 0.1:
                worst = min(worst, float(np.mean(held[50.0])))
        yield worst, [f"{world.name}", method, *texts]


def _share(held: Sequence[bool]) -> str:
    share = float(np.mean(held)) if held else math.nan
    return f"**{100 * share:.1f}**" if share < 0.935 else f"{100 * share:.1f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/counterfactual_coverage.py", description=__doc__
    )
    parser.add_argument("--samples", type=int, default=1000, help="a figure (1000)")
    parser.add_argument("--issues", default="30,100,300,1000,3000", help="in a log")
    parser.add_argument("--only", default="", help="worlds and methods whose names contain this")
    options = parser.parse_args(argv)
    numbers = [int(one) for one in options.issues.split(",")]
    began = time.process_time()
    print(command("counterfactual_coverage.py", argv))
    head = ["log", "method"]
    for n in numbers:
        head += [f"n = {n:,}, no floor", "default", "% with a value"]
    rows = sorted(cells(options.samples, numbers, options.only))
    title = "Percent of intervals of 95% that hold the value:"
    table(title, head, (texts for _, texts in rows), words=2)
    print(f"\n{time.process_time() - began:,.0f} seconds of CPU.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
