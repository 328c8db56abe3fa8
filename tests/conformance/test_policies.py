"""A query with nothing relevant, a label without a gain, a negative one: each has one policy."""

import math
from typing import Any

import pytest

import rankmark as rm

QRELS = {"good": {"a": 2, "b": 0}, "graded": {"a": 1}, "empty": {"a": 0, "b": -1}}
RUN = {query_id: {"a": 2.0, "b": 1.0, "c": 0.5} for query_id in QRELS}
RATIOS = ("P@1", "R@1", "F@1", "Success@1", "Rprec", "RR", "AP", "nDCG")


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize(("policy", "mean"), [("zero", 2 / 3), ("skip", 1.0), ("one", 1.0)])
def test_a_query_with_nothing_relevant_counts_as_the_policy_says(
    name: str, policy: Any, mean: float
) -> None:
    ev = rm.evaluate(QRELS, RUN, [name], no_relevant=policy)
    assert ev[name] == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("name", RATIOS)
def test_a_query_with_nothing_relevant_is_nan_where_asked(name: str) -> None:
    ev = rm.evaluate(QRELS, RUN, [name], no_relevant="nan")
    assert math.isnan(ev.per_query(name)["empty"])
    assert ev.per_query(name)["good"] == 1
    assert math.isnan(ev[name])


def test_whether_something_is_relevant_depends_on_the_level() -> None:
    ev = rm.evaluate(QRELS, RUN, ["AP", "AP(rel=2)", "nDCG"], no_relevant="skip")
    assert ev["AP"] == ev["AP(rel=2)"] == ev["nDCG"] == 1
    ev = rm.evaluate(QRELS, RUN, ["AP", "AP(rel=2)", "nDCG"])
    assert [ev["AP"], ev["AP(rel=2)"], ev["nDCG"]] == pytest.approx([2 / 3, 1 / 3, 2 / 3])


@pytest.mark.parametrize("policy", ["zero", "skip", "one"])
def test_counts_know_no_policy(policy: Any) -> None:
    ev = rm.evaluate(QRELS, RUN, ["NumRet", "NumRel", "NumRelRet"], no_relevant=policy)
    assert [ev["NumRet"], ev["NumRel"], ev["NumRelRet"]] == [9, 2, 2]


def test_a_positive_label_without_a_gain_is_refused() -> None:
    for measure in (rm.nDCG(gain={1: 1}), rm.DCG(gain={1: 1}), rm.CG(gain={1: 1})):
        with pytest.raises(rm.MeasureError):
            rm.evaluate({"q": {"a": 3}}, {"q": {"a": 1.0}}, [measure])


BYTEWISE = ["#d", "D", "d", "d#2", "d1", "d10", "d2", "n\u00a0b", "u\u0308", "é", "\uff5e", "😀"]


@pytest.mark.parametrize(("ties", "order"), [("docid", -1), ("docid-asc", 1)])
def test_ties_are_broken_by_the_bytes_of_ids(ties: Any, order: int) -> None:
    for place, doc_id in enumerate(BYTEWISE[::order], start=1):
        run = {"q": dict.fromkeys(sorted(BYTEWISE, key=len), 0.5)}
        ev = rm.evaluate({"q": {doc_id: 1}}, run, ["RR"], ties=ties)
        assert ev["RR"] == 1 / place, doc_id


def test_zeros_of_both_signs_tie_and_doubles_that_differ_in_the_last_bit_do_not() -> None:
    zeros = rm.evaluate({"q": {"b": 1}}, {"q": {"a": 0.0, "b": -0.0}}, ["RR"])
    assert zeros["RR"] == 1
    close = rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1 + 2**-52, "b": 1.0}}, ["RR"])
    assert close["RR"] == 1
    infinite = rm.evaluate({"q": {"a": 1}}, {"q": {"a": math.inf, "b": 1e308}}, ["RR"])
    assert infinite["RR"] == 1


def test_the_ranking_is_cut_before_it_is_condensed() -> None:
    # trec_eval applies -M before -J: form_res_rels.c.
    qrels = {"q": {"b": 1, "c": 1}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    ev = rm.evaluate(qrels, run, ["NumRet", "RR", "R"], depth=2, judged_only=True)
    assert [ev["NumRet"], ev["RR"], ev["R"]] == [1, 1, 0.5]


def test_a_negative_label_is_a_judgment() -> None:
    qrels = {"q": {"a": -1, "b": 1}}
    run = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}}
    ev = rm.evaluate(qrels, run, ["Judged", "RR", "NumRet"], judged_only=True)
    assert [ev["Judged"], ev["RR"], ev["NumRet"]] == [1, 0.5, 2]
