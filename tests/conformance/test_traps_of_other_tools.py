"""Traps that libraries fall into, each with who is wrong and by how much."""

import math

import pytest

import rankmark as rm
from rankmark import AP, CG, DCG, Rprec, nDCG
from rankmark.similarity import rbo

LOG3 = math.log2(3)


def test_one_rule_for_ties_holds_for_every_measure() -> None:
    # Trap 8: ir_measures asks others, of which each has its own: RR is 1 here, and RR@10 is 0.5.
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    qrels, run = {"q": {"b": 1}}, {"q": {"a": 0.0, "b": 0.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.RR, ir_measures.RR @ 10], qrels, run)
    assert set(theirs.values()) == {1.0, 0.5}
    ours = rm.evaluate(qrels, run, ["RR", "RR@10", "nDCG@10", "P@1", "AP"])
    assert set(ours.values()) == {1.0}
    up = rm.evaluate(qrels, run, ["RR", "RR@10", "AP"], ties="docid-asc")
    assert set(up.values()) == {0.5}


def test_nothing_to_divide_by_is_no_error() -> None:
    # Trap 10: Judged@k of ir_measures divides by zero where nothing was retrieved.
    found = rm.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {}, "r": ["a"]}, ["Judged@10", "P@5"])
    assert found.per_query("Judged@10") == {"q": 0.0, "r": 1.0}


def test_a_threshold_takes_nothing_away_from_gains() -> None:
    # Trap 17: ranx' ndcg-l2 drops documents below 2 from gains and ideal: 1 / log2(3) = 0.631.
    whole = (1 + 3 / LOG3) / (3 + 1 / LOG3)
    assert nDCG(gain="exp2")([1, 2]) == pytest.approx(whole)
    assert nDCG(gain={1: 0, 2: 3})([1, 2]) == pytest.approx(1 / LOG3)  # theirs, if it is meant


def test_ids_are_text_however_many_digits_they_have() -> None:
    # Trap 18: ranx keeps hashes of ids in float64, which has 53 digits: these two would be one.
    one, other = 2**60, 2**60 + 1
    assert float(one) == float(other)
    found = rm.evaluate({"q": {one: 1}}, {"q": {other: 1.0, one: 0.5}}, "RR")
    assert found["RR"] == 0.5


def test_ap_of_no_hit_is_nothing_at_any_cutoff() -> None:
    # Trap 19: rankeval's MAP@k is 1 here, though something relevant was missed.
    assert (AP @ 2)([0, 0, 1]) == 0.0
    assert nDCG([0, 0]) == 0.0  # and its nDCG is 1 where nothing is relevant


def test_every_measure_is_averaged_over_the_same_queries() -> None:
    # Trap 20: recommenders averages precision over the users predicted, nDCG over all.
    qrels = {"u1": {"a": 1}, "u2": {"b": 1}, "u3": {"c": 1}}
    run = {"u1": ["a"], "u2": ["b"]}
    found = rm.evaluate(qrels, run, ["P@1", "nDCG@1", "Rprec"])
    assert tuple(found.values()) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
    both = rm.evaluate(qrels, run, ["P@1", "nDCG@1", "Rprec"], queries="both")
    assert tuple(both.values()) == (1.0, 1.0, 1.0)


def test_r_precision_counts_queries_without_a_hit() -> None:
    # Trap 20: recommenders leaves out users without a hit among the first R, and gives 0.5.
    qrels = {"u1": {"a": 1, "b": 1}, "u2": {"c": 1}}
    assert rm.evaluate(qrels, {"u1": ["a", "x"], "u2": ["x", "c"]}, Rprec)["Rprec"] == 0.25


def test_a_list_shorter_than_k_adds_nothing_to_ap() -> None:
    # Trap 21: evidently adds the last relevant item again, so that one user's AP is 1.5.
    qrels = {"u1": {"a": 1}, "u2": {"b": 1, "x": 1}}
    found = rm.evaluate(qrels, {"u1": ["y", "z", "w", "a"], "u2": ["b"]}, AP @ 4)
    assert found.per_query("AP@4") == {"u1": 0.25, "u2": 0.5}
    assert found["AP@4"] == 0.375
    assert max(found.scores.ravel()) <= 1


