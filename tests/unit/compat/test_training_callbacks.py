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
from rankmark.measures import ALL

MEASURES = ["nDCG@5", "RR(rel=2)", "RankingLoss"]
SIZES = np.array([7, 4, 12, 9, 1, 15, 6, 10])
DICE = np.random.default_rng(0)
FEATURES = DICE.normal(size=(SIZES.sum(), 4))
LABELS = np.digitize(FEATURES @ [1, 0.5, -1, 0] + DICE.normal(size=len(FEATURES)), [0, 1, 2])
WAY: dict[str, Any] = {"ties": "mean", "no_relevant": "skip"}


def evaluated(scores: Any) -> dict[str, float]:
    return dict(rm.evaluate(LABELS, scores, MEASURES, groups=SIZES, **WAY))


def dataset(labels: Any, sizes: Any) -> Any:
    return SimpleNamespace(
        get_label=lambda: labels, get_group=lambda: sizes, get_weight=lambda: None
    )


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
        feval("RR")(LABELS, dataset(LABELS, None))


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
    data = dataset(np.array([1, 0]), np.array([1, 1]))
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


@pytest.mark.filterwarnings("ignore:XGBRanker averages")
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


QUERIES = np.repeat(np.arange(len(SIZES)), SIZES)
BINARY = (LABELS > 1).astype(int)


def trained_by_lightgbm(asked: Any, labels: Any, weights: Any, own: str, **options: Any) -> Any:
    """Return the history of the validation set, of which LightGBM computes a metric of its own."""
    lightgbm = pytest.importorskip("lightgbm")
    data = lightgbm.Dataset(FEATURES, labels, group=SIZES)
    valid = lightgbm.Dataset(FEATURES, labels, group=SIZES, weight=weights, reference=data)
    params = {"objective": "lambdarank", "metric": own, "eval_at": [3], "min_data_in_leaf": 2}
    history: dict[str, Any] = {}
    lightgbm.train(
        params | {"verbosity": -1, "num_threads": 1},
        data,
        3,
        valid_sets=[valid],
        valid_names=["v"],
        feval=feval(asked, **options),
        callbacks=[lightgbm.record_evaluation(history)],
    )
    return history["v"]


def trained_by_xgboost(asked: Any, labels: Any, weights: Any, own: str, **options: Any) -> Any:
    """Return the history of the validation set, of which XGBoost computes a metric of its own."""
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(FEATURES, labels, qid=QUERIES)
    valid = xgboost.DMatrix(FEATURES, labels, qid=QUERIES, weight=weights)
    history: dict[str, Any] = {}
    xgboost.train(
        {"objective": "rank:ndcg", "eval_metric": own, "nthread": 1},
        data,
        3,
        evals=[(valid, "v")],
        evals_result=history,
        verbose_eval=False,
        custom_metric=custom_metric(asked, **options),
    )
    return history["v"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["ndcg@3", "map@3"])
def test_weights_of_validation_sets_count_as_in_the_libraries(name: str, weighted: bool) -> None:
    dice = np.random.default_rng(3)
    of_rows = dice.random(len(LABELS)) if weighted else None
    of_queries = dice.random(len(SIZES)) if weighted else None
    ours = {  # names that differ from the libraries' own
        "ndcg@3": "nDCG(gain=exp2, ideal=retrieved)@3",
        "map@3": "AP(norm=min)@3",
    }[name]
    labels = LABELS.copy() if name == "ndcg@3" else BINARY.copy()
    labels[SIZES.cumsum() - 1] = 1  # LightGBM does not weigh queries without relevant documents
    found = trained_by_lightgbm(ours, labels, of_rows, name.partition("@")[0], profile="lightgbm")
    assert found[ours] == pytest.approx(found[name], abs=1e-6)
    found = trained_by_xgboost(ours, labels, of_queries, name, profile="xgboost")
    assert found[ours.replace(" ", "")] == pytest.approx(found[name], abs=1e-6)


def test_a_measure_is_called_what_it_was_requested_by() -> None:
    asked = ["ndcg@5", "nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7}, ideal=k)@5", rm.RR(rel=2), "P@1,3"]
    names = [*asked[:2], "RR(rel=2)", "P@1", "P@3"]
    data = dataset(LABELS, SIZES)
    assert [name for name, *_ in feval(asked)(LABELS, data)] == names
    found = trained_by_xgboost(asked, LABELS, None, "ndcg@1")
    spelled = [name.replace(" ", "").replace(":", "=") for name in names]
    assert [*found] == ["ndcg@1", *spelled]
    assert found["RR(rel=2)"][-1] != found["P@1"][-1]


def test_every_measure_of_the_catalogue_is_computed_in_training() -> None:
    asked = [one for one in ALL if not is_refused(one)]
    assert len(asked) > 60
    by_lightgbm = trained_by_lightgbm(asked, LABELS, None, "ndcg")
    by_xgboost = trained_by_xgboost(asked, LABELS, None, "ndcg@3")
    for measure in asked:
        assert len(by_lightgbm[str(measure)]) == 3
        spelled = str(measure).replace(" ", "").replace(":", "=")
        assert len(by_xgboost[spelled]) == 3


def is_refused(measure: Any) -> bool:
    """Return whether a measure needs what rows of labels do not have, such as subtopics."""
    try:
        feval(measure)(FEATURES[:, 0], dataset(LABELS, SIZES))
    except rm.InputError:
        return True
    return False


def test_weights_that_cannot_count_are_refused() -> None:
    starts = np.concatenate([[0], SIZES.cumsum()])
    data = SimpleNamespace(
        get_label=lambda: LABELS,
        get_uint_info=lambda _: starts,
        get_weight=lambda: np.ones(len(LABELS)),
    )
    with pytest.raises(rm.InputError, match="the DMatrix has 64 weights, and 8 groups"):
        custom_metric("RR")(FEATURES[:, 0], data)
    with pytest.warns(rm.RankmarkWarning, match="XGBRanker .* ignores weights"):
        assert custom_metric("RR")(np.array([0, 1]), np.array([0.5, 0.2])) == 0.5
    with pytest.raises(rm.InputError, match="all weights are 0"):
        eval_metric("RR")(LABELS, FEATURES[:, 0], np.zeros(len(LABELS)), SIZES)


@pytest.mark.parametrize("sizes", [[3, 0, 0], [2, 1, 1], [0, 3], [2, 2], [-1, 4], []])
@pytest.mark.parametrize("weight", [None, np.ones(3)])
def test_sizes_that_are_none_of_the_rows_are_refused(sizes: list[int], weight: Any) -> None:
    with pytest.raises(rm.InputError, match="from 1, which sum up to 3"):
        eval_metric("RR")(np.array([0, 1, 1]), np.array([0.9, 0.1, 0.5]), weight, sizes)
