"""Flat labels with groups give LightGBM's and scikit-learn's nDCG, under the conventions stated."""

import statistics
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.voices import lightgbm_says, scikit_learn_says

# What LightGBM does; it ranks tied rows as they stand.
THEIRS: dict[str, Any] = {"ties": "input", "no_relevant": "one"}
CUTOFFS = (1, 3, 5, 10, 100)


class Rows(NamedTuple):
    """Labels and scores of the documents of all queries, and how many each query has."""

    labels: list[float]
    scores: list[float]
    sizes: list[int]

    def by_query(self) -> list[list[tuple[float, float]]]:
        pairs = iter(zip(self.labels, self.scores, strict=True))
        return [[next(pairs) for _ in range(size)] for size in self.sizes]

    def evaluated(self, measure: Any, **conventions: Any) -> rm.Evaluation:
        qrels = rm.Qrels(np.array(self.labels), groups=np.array(self.sizes))
        return rm.evaluate(qrels, np.array(self.scores), measure, **conventions)


@st.composite
def groups_of_rows(draw: st.DrawFn, scores: Any, *, unique: bool = False) -> Rows:
    """Give a few queries of at least two documents: of one, scikit-learn has no nDCG."""
    sizes = draw(st.lists(st.integers(2, 12), min_size=1, max_size=5))
    rows = sum(sizes)
    labels = draw(st.lists(st.integers(0, 4).map(float), min_size=rows, max_size=rows))
    return Rows(
        labels,
        draw(st.lists(scores, min_size=rows, max_size=rows, unique=unique)),
        sizes,
    )


tied = groups_of_rows(st.integers(-2, 2).map(float))
untied = groups_of_rows(st.integers(-500, 500).map(lambda n: n / 8), unique=True)
cutoffs = st.sampled_from(CUTOFFS)


@pytest.fixture(scope="module")
def rank_test(lightgbm_example: tuple[list[float], list[float], list[int]]) -> Rows:
    return Rows(*lightgbm_example)


@given(rows=st.one_of(tied, untied), k=cutoffs)
def test_groups_give_what_lightgbm_says(rows: Rows, k: int) -> None:
    said = lightgbm_says(*rows, f"ndcg@{k}")
    measure = rm.nDCG(gain="exp2") @ k
    agrees("LightGBM", measure, rows.evaluated(measure, **THEIRS)[measure], said, abs=1e-12)


@given(rows=st.one_of(tied, untied), k=cutoffs)
def test_groups_give_what_lightgbm_says_of_other_gains(rows: Rows, k: int) -> None:
    said = lightgbm_says(*rows, f"ndcg@{k}", label_gain=[0, 1, 2, 3, 4])
    measure = rm.nDCG @ k
    agrees("LightGBM", measure, rows.evaluated(measure, **THEIRS)[measure], said, abs=1e-12)


@given(rows=st.one_of(tied, untied), k=cutoffs)
def test_groups_give_the_average_precision_of_lightgbm(rows: Rows, k: int) -> None:
    said = lightgbm_says(*rows, f"map@{k}")
    measure = rm.AP(norm="min") @ k
    agrees("LightGBM", measure, rows.evaluated(measure, **THEIRS)[measure], said, abs=1e-12)


@given(rows=st.one_of(tied, untied), k=cutoffs)
def test_each_group_gives_what_scikit_learn_says(rows: Rows, k: int) -> None:
    measure = rm.nDCG @ k
    ours = list(rows.evaluated(measure, ties="mean").per_query(measure).values())
    said = [scikit_learn_says(pairs, "ndcg_score", k=k) for pairs in rows.by_query()]
    agrees("scikit-learn", measure, ours, said, abs=1e-12)


@pytest.mark.parametrize("k", CUTOFFS)
def test_published_groups_give_what_lightgbm_says(rank_test: Rows, k: int) -> None:
    measure = rm.nDCG(gain="exp2") @ k
    said = lightgbm_says(*rank_test, f"ndcg@{k}")
    agrees("LightGBM", measure, rank_test.evaluated(measure, **THEIRS)[measure], said, abs=1e-12)
    coarse = rank_test._replace(scores=[round(score, -1) for score in rank_test.scores])
    said = lightgbm_says(*coarse, f"ndcg@{k}")
    ours = coarse.evaluated(measure, **THEIRS)
    assert ours.audit.tied_share > 0.5
    agrees("LightGBM", measure, ours[measure], said, abs=1e-12)


@pytest.mark.parametrize("k", CUTOFFS)
def test_published_groups_give_what_scikit_learn_says(rank_test: Rows, k: int) -> None:
    measure = rm.nDCG @ k
    ours = rank_test.evaluated(measure, ties="error")
    said = [
        scikit_learn_says(pairs, "ndcg_score", k=k, ignore_ties=True)
        for pairs in rank_test.by_query()
    ]
    agrees("scikit-learn", measure, [*ours.per_query(measure).values()], said, abs=1e-12)
    assert ours[measure] == pytest.approx(statistics.fmean(said), abs=1e-12)
    coarse = rank_test._replace(scores=[round(score, -1) for score in rank_test.scores])
    averaged = coarse.evaluated(measure, ties="mean")
    assert averaged.audit.tied_share > 0.5
    said = [scikit_learn_says(pairs, "ndcg_score", k=k) for pairs in coarse.by_query()]
    agrees("scikit-learn", measure, [*averaged.per_query(measure).values()], said, abs=1e-12)


@pytest.mark.parametrize("k", [1, 10])
def test_the_order_of_published_queries_changes_no_mean(rank_test: Rows, k: int) -> None:
    ids = np.repeat([f"q{n}" for n in range(len(rank_test.sizes))], rank_test.sizes)
    scattered = np.argsort(np.arange(len(ids)) * 7 % 769, kind="stable")
    measure = rm.nDCG(gain="exp2") @ k
    qrels = rm.Qrels(np.array(rank_test.labels)[scattered], groups=ids[scattered])
    ev = rm.evaluate(qrels, np.array(rank_test.scores)[scattered], measure, **THEIRS)
    said = lightgbm_says(*rank_test, f"ndcg@{k}")
    agrees("LightGBM", measure, ev[measure], said, abs=1e-12)
