"""The textbook examples come out of ``evaluate``, and of a measure called on ids."""

import itertools
import math

import pytest

import rankmark as rm

PICTURES = [1, 2, 3, 4, 5, 6, 7, 8]
RELEVANT = {"q1": {2, 4, 5, 7}, "q2": {1, 4, 5, 7}, "q3": {5, 8}}

# Three queries for "a cat in a box" over one ranking of eight pictures.
QRELS = {
    query_id: {str(picture): int(picture in relevant) for picture in PICTURES}
    for query_id, relevant in RELEVANT.items()
}
RUN = {query_id: {str(picture): 1.0 / picture for picture in PICTURES} for query_id in RELEVANT}

GRADED = [0, 7, 2, 4, 6, 1, 4, 3]
GRADED_QRELS = {"q": {f"d{rank}": label for rank, label in enumerate(GRADED, start=1)}}
GRADED_RUN = {"q": {f"d{rank}": -float(rank) for rank in range(1, 9)}}


def test_mean_average_precision_of_the_cat_in_a_box() -> None:
    ev = rm.evaluate(QRELS, RUN, ["MAP@8"])
    terms = [
        (1 / 2 + 2 / 4 + 3 / 5 + 4 / 7) / 4,
        (1 / 1 + 2 / 4 + 3 / 5 + 4 / 7) / 4,
        (1 / 5 + 2 / 8) / 2,
    ]
    assert list(ev.per_query("AP@8").values()) == pytest.approx(terms, rel=1e-12)
    assert ev["AP@8"] == pytest.approx(sum(terms) / 3, rel=1e-12)
    assert round(ev["AP@8"], 6) == 0.478571


def test_mean_reciprocal_rank_of_the_cat_in_a_box() -> None:
    ev = rm.evaluate(QRELS, RUN, ["MRR"])
    assert ev.per_query("RR") == {"q1": 1 / 2, "q2": 1, "q3": 1 / 5}
    assert ev["RR"] == pytest.approx(17 / 30, rel=1e-12)
    assert round(ev["RR"], 6) == 0.566667


def test_recall_of_the_cat_in_a_box_at_every_cutoff() -> None:
    ev = rm.evaluate(QRELS, RUN, [f"R@{k}" for k in PICTURES], queries=["q1"])
    assert ev.scores.tolist() == [[0, 0.25, 0.25, 0.5, 0.75, 0.75, 1, 1]]


def test_the_confusion_table_of_the_cat_in_a_box() -> None:
    ev = rm.evaluate(QRELS, RUN, ["NumRelRet@2", "NumRet@2", "NumRel", "P@2"], queries=["q1"])
    (found, seen, relevant, precision) = ev.scores[0].tolist()
    true_positives, false_positives, false_negatives = found, seen - found, relevant - found
    true_negatives = len(PICTURES) - true_positives - false_positives - false_negatives
    assert [true_positives, false_positives, false_negatives, true_negatives] == [1, 1, 3, 3]
    assert precision == 0.5


def test_a_measure_takes_ids_and_a_set_of_relevant_ones() -> None:
    assert (rm.R @ 2)(ranking=PICTURES, relevant=RELEVANT["q1"]) == 0.25
    assert (rm.P @ 2)(ranking=PICTURES, relevant=RELEVANT["q1"]) == 0.5
    assert rm.measure("RR")(ranking=["A", "B", "C"], relevant={"C"}) == pytest.approx(1 / 3)
    found = rm.measure("nDCG")(ranking=["x", "a"], relevant={"a": 2})
    assert found == pytest.approx(1 / math.log2(3))


def test_a_relevant_document_that_is_never_retrieved_lowers_average_precision() -> None:
    assert rm.measure("AP")(ranking=["a", "b"], relevant={"a"}) == 1
    assert rm.measure("AP")(ranking=["a", "b"], relevant={"a", "lost"}) == 0.5


def test_the_graded_pictures_at_every_cutoff() -> None:
    printed = [0, 0.4095, 0.4236, 0.4921, 0.6038, 0.5993, 0.6671, 0.7237]
    exponential = [0, 0.4805, 0.4685, 0.4875, 0.6131, 0.6115, 0.6375, 0.6494]
    gains = [0, 4.4165, 5.4165, 7.1392, 9.4603, 9.8165, 11.1499, 12.0963]
    for names, figures in (
        ("nDCG@{}", printed),
        ('nDCG(gain="exp2")@{}', exponential),
        ("DCG@{}", gains),
    ):
        ev = rm.evaluate(GRADED_QRELS, GRADED_RUN, [names.format(k) for k in PICTURES])
        assert [round(value, 4) for value in ev.scores[0].tolist()] == figures


def test_two_documents_that_were_not_retrieved_lower_the_ndcg_of_six() -> None:
    labels = [3, 2, 3, 0, 1, 2]
    found = {f"d{rank}": label for rank, label in enumerate(labels, start=1)}
    run = {"q": {doc_id: -float(doc_id[1:]) for doc_id in found}}
    alone = rm.evaluate({"q": found}, run, ["nDCG@6"])
    beside = rm.evaluate({"q": {**found, "d7": 3, "d8": 2}}, run, ["nDCG@6"])
    assert round(alone["nDCG@6"], 6) == 0.960808
    assert round(beside["nDCG@6"], 6) == 0.785002


def test_hits_within_k_count_the_same_in_whatever_order() -> None:
    for name in ("P@5", "R@5", "Success@5"):
        measure = rm.measure(name)
        orders = itertools.permutations([0, 0, 1, 1, 1])
        values = {measure(list(order), missed=[1]) for order in orders}
        assert len(values) == 1, name


def test_average_precision_is_a_sum_over_recall_steps() -> None:
    labels = [1, 0, 0, 1, 1, 0, 1]
    steps = 0.0
    for k in range(1, len(labels) + 1):
        before = (rm.R @ (k - 1))(labels, missed=[1]) if k > 1 else 0.0
        steps += (rm.P @ k)(labels, missed=[1]) * ((rm.R @ k)(labels, missed=[1]) - before)
    assert rm.measure("AP")(labels, missed=[1]) == pytest.approx(steps, rel=1e-12)


def test_with_labels_zero_and_one_the_two_gains_agree() -> None:
    for labels in itertools.product([0, 1], repeat=5):
        assert rm.nDCG(gain="exp2")(list(labels)) == rm.measure("nDCG")(list(labels))
        assert rm.DCG(gain="exp2")(list(labels)) == rm.measure("DCG")(list(labels))


def test_ndcg_does_not_grow_with_k() -> None:
    assert (rm.nDCG @ 5)(GRADED) > (rm.nDCG @ 6)(GRADED)
