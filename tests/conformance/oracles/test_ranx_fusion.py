"""Fusion by rankmark.compat.ranx against ranx, where it is installed; calls take minutes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankmark.compat import ranx as face

theirs = pytest.importorskip("ranx")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # numba's, of unsafe casts
    pytest.mark.slow,
]

NORMS = (None, "min-max", "min-max-inverted", "max", "sum", "zmuv", "rank", "borda")
OF_RANKS: list[tuple[str, dict[str, Any]]] = [
    ("rrf", {"k": 10}),
    ("rbc", {"phi": 0.7}),
    ("isr", {}),
    ("log_isr", {}),
    ("logn_isr", {"sigma": 0.3}),
    ("bordafuse", {}),
    ("w_bordafuse", {"weights": [0.5, 0.3, 0.2]}),
]
OF_SCORES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ("min", "max", "med", "sum", "anz", "mnz")),
    ("gmnz", {"gamma": 0.5}),
    *((name, {"weights": [0.5, 0.3, 0.2]}) for name in ("wsum", "wmnz", "mixed")),
]
CASES = [(*one, norm) for one in OF_RANKS for norm in (None, "min-max-inverted")]
CASES += [(*one, norm) for one in OF_SCORES for norm in NORMS]


def runs(seed: int) -> list[dict[str, dict[str, float]]]:
    """Three runs of the same queries; scores are distinct, as ranks of equal ones are chance."""
    rng = np.random.default_rng(seed)
    return [
        {
            f"q{query}": {
                f"d{doc}": float(rng.normal(0, 3))
                for doc in rng.choice(14, rng.integers(1, 10), replace=False)
            }
            for query in range(5)
        }
        for _ in range(3)
    ]


def fused(
    given: list[dict[str, dict[str, float]]], norm: str | None, method: str, params: dict[str, Any]
) -> tuple[Any, Any]:
    """Fuse by ranx and by its interface here."""
    expected, found = (
        module.fuse(
            [module.Run(run, name=str(number)) for number, run in enumerate(given)],
            norm=norm,
            method=method,
            params=params,
        )
        for module in (theirs, face)
    )
    return expected, found


@pytest.mark.parametrize(("method", "params", "norm"), CASES)
def test_scores_are_the_same(method: str, params: dict[str, Any], norm: str | None) -> None:
    given = runs(len(method))
    expected, found = fused(given, norm, method, params)
    assert found.name == expected.name
    for query in given[0]:
        assert found[query] == pytest.approx(dict(expected[query]), rel=1e-9, abs=1e-12)


def runs_with_ties(seed: int) -> list[dict[str, dict[str, float]]]:
    """Three runs whose scores are tenths, so that many sums are equal; ranks in a list are not."""
    rng = np.random.default_rng(seed)
    return [
        {
            f"q{query}": {
                f"d{doc}": score / 10
                for doc, score in zip(
                    rng.choice(12, size, replace=False),
                    rng.choice(13, size, replace=False).tolist(),
                    strict=True,
                )
            }
            for query in range(30)
            for size in (int(rng.integers(1, 11)),)
        }
        for _ in range(3)
    ]


# Without RBC, whose powers ranx multiplies up, rounding each time.
@pytest.mark.parametrize(("method", "params", "norm"), [case for case in CASES if case[0] != "rbc"])
def test_scores_with_many_ties_have_the_same_bits(
    method: str, params: dict[str, Any], norm: str | None
) -> None:
    given = runs_with_ties(len(method))
    expected, found = fused(given, norm, method, params)
    differ = [query for query in given[0] if found[query] != dict(expected[query])]
    assert differ == []


# Without RBC, whose sums differ in the last bit, and Borda, whose ties follow a set of ids.
WITH_TIES = [("sum", {}), ("max", {}), ("mnz", {}), ("anz", {}), ("isr", {}), ("rrf", {"k": 60})]
WITH_TIES += [("mixed", {"weights": [0.5, 0.3, 0.2]}), ("wmnz", {"weights": [0.5, 0.3, 0.2]})]
WITH_TIES += [("wsum", {"weights": [0.5, 0.25, 0.25]}), ("wsum", {"weights": [0.0, 1.0, 0.0]})]


@pytest.mark.parametrize(("method", "params"), WITH_TIES)
def test_equal_fused_scores_of_long_lists_are_in_the_same_order(
    method: str, params: dict[str, Any]
) -> None:
    rng = np.random.default_rng(7)
    given = [
        {
            "q": {
                f"d{doc}": float(rng.integers(0, 10)) / 4
                for doc in rng.choice(40, size, replace=False)
            }
        }
        for size in (20, 22, 20)
    ]
    expected, found = fused(given, None, method, params)
    assert list(found["q"]) == list(expected["q"])
