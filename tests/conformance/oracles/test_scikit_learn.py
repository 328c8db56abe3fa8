"""We agree with scikit-learn, which knows one row of labels and scores and no ids."""

import itertools
import statistics
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.voices import scikit_learn_says
from generators.effort import examples

Rows = list[tuple[float, float]]

labels = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])
cutoffs = st.sampled_from([None, 1, 2, 5, 100])
rows = st.lists(
    st.tuples(labels, st.integers(-50, 50).map(lambda n: n / 8)),
    min_size=2,
    max_size=15,
    unique_by=lambda row: row[1],
)
short_rows_with_ties = st.lists(
    st.tuples(labels, st.sampled_from([0.0, 1.0])), min_size=2, max_size=6
)


def measure(name: str, k: int | None) -> Any:
    """Give a measure, cut at k where there is one."""
    return rm.measure(name) if k is None else rm.measure(name) @ k


def in_order(rows: Rows) -> list[float | None]:
    """Give the labels, best score first."""
    return [label for label, _ in sorted(rows, key=lambda row: -row[1])]


def all_orders(rows: Rows) -> Iterator[list[float | None]]:
    """Give the labels in every order that the scores allow."""
    tied = itertools.groupby(sorted(rows, key=lambda row: -row[1]), key=lambda row: row[1])
    groups = [itertools.permutations([label for label, _ in group]) for _, group in tied]
    for order in itertools.product(*groups):
        yield [label for group in order for label in group]


@given(rows=rows, k=cutoffs)
def test_gains_agree_where_nothing_ties(rows: Rows, k: int | None) -> None:
    for ours, theirs in (("DCG", "dcg_score"), ("nDCG", "ndcg_score")):
        said = scikit_learn_says(rows, theirs, k=k)
        agrees("scikit-learn", ours, measure(ours, k)(in_order(rows)), said, abs=1e-9)


@given(rows=rows)
def test_exponential_gains_agree_where_nothing_ties(rows: Rows) -> None:
    gains = [(2**label - 1, score) for label, score in rows]
    said = scikit_learn_says(gains, "ndcg_score", k=5)
    found = (rm.nDCG(gain="exp2") @ 5)(in_order(rows))
    agrees("scikit-learn", "nDCG", found, said, abs=1e-9)


@given(rows=short_rows_with_ties, k=st.sampled_from([None, 1, 2, 4]))
def test_their_gains_with_ties_are_the_mean_of_ours_over_all_orders(
    rows: Rows, k: int | None
) -> None:
    for ours, theirs in (("DCG", "dcg_score"), ("nDCG", "ndcg_score")):
        mean = statistics.fmean(measure(ours, k)(order) for order in all_orders(rows))
        said = scikit_learn_says(rows, theirs, k=k)
        agrees("scikit-learn", ours, mean, said, abs=1e-9)


@given(
    rows=st.lists(st.tuples(labels, st.sampled_from([0.0, 1.0, 2.5])), min_size=2, max_size=200),
    k=cutoffs,
)
def test_gains_under_the_mean_of_ties_are_theirs_at_any_length(rows: Rows, k: int | None) -> None:
    qrels = {"q": {f"d{n}": label for n, (label, _) in enumerate(rows)}}
    run = {"q": {f"d{n}": score for n, (_, score) in enumerate(rows)}}
    for ours, theirs in (("DCG", "dcg_score"), ("nDCG", "ndcg_score")):
        asked = measure(ours, k)
        said = scikit_learn_says(rows, theirs, k=k)
        found = rm.evaluate(qrels, run, asked, ties="mean")[asked]
        agrees("scikit-learn", ours, found, said, rel=1e-9)


@given(rows=rows.filter(lambda rows: any(label >= 1 for label, _ in rows)))
def test_average_precision_agrees_where_nothing_ties(rows: Rows) -> None:
    said = scikit_learn_says(rows, "average_precision_score")
    agrees("scikit-learn", "AP", rm.AP(in_order(rows)), said, abs=1e-9)


@given(rows=rows.filter(lambda rows: 0 < sum(label >= 1 for label, _ in rows) < len(rows)))
def test_label_ranking_average_precision_agrees_where_nothing_ties(rows: Rows) -> None:
    said = scikit_learn_says(rows, "label_ranking_average_precision_score")
    agrees("scikit-learn", "AP", rm.AP(in_order(rows)), said, abs=1e-9)


@given(rows=rows, negative=st.sampled_from([-1.0, -0.5, -3.0]))
def test_average_precision_agrees_with_negative_labels(rows: Rows, negative: float) -> None:
    labels = [(2.0 if label >= 1 else negative, score) for label, score in rows]
    labels.append((2.0, 100.0))
    said = scikit_learn_says(labels, "average_precision_score")
    agrees("scikit-learn", "AP", rm.AP(in_order(labels)), said, abs=1e-9)


@examples(50)
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=2, max_size=15))
def test_partial_areas_are_those_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    labels, scores = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    if len(set(labels)) < 2:
        return
    for max_fpr in (0.1, 0.5, 0.99):
        wanted = metrics.roc_auc_score(labels, scores, max_fpr=max_fpr)
        measure = rm.AUC(max_fpr=max_fpr)
        found = rm.evaluate(labels[None], scores[None], measure)[measure]
        agrees("scikit-learn", measure, found, wanted, abs=1e-12)


def test_a_mean_of_auc_by_impressions_is_gauc() -> None:
    qrels = {"u": {"a": 1, "b": 0}, "v": {"a": 0, "b": 1, "c": 0, "d": 0}, "w": {"a": 1}}
    run = {"u": {"a": 2.0, "b": 1.0}, "v": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    run["w"] = {"a": 1.0, "b": 1.0}
    ev = rm.evaluate(qrels, run, ["AUC", "NumRet", "NumRel"])
    auc = [
        metrics.roc_auc_score([qrels[user].get(item, 0) for item in scores], [*scores.values()])
        for user, scores in run.items()
    ]
    for weights, shown in (("NumRet", [2, 4, 2]), (rm.NumRel, [1, 1, 1])):
        wanted = np.average(auc, weights=shown)
        assert ev.aggregate("AUC", weights=weights) == pytest.approx(wanted)
    with pytest.raises(rm.NotEvaluatedError):
        ev.aggregate("AUC", weights="NumRelRet")
    with pytest.raises(rm.MeasureError, match="NumRet"):
        rm.measure("GAUC")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:No positive class found in y_true")
@given(rows=st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.5, 1.0])),
                     min_size=2, max_size=6))  # fmt: skip
def test_what_differs_from_scikit_learn_is_warned_of(rows: Rows) -> None:
    labels, scores = (np.array([column]) for column in zip(*rows, strict=True))
    for name in (
        "ndcg_score", "dcg_score", "average_precision_score", "roc_auc_score",
        "label_ranking_average_precision_score", "label_ranking_loss", "coverage_error",
    ):  # fmt: skip
        flat = name in {"average_precision_score", "roc_auc_score"}
        said = getattr(metrics, name)(*((labels[0], scores[0]) if flat else (labels, scores)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", rm.RankmarkWarning)
            ev = rm.evaluate(labels, scores, name, profile="sklearn")
        is_told = any("may differ" in str(warning.message) for warning in caught)
        assert is_told or ev.scores[0, 0] == pytest.approx(said, abs=1e-9), name
