"""Callbacks of trainers give the numbers of evaluate, step by step."""

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.compat.lightgbm import eval_metric, feval
from rankmark.compat.transformers import compute_metrics
from rankmark.compat.xgboost import custom_metric

MEASURES = ["nDCG@5", "RR(rel=2)", "RankingLoss"]
SIZES = np.array([7, 4, 12, 9, 1, 15, 6, 10])
DICE = np.random.default_rng(0)
FEATURES = DICE.normal(size=(SIZES.sum(), 4))
LABELS = np.digitize(FEATURES @ [1, 0.5, -1, 0] + DICE.normal(size=len(FEATURES)), [0, 1, 2])
WAY: dict[str, Any] = {"ties": "mean", "no_relevant": "skip"}


def evaluated(scores: Any) -> dict[str, float]:
    return dict(rm.evaluate(LABELS, scores, MEASURES, groups=SIZES, **WAY))


def last(history: dict[str, list[float]]) -> dict[str, float]:
    return {name: values[-1] for name, values in history.items() if name in MEASURES}


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_lightgbm_measures_each_round() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    options = {"verbosity": -1, "min_data_in_leaf": 2, "num_threads": 1}
    data = lightgbm.Dataset(FEATURES, LABELS, group=SIZES)
    history: dict[str, Any] = {}
    booster = lightgbm.train(
        {"objective": "lambdarank", "metric": "None", **options},
        data,
        5,
        valid_sets=[data],
        valid_names=["valid"],
        feval=feval(MEASURES, **WAY),
        callbacks=[lightgbm.record_evaluation(history)],
    )
    assert last(history["valid"]) == evaluated(booster.predict(FEATURES))
    assert len(history["valid"]["nDCG@5"]) == 5
    ranker = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=2, verbosity=-1, n_jobs=1)
    ranker.fit(
        FEATURES,
        LABELS,
        group=SIZES,
        eval_set=[(FEATURES, LABELS)],
        eval_group=[SIZES],
        eval_metric=eval_metric(MEASURES, **WAY),
        callbacks=[lightgbm.early_stopping(3, first_metric_only=True, verbose=False)],
    )
    (history,) = ranker.evals_result_.values()
    assert (
        history["nDCG@5"][ranker.best_iteration_ - 1]
        == evaluated(ranker.predict(FEATURES))["nDCG@5"]
    )
    assert max(history["nDCG@5"]) == history["nDCG@5"][ranker.best_iteration_ - 1]
    with pytest.raises(rm.InputError, match="the data has no groups"):
        feval("RR")(LABELS, SimpleNamespace(get_label=lambda: LABELS, get_group=lambda: None))


def test_xgboost_measures_each_round() -> None:
    xgboost = pytest.importorskip("xgboost")
    queries = np.repeat(np.arange(len(SIZES)), SIZES)
    data = xgboost.DMatrix(FEATURES, LABELS, qid=queries)
    history: dict[str, Any] = {}
    booster = xgboost.train(
        {"objective": "rank:ndcg", "disable_default_eval_metric": 1, "nthread": 1},
        data,
        5,
        evals=[(data, "valid")],
        custom_metric=custom_metric(MEASURES, **WAY),
        evals_result=history,
        verbose_eval=False,
    )
    assert last(history["valid"]) == pytest.approx(
        evaluated(booster.predict(data)), abs=1e-6
    )  # it writes six digits
    with pytest.raises(rm.InputError, match="the DMatrix has no groups"):
        custom_metric("RR")(LABELS, xgboost.DMatrix(FEATURES, LABELS))


def test_what_is_no_measure_or_convention_is_refused_before_training() -> None:
    for make in (feval, eval_metric, custom_metric, compute_metrics):
        with pytest.raises(rm.MeasureError):
            make("nothing@10")
        with pytest.raises(rm.InputError, match="ties is 'luck'"):
            make("RR", ties="luck")


