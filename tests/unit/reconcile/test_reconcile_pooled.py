"""Pooled averages are known, and numbers with the same hits in them are no independent evidence."""

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.verbs.reconcile.certainty import chance_of_divisors


def collection(seed: int, users: int = 40, items: int = 60, k: int = 10) -> tuple[Any, Any, int]:
    """Make liked items and recommendations, and count the hits."""
    draws = np.random.default_rng(seed)
    liked, run = {}, {}
    for user in range(users):
        count = int(draws.integers(1, 13))
        liked[f"u{user}"] = {f"i{item}" for item in draws.choice(items, count, replace=False)}
        run[f"u{user}"] = [f"i{item}" for item in draws.permutation(items)[:k]]
    return liked, run, sum(len(liked[user] & set(run[user])) for user in liked)


@pytest.mark.parametrize(
    ("measure", "how"),
    [("P@10", "min"), ('R(norm="min")@10', "min"), ("R@10", "relevant"), ("P@20", "retrieved")],
)
def test_pooled_averages_are_named(measure: str, how: str) -> None:
    liked, run, hits = collection(0)
    divisors = {
        "min": sum(min(10, len(items)) for items in liked.values()),
        "relevant": sum(map(len, liked.values())),
        "retrieved": 400,
    }
    found = rm.reconcile(liked, run, measure, f"{hits / divisors[how]:.6f}", changes=1)
    answer = next(one for one in found.answers if one.changes[0].name == "pooled")
    assert answer.changes[0].value == how
    assert answer.value == pytest.approx(hits / divisors[how])
    assert "instead of the mean" in answer.then[0]


def test_numbers_with_the_same_hits_compete_with_other_divisors() -> None:
    # 60 hits divided by 200, 210, ..., 240, among all whole numbers near 220.
    reached = np.rint(60 / np.arange(200, 250, 10) * 1e6)
    chance = chance_of_divisors(60.0, reached, float(np.rint(60 / 220 * 1e6)), 1e-6)
    assert 0.05 < chance < 0.2
    assert chance_of_divisors(60.0, reached, 271234.0, 1e-6) == 0
    assert chance_of_divisors(60.0, reached, 27.0, 1e-2) == 0  # too few decimals to tell


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_false_reason_with_the_same_hits_is_never_nearly_certain(seed: int) -> None:
    liked, run, hits = collection(seed)
    for divisor in np.random.default_rng(seed).integers(150, 390, 3).tolist():
        found = rm.reconcile(liked, run, "P@10", f"{hits / divisor:.6f}", changes=1)
        assert all((one.right or 0) < 0.99 for one in found.answers)


def test_a_doubtful_answer_states_its_chance_too() -> None:
    qrels = {f"q{n}": {f"d{n}": 1, f"e{n}": 2} for n in range(5)}
    run = {f"q{n}": [f"d{n}", "x", f"e{n}"][n % 3 :] for n in range(5)}
    found = rm.reconcile(qrels, run, "nDCG", "0.7")
    doubtful = [one for one in found.answers if one.doubtful]
    assert doubtful
    assert "with a probability of" in str(found)
