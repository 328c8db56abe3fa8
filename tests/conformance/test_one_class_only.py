"""What measures of pairs say where nothing, or everything, is relevant, here and elsewhere."""

import math

import pytest
from sklearn import metrics
from sklearn.exceptions import UndefinedMetricWarning

import rankmark as rm
from rankmark.similarity import rbo

QRELS = {
    "relevant": {"a": 1, "b": 1},
    "mixed": {"a": 1, "b": 0},
    "nothing": {"a": 0, "b": 0},
}
RUN = {query: {"b": 2.0, "a": 1.0} for query in QRELS}


@pytest.mark.parametrize("no_relevant", ["zero", "skip", "one", "nan"])
def test_where_all_is_relevant_nothing_is_in_the_wrong_order(no_relevant: str) -> None:
    ev = rm.evaluate(
        QRELS, RUN, ["AUC", 'AUC(norm="hits")@1', "RankingLoss", "FallOut"], no_relevant=no_relevant
    )
    assert ev.per_query("AUC")["relevant"] == 1
    assert ev.per_query('AUC(norm="hits")@1')["relevant"] == 1
    assert ev.per_query("RankingLoss")["relevant"] == 0
    assert ev.per_query("FallOut")["relevant"] == 0
    assert ev.per_query("FallOut")["nothing"] == 1


def test_scikit_learn_has_no_number_for_one_class_but_a_loss_of_0() -> None:
    with pytest.warns(UndefinedMetricWarning):
        assert math.isnan(metrics.roc_auc_score([1, 1], [2.0, 1.0]))
    assert metrics.label_ranking_loss([[1, 1]], [[2.0, 1.0]]) == 0


def test_torchmetrics_counts_1_and_0_where_all_is_relevant() -> None:
    functional = pytest.importorskip("torchmetrics").functional.retrieval
    torch = pytest.importorskip("torch")
    scores, labels = torch.tensor([2.0, 1.0]), torch.tensor([1, 1])
    assert float(functional.retrieval_auroc(scores, labels)) == 0
    retrieval = pytest.importorskip("torchmetrics").retrieval
    assert float(retrieval.RetrievalFallOut()(scores, labels, torch.tensor([0, 0]))) == 1


OPA = {"zero": (0.0, 0.0), "one": (1.0, 1.0), "nan": (math.nan, math.nan)}


@pytest.mark.parametrize("no_relevant", OPA)
def test_without_two_labels_pairs_follow_the_convention(no_relevant: str) -> None:
    ev = rm.evaluate(QRELS, RUN, ["OPA", "Prefs"], no_relevant=no_relevant)
    for name in ("OPA", "Prefs"):
        found = ev.per_query(name)
        said = (found["relevant"], found["nothing"])
        assert said == pytest.approx(OPA[no_relevant], nan_ok=True)
        assert found["mixed"] == 0
    skipped = rm.evaluate(QRELS, RUN, "OPA", no_relevant="skip")
    assert skipped.per_query("OPA") == {"mixed": 0}
    assert rm.OPA([1, 1]) == 0


def test_a_query_of_which_nothing_was_retrieved_has_the_whole_residual() -> None:
    ev = rm.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": {"a": 1.0}}, "RBPResidual")
    assert ev.per_query("RBPResidual") == pytest.approx({"q": 0.9, "r": 1.0})


def test_gaps_between_ranks_are_closed() -> None:
    rows = [("q", "x", 1), ("q", "y", 3), ("q", "a", 7)]
    run = rm.Run([{"query": q, "doc": d, "rank": rank} for q, d, rank in rows])
    assert rm.evaluate({"q": {"a": 1}}, run, "RR@5", ties="rank")["RR@5"] == pytest.approx(1 / 3)


def test_rbo_of_lists_of_unequal_length_stays_below_1() -> None:
    found = rbo(list("ab"), list("abcd"), p=0.5)
    assert found.extrapolated == pytest.approx(1.0)
    assert found.extrapolated <= found.max <= 1 + 1e-12
    # dlukes/rbo by its formulas: agreement is 2X / (|S| + |L|), overlap that of the shorter length.
    p, agreement, overlap = 0.5, [1, 1, 4 / 5, 4 / 6], 2
    observed = sum(p**d * share for d, share in enumerate(agreement, start=1))
    beyond = p**3 * overlap * 1 / 2 / 3 + p**4 * overlap * 2 / 2 / 4
    rest = p**4 * ((agreement[3] * 2 - overlap) / 4 + overlap / 2)
    assert (1 - p) / p * (observed + beyond) + rest == pytest.approx(1.016667, abs=1e-6)
