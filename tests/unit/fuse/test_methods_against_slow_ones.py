"""Every method and norm gives what a plain formula gives, query by query."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import rankmark as rm
from conformance import slow_fusion as slow

WEIGHTS = [0.5, 0.3, 0.2]
Run = dict[str, dict[str, float]]


@pytest.fixture(scope="module", params=[False, True], ids=["distinct", "ties"])
def runs(request: pytest.FixtureRequest) -> list[Run]:
    """Three runs of thirty queries, not all of which they all answer, with few or many ties."""
    rng = np.random.default_rng(7)
    found: list[Run] = [{}, {}, {}]
    for run, query in product(range(3), range(30)):
        if rng.random() < 0.1:
            continue
        docs = rng.choice(14, rng.integers(1, 11), replace=False)
        scores = rng.integers(-2, 4, len(docs)) if request.param else rng.normal(1, 3, len(docs))
        found[run][f"q{query}"] = {f"d{d}": float(s) for d, s in zip(docs, scores, strict=True)}
    return found


def _lists(runs: list[Run], query: str) -> tuple[slow.Lists, list[float]]:
    """The lists that exist, and their weights; an absent list adds nothing to any sum."""
    found = [(run[query], w) for run, w in zip(runs, WEIGHTS, strict=True) if query in run]
    return [scores for scores, _ in found], [w for _, w in found]


def _assert_same(found: Run, runs: list[Run], expected: dict[str, slow.Scores]) -> None:
    assert found.keys() == {query for run in runs for query in run}
    for query, scores in found.items():
        assert scores == pytest.approx(expected[query], rel=1e-12, abs=1e-12)
        ranked = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
        assert list(scores) == ranked


@pytest.mark.parametrize("name", [name for name in slow.BY_RANK if name != "Borda"])
def test_methods_of_ranks(name: str, runs: list[Run]) -> None:
    found = rm.fuse(runs, name, weights=WEIGHTS).to_dict()
    _assert_same(found, runs, {q: slow.BY_RANK[name](*_lists(runs, q)) for q in found})


def test_borda_counts_absent_documents(runs: list[Run]) -> None:
    """A run without an answer gives all documents the same points: the mean of all."""
    found = rm.fuse(runs, "Borda", weights=WEIGHTS).to_dict()
    expected = {q: slow.borda([run.get(q, {}) for run in runs], WEIGHTS) for q in found}
    _assert_same(found, runs, expected)


def test_condorcet_orders_by_majorities(runs: list[Run]) -> None:
    found = rm.fuse(runs, "Condorcet", weights=WEIGHTS).to_dict()
    for query, scores in found.items():
        lists = [run.get(query, {}) for run in runs]
        assert list(scores) == slow.condorcet(lists, WEIGHTS)


@pytest.mark.parametrize(("name", "norm"), [*product(slow.COMBINED, slow.NORMS)])
def test_methods_of_scores(name: str, norm: str, runs: list[Run]) -> None:
    if norm == "3-sigma-sample":
        runs = [{q: s for q, s in run.items() if len(s) > 1} for run in runs]
    found = rm.fuse(runs, name, norm=norm).to_dict()
    expected = {
        q: slow.combined([slow.NORMS[norm](s) for s in _lists(runs, q)[0]], slow.COMBINED[name])
        for q in found
    }
    _assert_same(found, runs, expected)


@pytest.mark.parametrize(("name", "norm"), [*product(slow.WEIGHTED, ["none", "min-max", "z"])])
def test_weighted_methods_of_scores(name: str, norm: str, runs: list[Run]) -> None:
    found = rm.fuse(runs, name, norm=norm, weights=WEIGHTS).to_dict()
    expected = {}
    for query in found:
        lists, weights = _lists(runs, query)
        expected[query] = slow.WEIGHTED[name]([slow.NORMS[norm](s) for s in lists], weights)
    _assert_same(found, runs, expected)


@pytest.mark.parametrize("name", list(slow.BY_RANK))
def test_under_the_mean_of_ties_points_are_their_mean_over_all_orders(name: str) -> None:
    """With any order of the tied documents c, d, e of one list, and f, g of the other."""
    one = {"a": 9.0, "c": 5.0, "d": 5.0, "e": 5.0, "f": 1.0}
    other = {"f": 7.0, "g": 7.0, "a": 3.0}
    found = rm.fuse([{"q": one}, {"q": other}], name, weights=[2, 1], ties="mean").to_dict()["q"]
    sums: dict[str, float] = dict.fromkeys(found, 0.0)
    orders = [*product(permutations("cde"), permutations("fg"))]
    for tied, top in orders:
        broken = one | {doc: 5.0 - 0.1 * at for at, doc in enumerate(tied)}
        first = other | {doc: 7.0 - 0.1 * at for at, doc in enumerate(top)}
        for doc, score in slow.BY_RANK[name]([broken, first], [2, 1]).items():
            sums[doc] += score / len(orders)
    assert found == pytest.approx(sums, rel=1e-12)
    assert found["c"] == found["d"] == found["e"]


@pytest.mark.parametrize("exponent", [-1000, -540, -300, -30, 17, 300, 900])
@pytest.mark.parametrize("norm", ["min-max", "sum", "z", "l2", "3-sigma", "3-sigma-sample", "max"])
def test_norms_do_not_depend_on_the_scale_of_scores(norm: str, exponent: int) -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0, "d": -0.5}, "flat": {"a": 1.0, "b": 1.0}}
    scaled = {
        query: {doc: score * 2.0**exponent for doc, score in scores.items()}
        for query, scores in run.items()
    }
    method = f"wsum(norm='{norm}')"
    assert rm.fuse([scaled], method).to_dict() == rm.fuse([run], method).to_dict()


def test_a_sum_is_multiplied_once_so_that_equal_sums_stay_equal() -> None:
    """Both have the sum 7 in two lists; sqrt(2) 1 + sqrt(2) 6 is not sqrt(2) 3 + sqrt(2) 4."""
    lists = [{"q": {"a": 1.0, "b": 3.0}}, {"q": {"a": 6.0, "b": 4.0}}]
    for method in ("Mixed(norm='none')", "CombMNZ(norm='none')", "CombANZ(norm='none')"):
        scores = rm.fuse(lists, method).to_dict()["q"]
        assert scores["a"] == scores["b"]
    assert rm.fuse(lists, "Mixed(norm='none')").to_dict()["q"]["a"] == 7 * 2**0.5
