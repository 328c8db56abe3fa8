"""Runs of 200 queries with one relevant document each, for gates."""

from typing import Any

import numpy as np

import rankmark as rm

QUERIES = 200
OLD = [1 + n % 3 for n in range(QUERIES)]
BETTER = [1 + n % 2 for n in range(QUERIES)]
WORSE = [4 + n % 3 for n in range(QUERIES)]
UNSURE = [1 + (n * 7) % 5 for n in range(QUERIES)]


def run_of(ranks: list[int]) -> dict[str, dict[str, float]]:
    """Make a run that ranks the relevant document of each query at a rank from 1 to 10."""
    return {
        f"q{number}": {f"d{place}": -float(place) for place in range(1, 11) if place != rank}
        | {"a": -float(rank)}
        for number, rank in enumerate(ranks)
    }


def judged(count: int = QUERIES) -> dict[str, dict[str, int]]:
    return {f"q{number}": {"a": 1} for number in range(count)}


def gate(new: Any, base: Any = None, **choices: Any) -> rm.GateResult:
    base = run_of(OLD) if base is None else base
    return rm.gate(judged(), base, new, "RR", **{"max_drop": 0.05, **choices})


def scores(ranks: list[int]) -> np.ndarray:
    return 1 / np.array(ranks, dtype=float)
