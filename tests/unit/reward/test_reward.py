"""rankmark.reward: single rankings and batches of them, as a training loop scores them."""

import copy
import math
import multiprocessing
import pickle
import random
import threading
import uuid
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.verbs.reward import pattern_scores
from rankmark.verbs.reward import reward as module

QRELS = {
    "q1": {"d1": 2, "d2": 1, "d3": 0},
    "q2": {"d1": 1},
    "7": {"7": 1, "8": 1},
    "none": {"x": 0},
}
RANKING = ["d9", "d1", "d3", "d2"]
NDCG = (2 / math.log2(3) + 1 / math.log2(5)) / (2 + 1 / math.log2(3))


def test_a_ranking_is_rewarded_as_the_formula_says():
    reward = rm.reward(QRELS, "nDCG@10")
    value = reward("q1", RANKING)
    assert value == pytest.approx(NDCG, rel=1e-15)
    assert type(value) is float
    assert reward("q1", RANKING) == value
    assert repr(reward) == "<reward nDCG@10 of 4 queries>"
    assert reward.measures == (rm.nDCG @ 10,)


def test_several_measures_give_an_array_of_ones_own():
    reward = rm.reward(QRELS, ["RR", "P@2", "R"])
    for _ in range(2):
        values = reward("q1", RANKING)
        assert values.tolist() == [0.5, 0.5, 1.0]
        values[:] = -1.0  # what a caller does with it is not remembered
    assert rm.reward(QRELS, ["RR"])("q1", RANKING).tolist() == [0.5]
    assert rm.reward(QRELS, "P@1,2")("q1", RANKING).tolist() == [0.0, 0.5]
    assert rm.reward(QRELS, rm.P @ [1, 2])("q1", RANKING).tolist() == [0.0, 0.5]


def test_a_batch_has_the_values_of_calls():
    reward = rm.reward(QRELS, "nDCG@10")
    both = rm.reward(QRELS, ["nDCG@10", "RR"])
    queries = ["q1", "q2", "q1", "unknown", 7, "q2", "none"]
    rankings = [RANKING, RANKING, None, RANKING, [8, "7"], {"d1": 0.5, "a": 0.5}, ["x"]]
    one_by_one = [reward(query, given) for query, given in zip(queries, rankings, strict=True)]
    together = reward.batch(queries, rankings)
    assert together.dtype == np.float64
    np.testing.assert_array_equal(together, one_by_one)
    table = both.batch(tuple(queries), tuple(rankings))
    assert table.shape == (7, 2)
    np.testing.assert_array_equal(table[:, 0], one_by_one)
    np.testing.assert_array_equal(table[:, 1], [0.5, 0.5, 0, np.nan, 1, 1, 0])
    assert reward.batch([], []).shape == (0,)
    assert both.batch([], []).shape == (0, 2)


@pytest.mark.parametrize(
    "given",
    [
        None,
        "d1",
        b"d1",
        '["d1", "d2"]',
        1.5,
        math.nan,
        [None],
        ["d1", None],
        [1.5],
        [True],
        [["d1"]],
        [["d1", "d2"], ["d3", "d4"]],
        {"d1"},
        [("d1", math.nan)],
        [("d1", "high")],
        [("d1", None)],
        [("d1", 0.5), "d2"],
        ["d2", ("d1", 0.5)],
        {"d1": math.nan},
        {"d1": "0.5"},
        {1.5: 0.5},
        {"d1": 10**400},
        ["\ud800"],
        [("\ud800", 1.0)],
        object(),
        iter(["d1"]),
        [{"text": "d1"}],
    ],
    ids=lambda given: repr(given).partition(" object at")[0],  # without addresses
)
def test_a_malformed_ranking_gets_what_is_chosen(given):
    assert rm.reward(QRELS, "nDCG@10")("q1", given) == 0.0
    punished = rm.reward(QRELS, ["RR", "P@2"], malformed=-1)
    assert punished("q1", given).tolist() == [-1.0, -1.0]
    assert punished.batch(["q1", "q1"], [given, ["d1"]]).tolist() == [[-1, -1], [1, 0.5]]
    assert math.isnan(punished("unknown", given)[0])
    strict = rm.reward(QRELS, "RR", malformed="raise")
    for call in (lambda: strict("q1", given), lambda: strict.batch(["q1"], [given])):
        with pytest.raises(rm.SchemaError):
            call()