def test_groups_of_one_document_are_no_query_ids() -> None:
    data = SimpleNamespace(get_label=lambda: np.array([1, 0]), get_group=lambda: np.array([1, 1]))
    measured = pickle.loads(pickle.dumps(feval(["RR", "NumQ"])))
    assert measured(np.array([[0.1], [0.2]]), data) == [
        ("RR", 0.5, True),
        ("NumQ", 2.0, True),
    ]


def predicted(predictions: Any, label_ids: Any) -> Any:
    return SimpleNamespace(predictions=predictions, label_ids=label_ids)


def test_trainers_get_numbers_of_rows_of_one_document_and_of_whole_queries() -> None:
    scores = DICE.normal(size=len(LABELS))
    groups = [f"q{query}" for query in np.repeat(np.arange(len(SIZES)), SIZES)]
    metrics = compute_metrics(MEASURES, groups=groups, **WAY)
    expected = evaluated(scores)
    assert metrics(predicted(scores[:, None], LABELS)) == expected
    classes = np.column_stack([np.zeros_like(scores), scores])
    assert metrics(predicted((classes, "hidden states"), LABELS)) == expected
    for begin in range(0, len(LABELS), 16):  # batch_eval_metrics, where a query is in two batches
        part = slice(begin, begin + 16)
        is_last = begin + 16 >= len(LABELS)
        values = metrics(predicted(scores[part], LABELS[part]), compute_result=is_last)
    assert values == expected
    width = SIZES.max()
    padded, dense = np.full((len(SIZES), width), -100), np.zeros((len(SIZES), width))
    present = np.arange(width) < SIZES[:, None]
    padded[present], dense[present] = LABELS, scores
    metrics = compute_metrics(MEASURES, **WAY)
    assert metrics(predicted(dense, padded)) == expected
    metrics(predicted(dense[:3], padded[:3]), compute_result=False)
    assert metrics(predicted(dense[3:], padded[3:]), compute_result=True) == expected
    for broken, said in (
        (predicted(scores, LABELS), "its query is unknown"),
        (predicted(np.zeros((4, 3)), np.zeros(4)), "give scores="),
    ):
        metrics(predicted(dense[:3], padded[:3]), compute_result=False)
        with pytest.raises(rm.SchemaError, match=said):
            metrics(broken)
        assert metrics(predicted(dense, padded)) == expected  # nothing is left of the first batch
    with pytest.raises(rm.SchemaError, match="there are 64 rows, and groups holds 2"):
        compute_metrics("RR", groups=["a", "b"])(predicted(scores, LABELS))
    for no_ids in (5, "ab", [None, "a"]):
        with pytest.raises(rm.InputError, match="groups"):
            compute_metrics("RR", groups=no_ids)


def test_the_ranker_of_xgboost_calls_the_metric_for_each_query() -> None:
    xgboost = pytest.importorskip("xgboost")
    from rankmark.compat.xgboost import custom_metric

    dice = np.random.default_rng(0)
    features, labels = dice.normal(size=(60, 3)), dice.integers(0, 3, 60)
    queries = np.repeat(np.arange(6), 10)
    ranker = xgboost.XGBRanker(
        n_estimators=2, n_jobs=1, eval_metric=custom_metric("nDCG@5", ties="mean")
    )
    ranker.fit(
        features, labels, qid=queries, verbose=False,
        eval_set=[(features, labels)], eval_qid=[queries],
    )  # fmt: skip
    told = ranker.evals_result()["validation_0"]["nDCG@5"][-1]
    scores = ranker.predict(features)
    ev = rm.evaluate(labels, scores, "nDCG@5", groups=[10] * 6, ties="mean")
    assert told == pytest.approx(ev["nDCG@5"], abs=1e-6)
    with pytest.raises(rm.InputError, match="XGBRanker takes one measure, and these are RR, AP"):
        custom_metric(["RR", "AP"])(np.array([0, 1]), np.array([0.5, 0.2]))