def test_the_exponential_gain_of_nothing_is_nothing() -> None:
    # Trap 22: rankerEval's "power" is x^2 - 1, so that grade 0 has the gain -1.
    assert CG(gain="exp2")([0, 1, 2, 3]) == 0 + 1 + 3 + 7


def test_a_perfect_list_has_an_ndcg_of_one_however_few_are_relevant() -> None:
    # Traps 25 and 26: LlamaIndex took as many ones for ideal as were retrieved, RecTools takes k.
    assert (nDCG @ 4)([1, 0, 0, 0]) == 1.0
    theirs = 1 / sum(1 / math.log2(rank + 1) for rank in range(1, 5))
    assert nDCG(ideal="k", k=4)([1, 0, 0, 0]) == pytest.approx(theirs)


def test_the_ideal_is_sorted_and_of_grades() -> None:
    # Trap 27: Spark takes the labels in the order given; trap 28: recpack's ideal is binary.
    given = {"q": {"a": 1, "b": 3, "c": 2}}
    found = rm.evaluate(given, {"q": ["b", "c", "a"]}, "nDCG@3")
    assert found["nDCG@3"] == 1.0
    assert (nDCG @ 3)([3, 2, 1]) == 1.0
    assert (DCG @ 3)([3, 2, 1]) > sum(1 / math.log2(rank + 1) for rank in (1, 2, 3))


def test_ap_looks_at_the_ranks_of_relevant_documents_alone() -> None:
    # Trap 29: elliot's MAP is the mean of P@i over all i, here (1 + 1/2 + 1/3) / 3.
    assert AP([1, 0, 0]) == 1.0


def test_the_ideal_knows_what_was_missed() -> None:
    # Trap 30: an ideal of the retrieved documents' own ratings gives 1 here.
    assert (nDCG @ 10)([1, 0], missed=[3]) == pytest.approx(1 / (3 + 1 / LOG3))
    assert nDCG(ideal="retrieved", k=10)([1, 0], missed=[3]) == 1.0  # theirs, if it is meant


def test_an_ideal_of_all_rated_documents_is_out_of_reach() -> None:
    # Quepid 8.1's ndcg@10 counts all rated documents in the ideal, and the first ten of the run.
    rated = [3, 3, 2] + [1] * 9
    ideal = sum((2**rating - 1) / math.log2(rank + 1) for rank, rating in enumerate(rated, 1))
    first = sum((2**rating - 1) / math.log2(rank + 1) for rank, rating in enumerate(rated[:10], 1))
    theirs = nDCG(ideal="uncut", gain="exp2", k=10)
    assert theirs(rated) == pytest.approx(first / ideal)
    assert theirs(rated[:10], missed=rated[10:]) == theirs(rated) < 1
    assert nDCG(gain="exp2", k=10)(rated) == 1.0  # their ndcg_cut@10


def test_the_second_rank_is_discounted() -> None:
    # Trap 31: LensKit's default discounts neither rank 1 nor rank 2; base 2 of Järvelin's is that.
    assert DCG([0, 1]) == pytest.approx(1 / LOG3)
    assert DCG(discount=2)([0, 1]) == 1.0


def test_one_pair_of_lists_has_four_numbers_each_with_a_name() -> None:
    # Trap 33: PyPI's rbo 0.2375, dlukes 0.5 and 0.828, LensKit and repro_eval 0.58.
    found = rbo(list("abcde"), list("bcdae"), p=0.9)
    named = (found.truncated, found.min, found.extrapolated, found.normalized)
    assert named == pytest.approx((0.2375, 0.5, 0.828, 0.58), abs=5e-5)


def test_ndcg_is_higher_for_better_rankings() -> None:
    # Trap 34: TorchRec's metric of that name is 1 - DCG / IDCG.
    assert nDCG([1, 0]) == 1.0 > nDCG([0, 1])


def test_ap_divides_by_all_that_is_relevant() -> None:
    # Trap 35: recmetrics' mapk divides by the hits (here 1), its mark by R.
    assert AP([1, 0], missed=[1, 1]) == pytest.approx(1 / 3)
    assert AP(norm="hits")([1, 0], missed=[1, 1]) == 1.0  # theirs, if it is meant