@pytest.mark.parametrize(
    "given",
    [
        ("d9", "d1", "d3", "d2"),
        {"d9": 4, "d1": 3.0, "d3": 2.0, "d2": -math.inf},
        [("d2", 1), ("d3", 2), ("d1", 3), ("d9", 4.0)],
        [["d2", 1], ["d3", 2], ["d1", 3], ["d9", 4.0]],
        (("d9", 0.4), ("d1", 0.3), ("d3", 0.2), ("d2", 0.1)),
        np.array(RANKING),
        np.array(RANKING, dtype=object),
        [np.str_(one) for one in RANKING],
        pd.Series([4.0, 3.0, 2.0, 1.0], index=RANKING),
        pl.Series(RANKING),
        [{"id": one, "score": -place} for place, one in enumerate(RANKING)],
        (np.array(RANKING), np.array([4.0, 3.0, 2.0, 1.0])),
        [(one, np.float32(-place)) for place, one in enumerate(RANKING)],
    ],
    ids=lambda given: type(given).__name__,
)
def test_a_ranking_has_any_form_that_it_has_in_a_run(given):
    run = rm.Run({"q1": given}, contents="scores")  # evaluate takes rising scores for distances
    wanted = rm.evaluate(QRELS, run, "nDCG@10", queries=["q1"])["nDCG@10"]
    reward = rm.reward(QRELS, "nDCG@10", malformed="raise")
    assert reward("q1", given) == wanted == pytest.approx(NDCG, rel=1e-15)
    assert reward.batch(["q1"], [given]).tolist() == [wanted]


def test_whole_numbers_are_ids_of_queries_and_documents():
    reward = rm.reward({1: {5: 1, -3: 1}, 2: {5: 1}}, "R@2")
    assert reward(1, [5, -3]) == reward("1", ["5", "-3"]) == reward(np.int64(1), [np.int8(5), -3])
    assert reward(1, [5, 2**70]) == 0.5
    assert reward.batch(np.array([1, 2]), np.array([[5, 7], [9, 5]])).tolist() == [0.5, 1.0]
    name = uuid.uuid4()
    assert rm.reward({"q": {name: 1}}, "RR")("q", ["a", name]) == 0.5
    with pytest.raises(rm.InputError, match="is not an id"):
        reward(1.5, [5])
    with pytest.raises(rm.InputError, match="is not an id"):
        reward.batch([None], [[5]])


def test_a_repeated_document_counts_once_in_its_first_place():
    reward = rm.reward(QRELS, ["R", "P@4", "RR", "nDCG@10"])
    for listed in (["d2"] * 4, ["d2", "d9", "d2", "d9"], ["d2"] * 300):
        once = [*dict.fromkeys(listed)]
        assert reward("q1", listed).tolist() == reward("q1", once).tolist()
    pairs = [("d2", 1.0), ("d9", 2.0), ("d2", 3.0)]
    assert reward("q1", pairs).tolist() == reward("q1", ["d9", "d2"]).tolist()
    mixed = rm.reward({"q": {"1": 1}}, "RR")
    assert mixed("q", ["2", 2, 1]) == 0.5


def test_an_empty_ranking_has_the_value_of_an_unanswered_query():
    measures = ["nDCG@10", "AP", "RR", "R@5", "P@5", "NumRel"]
    for empty in ([], (), {}, np.array([], dtype=str)):
        assert rm.reward(QRELS, measures)("q1", empty).tolist() == [0, 0, 0, 0, 0, 2]
    assert rm.reward(QRELS, "nDCG@10", no_relevant="one")("none", []) == 1.0


def test_a_query_without_judgments_is_worth_nothing_known():
    reward = rm.reward(QRELS, "nDCG@10")
    assert math.isnan(reward("q9", RANKING))
    assert math.isnan(reward("q9", None))
    assert math.isnan(reward(9, ["\ud800"]))
    assert np.isnan(rm.reward(QRELS, ["AP", "RR"])("q9", RANKING)).all()
    assert np.isnan(rm.reward(QRELS, ["Hole@2", "RR(ties=mean)"])("q9", RANKING)).all()


