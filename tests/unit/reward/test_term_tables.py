"""Rewards by measures that are sums: which terms are looked up, and what is done without them."""

import gc
import math
import pickle
import struct

import numpy as np
import pytest

import rankmark as rm
from rankmark.compat import pytrec_eval
from rankmark.conventions import Conventions
from rankmark.scoring.term_tables import term_tables

QRELS = {"q1": {"d1": 2, "d2": 1, "d3": 0}, "q2": {"d1": 1}}
RANKING = ["d9", "d1", "d3", "d2"]
USUAL = Conventions()


def looked_up(reward, query, ranking):
    """Return the values that are added up without a pattern; None if there are none."""
    return reward._add_up and reward._add_up(query, ranking)


def evaluated(qrels, query, ranking, measures):
    return rm.evaluate(qrels, {query: ranking}, measures, queries=[query]).scores[0].tolist()


def test_terms_are_those_of_the_formula():
    labels = np.array([2.0, 1.0, 2.0, 0.0])
    held, ranks, tables = term_tables([rm.nDCG @ 3, rm.AP @ 3], labels, USUAL)
    assert (held.tolist(), ranks) == ([1.0, 2.0], 3)  # AP and nDCG need no label below
    (by_label, discounted), (rel, by_found) = tables
    third = 1 / math.log2(3)
    assert math.isnan(by_label)
    np.testing.assert_allclose(discounted, [1, third, 0.5, 2, 2 * third, 1], rtol=1e-15)
    assert rel == 1.0
    np.testing.assert_array_equal(by_found.reshape(3, 3)[0], [1, 1 / 2, 1 / 3])
    np.testing.assert_array_equal(by_found.reshape(3, 3)[1], [0, 1, 2 / 3])
    np.testing.assert_array_equal(by_found.reshape(3, 3)[2], [0, 0, 1])


@pytest.mark.parametrize(
    "measure",
    ["nDCG@10", "AP", "RR", "R@3", "P", "Success@2", "CG", "DCG(negative=keep)@3", "Judged@2"],
)
def test_the_second_ranking_of_as_many_documents_is_added_up(measure):
    reward = rm.reward(QRELS, measure)
    assert looked_up(reward, "q1", RANKING) is None
    first = reward("q1", RANKING)
    assert looked_up(reward, "q1", RANKING) == (first,)
    other = [*reversed(RANKING)]
    assert [reward("q1", other)] == evaluated(QRELS, "q1", other, [measure])
    assert len(reward._known) == 1
    # Fewer documents, up to the cutoff, have another divisor in some measures.
    assert looked_up(reward, "q1", RANKING[:1]) is None
    assert [reward("q1", RANKING[:1])] == evaluated(QRELS, "q1", RANKING[:1], [measure])


@pytest.mark.parametrize(
    "measure",
    [
        "ERR@10",
        "nDCG(ideal=retrieved)@10",
        "AP(norm=hits)",
        "AP(precision=set)",
        "AP(ties=together)",
        "RR(ties=mean)",
        "P(judged_only=True)@5",
        'RR(no_relevant="nan")',
        rm.DCG(gain=lambda label: label * 3),
        rm.Own("hits", formula=lambda a: a.found(1.0, None)),
    ],
    ids=str,
)
def test_other_measures_are_scored_by_their_formulas(measure):
    reward = rm.reward(QRELS, [measure, "RR"])
    for _ in range(2):
        assert reward("q1", RANKING).tolist() == evaluated(QRELS, "q1", RANKING, [measure, "RR"])
        assert looked_up(reward, "q1", RANKING) is None


def test_a_subclass_of_a_measure_may_do_anything():
    class Twice(type(rm.RR)):
        """Twice the reciprocal rank.

        Formula: 2 / rank.
        """

        name = "Twice"

        def score(self, a):
            return 2.0 * super().score(a)

    assert term_tables([Twice()], np.array([1.0]), USUAL) is None


def test_what_is_too_deep_for_the_tables_is_scored_by_the_formula():
    qrels = {"q": {f"d{n}": n % 3 for n in range(300)}}
    reward = rm.reward(qrels, ["nDCG", "AP"])
    rng = np.random.default_rng(1)
    for size in (100, 101, 250):
        for _ in range(2):
            ranking = [f"d{n}" for n in rng.permutation(300)[:size]]
            wanted = evaluated(qrels, "q", ranking, ["nDCG", "AP"])
            assert reward("q", ranking).tolist() == wanted
    assert looked_up(reward, "q", ranking[:100]) is not None
    assert looked_up(reward, "q", ranking) is None


def test_many_different_labels_are_scored_by_the_formula():
    qrels = {"q": {f"d{n}": n / 7 for n in range(150)}}
    ranking = [f"d{n}" for n in range(20, 30)]
    for measure, is_added_up in (("nDCG@10", False), ("P@10", True)):
        reward = rm.reward(qrels, measure)
        for _ in range(2):
            assert [reward("q", ranking)] == evaluated(qrels, "q", ranking, [measure])
        assert (looked_up(reward, "q", ranking) is not None) == is_added_up


def test_a_label_that_was_not_looked_at_is_scored_by_the_formula(monkeypatch):
    monkeypatch.setattr("rankmark.scoring.term_tables._LABELS_LOOKED_AT", 1)
    reward = rm.reward({"q": {"a": 1}, "r": {"a": 2, "b": 1}}, "DCG")
    for _ in range(2):
        assert reward("r", ["a"]) == 2.0
        assert reward("r", ["b"]) == 1.0
    assert looked_up(reward, "r", ["a"]) is None
    assert looked_up(reward, "r", ["b"]) == (1.0,)


