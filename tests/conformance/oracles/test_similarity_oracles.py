"""SciPy and ir_measures have some of the coefficients, too, and say the same."""

import math
import random
import warnings

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from generators.effort import examples
from rankmark import InputError, similarity
from rankmark.data.alignment import earlier_lower
from rankmark.similarity import (
    interval,
    kendall_tau,
    p_value,
    ranking,
    rbo,
    rbo_weight,
    spearman_rho,
)
from rankmark.similarity.item_orders import mean_ranks

scores = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda both: tuple(map(float, both))),
    min_size=2,
    max_size=40,
).map(lambda rows: tuple(np.array(column) for column in zip(*rows, strict=True)))
Both = tuple[np.ndarray, np.ndarray]


def quietly(oracle: object, *given: object, **options: object) -> float:
    """Ask SciPy, which warns of constant input where we give NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(oracle(*given, **options).statistic)


@given(both=scores)
def test_kendall_tau_is_that_of_scipy(both: Both) -> None:
    wanted = quietly(stats.kendalltau, *both)
    assert kendall_tau(*both) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@given(both=scores)
def test_spearman_rho_is_that_of_scipy(both: Both) -> None:
    wanted = quietly(stats.spearmanr, *both)
    assert spearman_rho(*both) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("additive", [True, False])
@given(both=scores)
def test_weighted_tau_is_that_of_scipy(additive: bool, both: Both) -> None:
    wanted = quietly(stats.weightedtau, *both, additive=additive)
    ours = similarity.weighted_tau(*both, additive=additive)
    assert ours == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@given(both=scores)
def test_tau_c_is_that_of_scipy(both: Both) -> None:
    wanted = quietly(stats.kendalltau, *both, variant="c")
    assert kendall_tau(*both, variant="c") == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@examples(30)
@given(both=scores, seed=st.integers(0, 99))
def test_weighted_tau_by_other_ranks_is_that_of_scipy(both: Both, seed: int) -> None:
    ranks = np.random.default_rng(seed).permutation(len(both[0]))
    given = ranking(ranks + 1, contents="ranks")
    for theirs, ours in ((True, "both"), (None, "a"), (None, None), (False, False), (ranks, given)):
        wanted = quietly(stats.weightedtau, *both, rank=theirs)
        found = similarity.weighted_tau(*both, rank=ours)
        assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    wanted = quietly(stats.weightedtau, both[1], both[0], rank=None)
    found = similarity.weighted_tau(*both, rank="b")
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_ranks_that_cannot_weigh_are_refused() -> None:
    for rank, why in (
        ("c", "rank is 'c'"),
        (False, "position"),
        (["a"], "lacks"),
        ({"a": 1, "b": 1}, "ties"),
    ):
        with pytest.raises(InputError, match=why):
            similarity.weighted_tau(["a", "b"], ["b", "a"], rank=rank)


@pytest.mark.parametrize("p", [0.3, 0.9, 0.98, 0.9999])
@pytest.mark.parametrize("depth", [1, 2, 10, 100])
def test_the_weight_of_the_first_ranks_is_that_of_the_formula(p: float, depth: int) -> None:
    # Webber, Moffat and Zobel 2010, equation 21.
    below = math.log(1 / (1 - p)) - sum(p**i / i for i in range(1, depth))
    wanted = 1 - p ** (depth - 1) + (1 - p) / p * depth * below
    assert rbo_weight(depth, p=p) == pytest.approx(wanted, abs=1e-10)
    # It is what two lists decide that agree down to this depth, and nowhere below.
    assert rbo(range(depth), range(depth), p=p).min == pytest.approx(wanted, abs=1e-10)
    with pytest.raises(InputError):
        rbo_weight(0, p=p)


def test_weighted_tau_takes_the_weights_that_scipy_takes() -> None:
    x, y = np.array([5.0, 4, 3, 2, 1]), np.array([4.0, 5, 3, 1, 2])
    weights = {0: 1.0, 1: 0.5, 2: 0.0, 3: 0.0, 4: 0.0}
    wanted = stats.weightedtau(x, y, weigher=weights.__getitem__).statistic
    assert similarity.weighted_tau(x, y, weigher=weights.__getitem__) == pytest.approx(wanted)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_mean_ranks_are_those_of_scipy(values: list[int]) -> None:
    assert (
        mean_ranks(np.array(values, dtype=np.int64), np.array([0, len(values)])).tolist()
        == stats.rankdata(values).tolist()
    )


@given(st.lists(st.lists(st.integers(-9, 9), max_size=40), max_size=5))
def test_earlier_and_lower_counts_in_each_segment_alone(segments: list[list[int]]) -> None:
    wanted = [
        sum(other < value for other in values[:at])
        for values in segments
        for at, value in enumerate(values)
    ]
    flat = np.array([value for values in segments for value in values], dtype=np.int64)
    starts = np.cumsum([0, *map(len, segments)])
    assert earlier_lower(flat, starts).tolist() == wanted


def test_a_long_list_is_counted_as_scipy_counts_it() -> None:
    random_scores = np.random.default_rng(4).integers(0, 5000, (2, 20_000)).astype(float)
    wanted = stats.kendalltau(*random_scores).statistic
    assert kendall_tau(*random_scores) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("order", [[1, 0, 2, 3, 4], [4, 2, 3, 0, 1], [0, 1, 2, 3, 4, 5, 6]])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_a_permutation_p_value_of_tau_is_the_exact_one_of_scipy(
    order: list[int], alternative: str
) -> None:
    wanted = stats.kendalltau(range(len(order)), order, method="exact", alternative=alternative)
    b = ranking(order, contents="ranks")
    found = p_value(
        kendall_tau, np.arange(len(order))[::-1].astype(float), b, alternative=alternative
    )
    assert found == pytest.approx(wanted.pvalue, abs=1e-12)


def test_a_bootstrap_interval_is_the_percentile_one_of_scipy() -> None:
    x, y = np.random.default_rng(1).random((2, 15))
    x, y = x[np.argsort(-x)], y[np.argsort(-x)]  # items are drawn in the order of the first
    wanted = stats.bootstrap(
        (x, y),
        lambda one, other: stats.kendalltau(one, other).statistic,
        paired=True,
        vectorized=False,
        n_resamples=200,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert interval(kendall_tau, x, y, resamples=200) == pytest.approx(tuple(wanted), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_compatibility_is_that_of_ir_measures_to_its_depth(seed: int) -> None:
    # It leaves topics without relevant documents out, and sums to the end of the longer list.
    rng = random.Random(seed)
    documents = [f"d{at}" for at in range(40)]
    labels = {doc_id: rng.choice([0, 0, 1, 2, 3]) for doc_id in rng.sample(documents, 15)}
    run = {doc_id: float(rng.randrange(8)) for doc_id in rng.sample(documents, 20)}
    depth = max(len(run), sum(label > 0 for label in labels.values()))
    wanted = ir_measures.calc_aggregate([ir_measures.Compat(p=0.8)], {"q": labels}, {"q": run})
    found = similarity.compatibility(run, labels, p=0.8, depth=depth)
    assert found == pytest.approx(*wanted.values(), abs=1e-12)
    assert not math.isnan(found)