def test_the_difference_from_a_baseline_is_rewarded():
    bm25 = {"q1": ["d3", "d2"], "q9": ["d1"]}
    reward = rm.reward(QRELS, "RR", baseline=bm25)
    assert reward("q1", ["d1"]) == 0.5
    assert reward("q1", ["d3", "d2"]) == 0.0
    assert reward("q1", []) == -0.5
    assert reward("q1", "garbage") == -0.5  # no better than a bad ranking
    assert reward("q2", ["d1"]) == 1.0  # which the baseline lacks
    assert math.isnan(reward("q9", ["d1"]))
    assert rm.reward(QRELS, "RR", baseline=bm25, malformed=-1)("q1", None) == -1.5
    queries, rankings = ["q1", "q1", "q2", "q9"], [["d1"], None, ["d1"], []]
    np.testing.assert_array_equal(reward.batch(queries, rankings), [0.5, -0.5, 1.0, np.nan])
    both = rm.reward(QRELS, ["RR", "R"], baseline=rm.Run(bm25))
    assert both("q1", ["d1"]).tolist() == [0.5, 0.0]
    np.testing.assert_array_equal(
        both.batch(queries, rankings), [[0.5, 0], [-0.5, -0.5], [1, 1], [np.nan, np.nan]]
    )
    assert reward(7, [8]) == reward("7", ["8"]) == reward.batch([7], [[8]])[0] == 1.0


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input", "mean", "best", "worst"])
def test_ties_follow_the_rule_of_evaluate(ties):
    pairs = [("a", 1.0), ("d1", 1.0), ("d2", 1.0), ("z", 1.0)]
    measures = ["RR", "nDCG@2", "AP"]
    wanted = rm.evaluate(QRELS, {"q1": dict(pairs)}, measures, ties=ties, queries=["q1"]).scores[0]
    reward = rm.reward(QRELS, measures, ties=ties)
    assert reward("q1", pairs).tolist() == reward("q1", dict(pairs)).tolist() == wanted.tolist()
    assert reward.batch(["q1"], [pairs]).tolist() == [wanted.tolist()]
    assert reward("q1", ["d1", "a"]).tolist() == rm.reward(QRELS, measures)("q1", ["d1"]).tolist()


def test_measures_with_conventions_of_their_own_are_remembered_like_others():
    reward = rm.reward(QRELS, ["RR", "RR(ties=mean)", "AP(no_relevant=one)", "Hole@3"])
    pairs = [("a", 1.0), ("d2", 1.0), ("d1", 1.0)]
    for _ in range(2):
        assert reward("q1", pairs).tolist() == pytest.approx(
            [0.5, 5 / 6 * 0.8 + 1 / 6, 0, 1 / 3], abs=1
        )
    wanted = rm.evaluate(
        QRELS,
        {"q1": dict(pairs)},
        ["RR", "RR(ties=mean)", "AP(no_relevant=one)", "Hole@3"],
        queries=["q1"],
    ).scores[0]
    assert reward("q1", pairs).tolist() == wanted.tolist()
    without = rm.reward(QRELS, ["RR", "RR(ties=mean)"])
    for _ in range(2):
        assert without("q1", pairs).tolist() == wanted[:2].tolist()
    assert len(without._known) == 1


def test_a_profile_gives_names_and_conventions():
    reward = rm.reward(QRELS, "mrr@10", profile="ranx")
    wanted = rm.evaluate(QRELS, {"q1": RANKING}, "mrr@10", profile="ranx", queries=["q1"])
    assert reward("q1", RANKING) == wanted.scores[0, 0]


def test_rows_of_arrays_leave_out_what_is_no_document():
    reward = rm.reward({"a": {"1": 1}, "b": {"3": 1, "4": 1}}, "R")
    ids = np.array([[2, 1, -1], [-1, 3, 4]])
    assert reward.batch(["a", "b"], ids).tolist() == [1.0, 1.0]
    assert rm.reward({"a": {"1": 1}}, "P@2")("a", [2, 1]) == 0.5
    texts = np.array([["d1", "d9"], ["d9", "d1"]])
    assert rm.reward(QRELS, "RR").batch(np.array(["q1", "q2"]), texts).tolist() == [1.0, 0.5]


def test_columns_of_lists_are_rankings():
    reward = rm.reward(QRELS, "RR")
    queries, rankings = ["q1", "q2", "q1"], [["d9", "d1"], ["d1"], None]
    wanted = [0.5, 1.0, 0.0]
    for make in (pa.array, pl.Series, pd.Series, lambda x: pa.chunked_array([pa.array(x)])):
        assert reward.batch(make(queries), make(rankings)).tolist() == wanted
    assert reward.batch(iter(queries), iter(rankings)).tolist() == wanted


def test_a_batch_that_does_not_fit_is_refused():
    reward = rm.reward(QRELS, "RR")
    with pytest.raises(rm.InputError, match="there are 1 query ids and 2 rankings"):
        reward.batch(["q1"], [["d1"], ["d2"]])
    for queries in ("q1", None, {"q1": 1}):
        with pytest.raises(rm.InputError, match="query_ids is"):
            reward.batch(queries, [["d1"]])
    with pytest.raises(rm.InputError, match="rankings is"):
        reward.batch(["q1"], "d1")


