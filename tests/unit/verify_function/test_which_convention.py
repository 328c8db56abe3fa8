"""What which_convention says of functions in doubtful cases, and of those that misbehave."""

from __future__ import annotations

import json
import math
import time
import warnings
from contextlib import suppress

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import InputError, MeasureError
from rankmark.testing import which_convention
from rankmark.verbs.verify_function.cases import designed
from rankmark.verbs.verify_function.lookup import named_after
from unit.verify_function import in_the_wild as wild
from unit.verify_function.in_the_wild import identified


def recall(retrieved, relevant, k):
    return len(set(retrieved[:k]) & set(relevant)) / len(relevant) if relevant else 0.0


def does(found):
    return {edge.aspect: edge.does for edge in found.edges}


def test_the_smallest_difference_is_small_and_worked_out():
    found = identified(wild.ndcg_top_k_ideal)
    shown = found.difference
    assert shown.call == "ndcg_top_k_ideal([1, 2], 1)"
    assert shown.returned == "1"
    assert shown.worked == ""  # 1 / 1
    assert shown.expected_worked == "nDCG@1 = 1/log2(2) / (2/log2(2)) = 1 / 2 = 0.5"
    found = identified(wild.recall_over_k).difference
    assert found.call == "recall_over_k(['d1'], ['d1'], 2)"
    assert (found.returned, found.expected) == ("0.5", 1.0)
    assert found.worked == "1 / 2"
    assert found.expected_worked == "R@2 = 1 / 1 = 1"


def test_a_usual_function_has_no_difference_and_no_finding():
    found = which_convention(recall)
    assert found.difference is None
    assert not found.findings
    assert found.sentence == "recall computes R@k (recall)."


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("retrieval_normalized_dcg", "nDCG"),
        ("normalised_discounted_cumulative_gain", "nDCG"),
        ("dcg_at_k", "DCG"),
        ("rank_biased_precision", "RBP"),
        ("r_precision", "Rprec"),
        ("average_precision", "AP"),
        ("precision_at_k", "P"),
        ("score", None),
    ],
)
def test_a_name_says_one_measure(name, family):
    assert named_after(name) == family


def test_a_name_that_says_another_measure_is_a_bug():
    (bug, *_) = identified(wild.recall_over_k).bugs
    assert bug.what == "its name says R@k (recall), which it does not compute"


def test_duplicates_and_queries_are_found_out():
    found = does(identified(wild.ndcg_ranx_like))
    assert (found["queries"], found["averaged_no_relevant"]) == ("judged", "zero")
    assert does(identified(wild.recall_beir_like))["queries"] == "both"
    assert does(identified(wild.apk))["duplicates"] == "once"
    assert does(identified(wild.recall_counts_twice))["duplicates"] == "twice"


def test_answers_where_nothing_is_relevant_are_told():
    assert does(identified(wild.ndcg_lightgbm_like))["no_relevant"] == "one"
    assert does(identified(wild.rr_half))["no_relevant"] == "0.5"
    assert does(identified(wild.mrr_minus_one))["no_relevant"] == "-1"


def test_errors_and_nan_are_findings_with_a_call():
    found = identified(wild.ndcg_divides_by_zero)
    assert [bug.what.split(":")[:2] for bug in found.bugs] == [
        ["nothing relevant", " raises ZeroDivisionError"],
        ["nothing retrieved", " raises ZeroDivisionError"],
    ]
    assert "ndcg_divides_by_zero([" in str(found.bugs[-1])
    assert does(found)["no_relevant"] == "refuses"

    def nan_if_nothing_relevant(retrieved, relevant, k):
        hits = len(set(retrieved[:k]) & set(relevant))
        return hits / len(relevant) if relevant else math.nan

    found = which_convention(nan_if_nothing_relevant)
    assert found.measure == "R"
    assert does(found)["no_relevant"] == "nan"


@pytest.mark.slow
def test_a_function_without_a_known_formula_is_not_named():
    def my_score(rels, k):
        return sum(rels[:k]) ** 1.5

    found = which_convention(my_score)
    assert not found.identified
    assert found.measure is None
    assert found.sentence.startswith("my_score computes none of the measures")
    assert found.exit_code == 0
    found = which_convention(lambda rels, k: 0.25)  # noqa: ARG005
    assert found.sentence == "function returns 0.25 for every ranking."


