"""Where trec_eval, or who builds on it, is wrong or surprises: what comes out here instead."""

import math

import pytest

import rankmark as rm
from conformance.oracles.voices import pytrec_eval_says

TWELVE = {"q": {f"r{number}": 1 for number in range(12)}}
HITS_AT_ONE_AND_TEN = {
    "q": {"r0": 10.0, "r1": 1.0} | {f"x{score}": float(score) for score in range(2, 10)}
}


def test_a_recall_is_rounded_to_documents_as_either_version_does() -> None:
    # Trap 1: 0.1 of 12 is one document in version 10 (1.0 and 0.2), two in version 9.
    names = ("iprec_at_recall_0.10", "11pt_avg")
    said = pytrec_eval_says(TWELVE, HITS_AT_ONE_AND_TEN, names)
    ten = rm.evaluate(TWELVE, HITS_AT_ONE_AND_TEN, names)
    nine = [rm.measure(name)(rounding="tenth") for name in names]
    assert tuple(ten.values()) == pytest.approx((1.0, 0.2))
    assert tuple(rm.evaluate(TWELVE, HITS_AT_ONE_AND_TEN, nine).values()) == pytest.approx(
        [said[name]["q"] for name in names]
    )
    assert said["iprec_at_recall_0.10"]["q"] == pytest.approx(0.2)


def test_a_multiple_of_r_is_rounded_from_one_tenth_on_in_both_versions() -> None:
    # Trap 1: Rprec_mult did not change with the others. 0.1 of 12 is two documents.
    ev = rm.evaluate(TWELVE, HITS_AT_ONE_AND_TEN, [rm.Rprec(multiple=0.1)])
    assert tuple(ev.values()) == (0.5,)


def test_scores_that_differ_in_the_eighth_digit_do_not_tie() -> None:
    # Trap 2: version 10 holds doubles; version 9 floats, in which b comes first.
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.00000001, "b": 1.0}}
    names = ["RR", "bpref", "infAP", "IPrec", "binG", "yaAP"]
    assert tuple(rm.evaluate(qrels, run, names).values()) == pytest.approx(
        [1, 1, 1, 1, 1, math.log(2)]
    )
    assert pytrec_eval_says(qrels, run, ["binG"])["binG"]["q"] == 1 / math.log2(3)


def test_a_judged_query_without_a_ranking_is_averaged_or_not_as_asked() -> None:
    # Trap 3: version 10 without -c stops with exit code 4 here.
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    run = {"1": {"a": 1.0}}
    names = ["bpref", "infAP", "11pt_avg", "G", "gm_bpref"]
    assert tuple(rm.evaluate(qrels, run, names, queries="both").values()) == pytest.approx([1] * 5)
    floored = math.sqrt(1e-5)
    assert tuple(rm.evaluate(qrels, run, names).values()) == pytest.approx([0.5] * 4 + [floored])


def test_gains_that_differ_by_less_than_one_are_told_apart() -> None:
    # Trap 4: trec_eval compares gains as whole numbers, so that its ideal list is not sorted and
    # its nDCG may be 0.
    gain = {1: 0.25, 2: 0.75}
    ideal = 0.75 + 0.25 / math.log2(3)
    for measure in (rm.nDCG(gain=gain), rm.G(gain=gain), rm.Rndcg(gain=gain)):
        assert measure([2, 1]) > measure([1, 2]) > 0
    assert rm.nDCG(gain=gain)([1, 2]) == pytest.approx((0.25 + 0.75 / math.log2(3)) / ideal)
    assert rm.nDCGrel(gain=gain)([2, 1]) == rm.Rndcg(gain=gain)([2, 1]) == 1


def test_relevant_documents_are_counted_at_the_level_asked_for() -> None:
    # Trap 6: -c -l2 prints 2 for num_rel, the documents above 0.
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"b": 1.0}}
    ev = rm.evaluate(qrels, run, ["NumRel(rel=2)", "NumRel", "Bpref(rel=2)"])
    assert tuple(ev.values()) == (1, 2, 1)


def test_a_ranking_of_which_nothing_is_left_has_no_precision_at_any_recall() -> None:
    # Trap 7: under -J, trec_eval divides 0 by 0 and prints -nan with exit code 0.
    qrels, run = {"q": {"a": 1}}, {"q": {"x": 1.0}}
    names = ["IPrec", "iprec_at_recall_0.00", "iprec_at_recall_1.00"]
    with pytest.warns(rm.RankmarkWarning, match="no document that it holds is judged"):
        ev = rm.evaluate(qrels, run, names, judged_only=True)
    assert tuple(ev.values()) == (0, 0, 0)
    said = pytrec_eval_says(qrels, run, ["11pt_avg"], judged_docs_only_flag=True)
    assert math.isnan(said["11pt_avg"]["q"])


def test_bpref_is_a_number_whatever_was_judged() -> None:
    # Trap 15: ranx gives NaN without judged non-relevant documents, and divides by zero without
    # relevant ones; trec_eval says 1 and 0.
    for labels, value in (([1, None], 1.0), ([0, 0], 0.0)):
        assert rm.Bpref(labels) == value
        judged = {f"d{place}": label for place, label in enumerate(labels) if label is not None}
        run = {"q": {"d0": 2.0, "d1": 1.0}}
        assert pytrec_eval_says({"q": judged}, run, ["bpref"])["bpref"]["q"] == value


def test_junk_below_zero_is_unjudged_unless_said_otherwise() -> None:
    # trec_eval passes over labels below 0 (form_res_rels.c, RELVALUE_UNJUDGED); the web tracks
    # judged junk -2.
    qrels = {"q": {"junk": -2, "good": 1}}
    run = {"q": {"junk": 2.0, "good": 1.0}}
    names = ["bpref", "num_nonrel_judged_ret"]
    said = pytrec_eval_says(qrels, run, names)
    assert [said[name]["q"] for name in names] == [1, 0]
    assert tuple(rm.evaluate(qrels, run, [*names, "unj_2"]).values()) == (1, 0, 0.5)
    judged = [rm.measure(name)(judged=-2) for name in [*names, "unj_2"]]
    assert tuple(rm.evaluate(qrels, run, judged).values()) == (0, 1, 0)