@pytest.mark.parametrize("ties", ["rank", "error"])
def test_rules_for_ties_that_single_rankings_cannot_have_are_refused(ties):
    with pytest.raises(rm.InputError, match=f'ties is "{ties}"'):
        rm.reward(QRELS, "RR", ties=ties)


@pytest.mark.parametrize("malformed", [None, "zero", True, [0.0]])
def test_a_value_of_malformed_rankings_that_is_no_number_is_refused(malformed):
    with pytest.raises(rm.InputError, match="malformed is"):
        rm.reward(QRELS, "RR", malformed=malformed)


def test_what_cannot_be_computed_is_told_before_training():
    with pytest.raises(rm.MeasureError, match="label 2000 is too high"):
        rm.reward({"q": {"d": 2000, "e": 1}}, 'nDCG(gain="exp2")')
    with pytest.raises(rm.SchemaError, match="need the documents of a subtopic"):
        rm.reward(QRELS, "alpha_nDCG@5")
    with pytest.raises(rm.InputError, match="drop_self"):
        rm.reward(np.array([[1, 0]]), "RR", drop_self=True)
    with pytest.raises(TypeError, match="queries"):
        rm.reward(QRELS, "RR", queries="both")
    with pytest.raises(rm.MismatchError):
        rm.reward(QRELS, "RR", baseline={"other": ["d1"]})
    with pytest.warns(rm.RankmarkWarning, match="no label reaches"):
        rm.reward({"q": {"d": 0.5}}, "RR")


def test_a_measure_of_ones_own_sees_each_query():
    def share(labels, missed):
        return float(np.nansum(labels) / max(np.nansum(labels) + missed.sum(), 1))

    reward = rm.reward(QRELS, rm.Own("share", labels=share))
    assert reward("q1", ["d2"]) == 1 / 3
    assert reward("q2", ["d1"]) == 1.0
    assert reward.batch(["q1", "q2"], [["d2"], ["d1"]]).tolist() == [1 / 3, 1.0]


def test_the_values_that_are_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr(module, "_MOST_KNOWN", 3)
    reward = rm.reward(QRELS, "P(judged_only=True)@10")
    for size in range(12):
        ranking = [f"x{place}" for place in range(size)] + ["d1"]
        assert reward("q1", ranking) == 0.1
        assert len(reward._known) <= 3


def test_queries_with_the_same_labels_share_what_is_remembered():
    qrels = {f"q{number}": {f"d{number}": 1} for number in range(50)}
    reward = rm.reward(qrels, "RR@10")
    assert [reward(f"q{number}", ["x", f"d{number}"]) for number in range(50)] == [0.5] * 50
    assert len(reward._known) == 1


def test_later_changes_to_the_judgments_have_no_effect():
    qrels = {"q": {"a": 1, "b": 0}}
    reward = rm.reward(qrels, "RR")
    qrels["q"]["b"] = 1
    assert reward("q", ["b", "a"]) == 0.5


def test_a_large_batch_has_the_values_of_calls():
    rng = np.random.default_rng(5)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(3)) for d in range(q % 40 + 1)} for q in range(90)}
    queries = [f"q{q}" for q in rng.integers(95, size=40_000)]
    rankings = [[f"d{d}" for d in row] for row in rng.integers(45, size=(40_000, 6)).tolist()]
    for broken in range(0, 40_000, 997):
        rankings[broken] = None
    reward = rm.reward(qrels, "nDCG@5", malformed=-1)
    found = reward.batch(queries, rankings)
    one_by_one = [reward(query, given) for query, given in zip(queries, rankings, strict=True)]
    np.testing.assert_array_equal(found, one_by_one)
    assert np.isnan(found).any()
    assert (found == -1).sum() == len(range(0, 40_000, 997))


def test_a_batch_is_the_same_in_parts(monkeypatch):
    reward = rm.reward(QRELS, ["nDCG@10", "P@2"])
    queries = ["q1", "q2", "q9", "q1", "q1", "7"] * 3
    rankings = [RANKING, ["d1"], [], None, [("d1", 1.0), ("d2", 2.0)], [8]] * 3
    whole = reward.batch(queries, rankings)
    monkeypatch.setattr(pattern_scores, "_RANKINGS_AT_A_TIME", 4)
    monkeypatch.setattr(reward._parts[0].scores, "_step", 1)
    np.testing.assert_array_equal(reward.batch(queries, rankings), whole)