def test_changed_arguments_and_kept_state_are_noticed():
    calls = []

    def dcg(rels, k):
        calls.append(k)
        rels.sort(reverse=True)
        del rels[k:]
        return sum(rel / math.log2(i + 2) for i, rel in enumerate(rels))

    found = which_convention(dcg)
    assert found.conventions.keys() == {"order"}
    assert "it changes its arguments" in {bug.what for bug in found.bugs}

    def unsteady(rels, k):
        calls.append(k)
        return sum(rel > 0 for rel in rels[:k]) / k + len(calls) / 1e5

    found = which_convention(unsteady)
    assert "the same call gives different numbers" in {bug.what for bug in found.bugs}


@pytest.mark.slow
def test_a_function_that_hangs_is_stopped():
    def hangs(rels, k):  # noqa: ARG001
        while True:
            with suppress(Exception):
                time.sleep(1)

    with pytest.raises(InputError, match=r"hangs gives no result within 0\.05 s"):
        which_convention(hangs, time_limit=0.05)


def test_ctrl_c_goes_through():
    def interrupted(rels, k):  # noqa: ARG001
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        which_convention(interrupted)


def test_a_function_that_exits_is_an_error():
    def exits(rels, k):  # noqa: ARG001
        raise SystemExit(2)

    with pytest.raises(InputError, match="cannot be called"):
        which_convention(exits)


def test_arguments_can_be_said():
    def f(x, y, *, z):
        return len(set(y[:z]) & set(x)) / z

    assert which_convention(f, arguments="relevant, retrieved, z=k").measure == "P"
    assert which_convention(f, arguments=["relevant", "retrieved", "z=k"]).arguments == (
        "relevant, retrieved, k as z="
    )
    with pytest.raises(InputError, match="arguments has 'documents'"):
        which_convention(f, arguments="documents, relevant")
    with pytest.raises(InputError, match="name each argument once"):
        which_convention(f, arguments="retrieved, retrieved")


def test_arguments_that_take_only_names_are_passed_by_name():
    def hit(*, predictions, ground_truth, top_k=10):
        return float(not set(predictions[:top_k]).isdisjoint(ground_truth))

    found = which_convention(hit)
    assert found.measure == "Success"
    assert found.arguments == ("retrieved as predictions=, relevant as ground_truth=, k as top_k=")


def test_what_arguments_cannot_tell_is_said():
    found = identified(wild.ndcg_gist)
    assert found.cannot_know[0].startswith("relevant documents that were not retrieved")
    assert identified(wild.ndcg_recbole_like).cannot_know[0].startswith("how relevant")
    assert identified(wild.ndcg_ranx_like).cannot_know == ()


@pytest.mark.slow
def test_an_expectation_holds_or_shows_where_it_does_not():
    found = which_convention(wild.apk, expect="map@10", profile="recbole")
    assert found
    assert (found.exit_code, found.differs_in, found.difference) == (0, (), None)
    found = which_convention(wild.apk, expect="AP@10")
    assert not found
    assert found.exit_code == 3
    assert found.differs_in == ("formula",)
    assert found.difference.call == "apk(['m1', 'd1'], ['d1'], k=1)"
    assert "does not implement AP@10" in str(found)
    found = which_convention(recall, expect=rm.R @ 5)
    assert found
    assert "It implements R@5, as far as its arguments tell it." in str(found)
    assert not which_convention(recall, expect=rm.P @ 5)


def test_aspects_can_be_left_out():
    found = which_convention(wild.ndcg_of_judged, expect="nDCG@10")
    assert found.differs_in == ("negative",)
    assert which_convention(wild.ndcg_of_judged, expect="nDCG@10", leave_out="negative")
    with pytest.raises(InputError, match="leave_out has 'speed'"):
        which_convention(recall, expect="R@5", leave_out=["speed"])


@pytest.mark.slow
def test_ties_decide_where_documents_have_ids():
    found = which_convention(wild.ndcg_ranx_like, expect="nDCG@10", leave_out=["negative"])
    assert found.differs_in == ("ties",)
    assert which_convention(
        wild.ndcg_ranx_like, expect="ndcg@10", profile="ranx", leave_out=["negative"]
    )