def test_a_label_without_a_gain_is_refused_only_where_it_is_retrieved():
    measure = rm.CG(gain={1: 2.0})
    reward = rm.reward({"q": {"a": 1, "b": 5}}, measure)
    assert reward("q", ["a"]) == 2.0
    with pytest.raises(rm.MeasureError, match="label 5 has no gain"):
        reward("q", ["b"])


def test_a_copy_looks_terms_up_again():
    reward = rm.reward(QRELS, ["nDCG@10", "RR"])
    wanted = reward("q1", RANKING).tolist()
    copy = pickle.loads(pickle.dumps(reward))
    assert copy("q1", RANKING).tolist() == wanted
    assert [*looked_up(copy, "q1", RANKING)] == wanted


def test_a_baseline_is_subtracted_from_what_is_added_up():
    reward = rm.reward(QRELS, "RR", baseline={"q1": ["x", "y", "z", "d1"]})
    assert [reward("q1", RANKING) for _ in range(3)] == [0.25] * 3


def test_divisors_are_forgotten_where_there_are_too_many():
    reward = rm.reward(QRELS, "RR")
    patterns = reward._parts[0].scores._patterns
    one = np.array([1.0])
    for retrieved in range(1 << 16):
        patterns.learn_divisors(struct.pack("=Iq", 0, retrieved), one)
    patterns.learn_divisors(struct.pack("=Iq", 0, 0), one)  # is known already
    assert looked_up(reward, "q1", RANKING) == (0.5,)
    patterns.learn_divisors(struct.pack("=Iq", 0, 1 << 20), one)
    assert looked_up(reward, "q1", RANKING) is None
    assert reward("q1", RANKING) == 0.5


@pytest.mark.parametrize(
    ("labels", "ranks", "table"),
    [
        ([1.0, 1.0], 1, (math.nan, [1.0, 1.0])),
        ([2.0, 1.0], 1, (math.nan, [1.0, 1.0])),
        ([1.0], 2, (math.nan, [1.0])),
        ([1.0], 2, (1.0, [1.0, 2.0])),
        ([1.0], 1 << 32, (1.0, [])),
        ([], 0, (1.0, [])),
    ],
)
def test_tables_that_do_not_fit_are_refused(labels, ranks, table):
    patterns = rm.reward(QRELS, "RR")._parts[0].scores._patterns
    with pytest.raises(ValueError, match="must"):
        patterns.tabulate(np.array(labels), ranks, [(table[0], np.array(table[1]))])


def test_divisors_that_do_not_fit_are_refused():
    patterns = rm.reward(QRELS, "RR")._parts[0].scores._patterns
    head = struct.pack("=Iq", 0, 4)
    with pytest.raises(ValueError, match="a divisor for each table"):
        patterns.learn_divisors(head, np.array([1.0, 1.0]))
    with pytest.raises(ValueError, match="no pattern"):
        patterns.learn_divisors(head[:5], np.array([1.0]))
    untabulated = rm.reward(QRELS, "ERR")._parts[0].scores._patterns
    with pytest.raises(ValueError, match="a divisor for each table"):
        untabulated.learn_divisors(head, np.array([1.0]))
    assert untabulated.values("q1", RANKING) is None


def test_pytrec_evals_calls_add_up_terms_once_that_is_worth_it(monkeypatch):
    monkeypatch.setattr(pytrec_eval, "_WORTH_TABLES", 3)
    names = {"ndcg_cut.5", "map", "recip_rank", "recall.5", "P.5"}
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, names)
    fresh = pytrec_eval.RelevanceEvaluator(QRELS, names)
    fresh._of_one = lambda _: None
    rng = np.random.default_rng(2)
    for _ in range(20):
        scores = {f"d{n}": float(score) for n, score in enumerate(rng.integers(5, size=6))}
        run = {"q1": scores}
        assert evaluator.evaluate(run) == fresh.evaluate(run)
    assert evaluator._is_tabulated
    assert len(evaluator._known) == 4
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(run) == fresh.evaluate(run)
    others = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "bpref"})
    for place in range(6):
        scores = dict.fromkeys(["x", "y", "z"][: place % 3] + ["d2"] * (place > 2), 1.0)
        others.evaluate({"q1": scores | {"d1": place - 1.5}})
    assert not others._is_tabulated


def test_a_finaliser_that_rewards_changes_no_other_value():
    reward = rm.reward(QRELS, ["RR", "P@2", "R"])
    wanted = reward("q1", RANKING).tolist()

    class Rewards:
        def __init__(self):
            self.itself = self  # so that it is the collector that frees it

        def __del__(self):
            reward("q2", ["x", "y", "z", "d1"])

    before = gc.get_threshold()
    values = reward._add_up
    reward("q2", ["x", "y", "z", "d1"])
    found = []
    try:
        for _ in range(50):
            gc.set_threshold(0)
            Rewards()
            gc.set_threshold(1)
            one = values("q1", RANKING)
            gc.set_threshold(0)
            found.append(one)
    finally:
        gc.set_threshold(*before)
    assert {*map(tuple, found)} == {tuple(wanted)}