def test_very_long_ids_are_read_a_few_rankings_at_a_time():
    long = ["x" * 3_000_000 + str(number) for number in range(4)]
    reward = rm.reward({"q": {long[3]: 1}}, "RR")
    assert reward.batch(["q"] * 4, [long[at:] for at in range(4)]).tolist() == [
        1 / 4,
        1 / 3,
        0.5,
        1,
    ]


def test_many_judgments_of_a_query_are_found():
    qrels = {"q": {f"d{number}": number % 3 for number in range(20_000)}, "empty": {}}
    reward = rm.reward(qrels, ["P@3", "NumRelRet"])
    assert reward("q", ["d19999", "d3", "d20000"]).tolist() == [1 / 3, 1]
    assert reward("q", [f"d{number}" for number in range(19_000, 21_000)])[1] == sum(
        number % 3 > 0 for number in range(19_000, 20_000)
    )
    assert reward("empty", ["d1"]).tolist() == [0, 0]


REWARD = rm.reward(QRELS, ["nDCG@10", "RR"], baseline={"q1": ["d2"]}, malformed=-1, ties="mean")
CALLS = [("q1", RANKING), ("q1", None), ("q1", {"d1": 1.0, "d2": 1.0}), ("q2", ["d1"]), ("q9", [])]


def values(reward=None):
    reward = REWARD if reward is None else reward
    single = [reward(*call).tolist() for call in CALLS]
    return repr(single), repr(reward.batch(*map(list, zip(*CALLS, strict=True))).tolist())


def test_a_copy_gives_the_same():
    wanted = values()
    for made in (pickle.loads(pickle.dumps(REWARD)), copy.copy(REWARD), copy.deepcopy(REWARD)):
        assert values(made) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_another_process_gives_the_same(start):
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system cannot {start}")
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        single = [pool.submit(REWARD, *call) for call in CALLS]
        batch = pool.submit(REWARD.batch, *map(list, zip(*CALLS, strict=True)))
        found = [one.result().tolist() for one in single], batch.result().tolist()
    assert tuple(map(repr, found)) == values()


def test_threads_give_the_same():
    wanted = values()
    with ThreadPoolExecutor(8) as pool:
        assert {*pool.map(lambda _: values(), range(200))} == {wanted}


@pytest.mark.slow
def test_other_threads_run_during_a_batch():
    reward = rm.reward(QRELS, "nDCG@10")
    queries, rankings = ["q1"] * 200_000, [RANKING * 5] * 200_000
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            stop.wait(0.0001)

    other = threading.Thread(target=count)
    other.start()
    try:
        before = counted[0]
        reward.batch(queries, rankings)
        assert counted[0] > before + 3
    finally:
        stop.set()
        other.join()


UNITS = {"D1#3": 0.9, "D4#1": 0.8, "D1#1": 0.7, "D2#7": 0.6}
PARENTS = {unit: unit.partition("#")[0] for unit in UNITS}
OF_DOCUMENTS = {"q": {"D1": 2, "D2": 1}, "r": {"D4": 1}}


@pytest.mark.parametrize("combine", ["best", "mean", "count", "rrf@2"])
def test_units_are_rewarded_for_their_documents(combine: str) -> None:
    asked = ["nDCG@3", "Hole@3"]
    wanted = rm.evaluate(OF_DOCUMENTS, {"q": UNITS}, asked, unit="#", combine=combine).scores[0]
    judged = {"q": {"D1#9": 2, "D2#7": 1, "D2#8": 0}, "r": {"D4#1": 1}}
    for reward in (
        rm.reward(OF_DOCUMENTS, asked, unit="#", combine=combine),
        rm.reward(OF_DOCUMENTS, asked, parents=PARENTS, combine=combine),
        rm.reward(judged, asked, unit="#", qrels_unit="#", combine=combine),
    ):
        for one in (reward, pickle.loads(pickle.dumps(reward))):
            assert one("q", UNITS).tolist() == wanted.tolist()
            assert one.batch(["q", "q"], [UNITS, {**UNITS}])[1].tolist() == wanted.tolist()