def test_mistaken_requests_are_refused():
    with pytest.raises(InputError, match="is not a function; give a function of a ranking"):
        which_convention("ndcg")
    with pytest.raises(InputError, match="no measure"):
        which_convention(recall, profile="ranx")
    with pytest.raises(MeasureError, match="more than labels"):
        which_convention(recall, expect="alpha_nDCG@10")
    with pytest.raises(MeasureError):
        which_convention(recall, expect="nonsense")
    with pytest.raises(InputError, match="time_limit"):
        which_convention(recall, time_limit=0)
    with pytest.raises(InputError, match="no arguments"):
        which_convention(lambda: 1.0)
    with pytest.raises(InputError, match="returns no number"):
        which_convention(lambda qrels, run: {"a": 1.0, "b": 2.0})  # noqa: ARG005


def test_the_result_as_json_and_table():
    found = which_convention(wild.apk, expect="AP@10")
    content = json.loads(found.to_json())
    assert content["schema"] == 1
    assert content["measure"] == 'AP(norm="min")'
    assert content["conventions"] == {"norm": "divided by min(R, k)"}
    assert content["difference"]["expected"] == 0.5
    assert content["exit_code"] == 3
    assert found.to_csv().splitlines()[0] == "kind,name,what"
    assert "divided by min(R, k)" in found._repr_html_()
    assert repr(found).startswith("Identification(apk computes AP")


def test_a_function_that_ignores_the_ranking_computes_nothing():
    found = which_convention(lambda _retrieved, _relevant: 0.5)
    assert found.sentence == "function returns 0.5 for every ranking."
    assert (found.measure, found.family, found.identified) == (None, None, False)
    assert not found.bugs


def test_lists_of_queries_are_tried_where_names_say_them_too():
    def mrr(rankings, relevants):
        first = [
            next((1 / rank for rank, doc_id in enumerate(ranking, 1) if doc_id in relevant), 0.0)
            for ranking, relevant in zip(rankings, relevants, strict=True)
        ]
        return sum(first) / len(first)

    found = which_convention(mrr)
    assert (found.measure, found.arguments) == ("RR", "retrieved[], relevant[]")


@pytest.mark.filterwarnings("error")
def test_warnings_of_the_function_are_not_given():
    def mean_of_nothing(retrieved, relevant, k):
        warnings.warn("of the function", stacklevel=1)
        hits = np.isin(retrieved[:k], relevant).sum()
        return hits / np.float64(len(relevant))  # NaN if nothing is relevant

    found = which_convention(mean_of_nothing)
    assert found.measure == "R"
    assert does(found)["no_relevant"] == "nan"


def test_scores_are_short():
    cases = [case for case in designed() if len(case.ranking) > 1]
    assert {len(str(case.falling[0])) for case in cases if len(case.ranking) < 10} == {3}
    for case in cases:
        assert list(case.falling) == sorted(set(case.falling), reverse=True)
        assert 0 < case.falling[-1] < case.falling[0] < 1


def test_swapped_arguments_are_a_bug():
    def recall_at_k(relevant, retrieved, k):
        return len(set(relevant[:k]) & set(retrieved)) / max(len(retrieved), 1)

    found = which_convention(recall_at_k)
    assert (found.measure, found.arguments) == ("R", "retrieved, relevant, k")
    assert [bug.what for bug in found.bugs] == [
        "its first argument is used as retrieved, its second as relevant"
    ]

    def ndcg(y_true, y_pred):
        ranked = [label for _, label in sorted(zip(y_true, y_pred, strict=True), reverse=True)]
        best = sorted(y_pred, reverse=True)
        dcg, ideal = (
            sum(label / math.log2(rank + 1) for rank, label in enumerate(labels, 1))
            for labels in (ranked, best)
        )
        return dcg / ideal if ideal else 0.0

    found = which_convention(ndcg)
    assert (found.family, found.arguments) == ("nDCG", "scores, labels")
    assert "its first argument is used as scores, its second as labels" in found.bugs[0].what


def test_a_ranking_without_relevant_labels_is_no_ordinary_case():
    def average_precision(y_true, y_score):
        ranked = np.asarray(y_true)[np.argsort(-np.asarray(y_score), kind="stable")] > 0
        return (np.cumsum(ranked) / np.arange(1, len(ranked) + 1))[ranked].mean()

    left_out = ["no_relevant", "empty", "ties"]
    found = which_convention(average_precision, expect="AP", leave_out=left_out)
    assert found
    assert not found.findings
    assert does(found)["no_relevant"] == "nan"
    assert not which_convention(average_precision, expect="AP", leave_out=left_out[1:])