def test_a_ranking_with_an_unknown_unit_is_malformed(tmp_path: Path) -> None:
    path = tmp_path / "parents"
    path.write_text("".join(f"{unit} {document}\n" for unit, document in PARENTS.items()))
    reward = rm.reward(OF_DOCUMENTS, "RR", parents=path, malformed=-1.0)
    known, unknown = ["D4#1", "D1#3"], ["D1#3", "D9#9"]
    assert (reward("q", known), reward("q", unknown), reward("q", [])) == (0.5, -1.0, 0.0)
    found = reward.batch(["q", "q", "q", "x"], [known, unknown, [], known])
    assert found.tolist()[:3] == [0.5, -1.0, 0.0]
    assert math.isnan(found[3])
    strict = rm.reward(OF_DOCUMENTS, "RR", parents=PARENTS, malformed="raise")
    with pytest.raises(rm.SchemaError, match="query 'q': unit 'D9#9' has no document in parents"):
        strict("q", unknown)


def test_rewards_of_units_that_cannot_be_are_refused() -> None:
    reward = rm.reward(OF_DOCUMENTS, "RR", unit="#", combine="sum")
    assert reward("q", UNITS) == 1.0
    assert reward("q", []) == 0.0
    for ask in (reward, lambda query, one: reward.batch([query], [one])):
        with pytest.raises(rm.InputError, match="a ranking has only their order"):
            ask("q", ["D1#3"])
    with pytest.raises(rm.InputError, match="leave one of them out"):
        rm.reward(OF_DOCUMENTS, "RR", unit="#", parents=PARENTS)
    with pytest.raises(rm.InputError, match="parents is a function"):
        rm.reward(OF_DOCUMENTS, "RR", parents=PARENTS.get)
    with pytest.raises(rm.InputError, match="unit is not given"):
        rm.reward(OF_DOCUMENTS, "RR", combine="count")
    with pytest.raises(rm.InputError, match="numbers of columns"):
        rm.reward(np.array([[1, 0, 2]]), "RR", unit="#")


def test_a_baseline_of_units_is_mapped_too() -> None:
    baseline = {"q": {"D4#1": 1.0, "D1#3": 0.5}}
    for prepared in (baseline, rm.Run(baseline, parents=PARENTS)):
        reward = rm.reward(OF_DOCUMENTS, "RR", parents=PARENTS, baseline=prepared)
        assert reward("q", UNITS) == 0.5


def long_rankings():
    """Yield rankings that are longer than cutoffs, in each form."""
    dice = random.Random(5)
    documents = [f"d{number}" for number in range(60)]
    for length in (9, 10, 11, 40):
        ids = dice.sample(documents, length)
        yield ids
        yield [*ids[:4], ids[0], ids[1], *ids[4:]]
        yield {document: float(dice.randrange(5)) for document in ids}  # many tie at the cutoff
        yield {document: dice.random() for document in ids}
        yield [(document, dice.random()) for document in ids]
        yield [*map(int, [document[1:] for document in ids])]


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input", "mean"])
def test_what_lies_beyond_the_cutoff_changes_no_value(ties):
    dice = random.Random(6)
    qrels = {"q": {f"d{number}": dice.randrange(-1, 4) for number in range(0, 60, 2)} | {"7": 1}}
    measures = ["nDCG@10", "RR@10", "P(norm='retrieved')@10", "R@10", "Judged@10"]
    if ties != "mean":
        measures += ["ERR@10", "AP@10", "RBP@10", "NumRet@10", "F@10", "bpref"]
    rankings = [*long_rankings()]
    for name in [*measures, measures]:
        reward = rm.reward(qrels, name, ties=ties)
        found = reward.batch(["q"] * len(rankings), rankings)
        for ranking, value in zip(rankings, found, strict=True):
            np.testing.assert_array_equal(reward("q", ranking), value)
            once = ranking if isinstance(ranking, dict) else [*dict.fromkeys(ranking)]
            expected = rm.evaluate(qrels, {"q": once}, name, ties=ties).scores[0]
            np.testing.assert_array_equal(value, expected if name is measures else expected[0])


@pytest.mark.parametrize("wrong", [None, 1.5, b"x", "\ud800"])
def test_a_malformed_id_or_score_beyond_the_cutoff_is_found(wrong):
    reward = rm.reward(QRELS, "nDCG@1", malformed=-1.0)
    rankings = [["d1", "d2", wrong], {"d1": 2.0, "d2": 1.0, wrong: 0.5}]
    rankings += [{"d1": 2.0, "d2": 1.0, "d3": math.nan}, {"d1": 2.0, "d2": 1.0, "d3": None}]
    assert reward.batch(["q1"] * 4, rankings).tolist() == [-1.0] * 4
    assert [reward("q1", one) for one in rankings] == [-1.0] * 4
