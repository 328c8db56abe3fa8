"""An Accumulator takes batches of any form, names what comes twice, and travels."""

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q10": {"b": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.5}, "q2": {"c": 0.7, "a": 0.6}, "q10": {"a": 1.0, "b": 0.5}}
MEASURES = ["nDCG@5", "RR", "NumRet"]
WHOLE = rm.evaluate(QRELS, RUN, MEASURES)


def rows(of: dict[str, dict[str, float]], name: str, queries: list[str]) -> list[dict[str, Any]]:
    return [{"query_id": q, "doc_id": d, name: n} for q in queries for d, n in of[q].items()]


def batch(*queries: str) -> rm.Accumulator:
    acc = rm.Accumulator(MEASURES)
    acc.update({q: QRELS[q] for q in queries}, {q: RUN[q] for q in queries})
    return acc


def test_batches_of_any_form_are_one_evaluation() -> None:
    acc = rm.Accumulator(MEASURES)
    acc.update(
        pd.DataFrame(rows(QRELS, "label", ["q10"])), pl.DataFrame(rows(RUN, "score", ["q10"]))
    )
    acc.update({"q2": QRELS["q2"]}, {"q2": ["c", "a"]})
    assert acc.update(np.array([[1, 0]]), np.array([[0.5, 0.9]]), query_ids=["q1"]) is None
    assert acc.result() == WHOLE
    assert acc.result().queries == ("q1", "q2", "q10")
    assert acc.result().audit == WHOLE.audit
    assert (len(acc), repr(acc)) == (3, "Accumulator(nDCG@5, RR, NumRet: 3 queries in 3 batches)")
    assert acc.result().settings["run"] == {"form": "several forms"}
    assert isinstance(acc.result(), rm.Evaluation)
    acc.reset()
    assert len(acc) == 0


def test_rows_come_in_the_order_of_ids_or_in_any_other() -> None:
    ids = ["q10", "q9", "b", "Q1", "q1x2", "q1x10", "10", "9", "09", "q1"]
    qrels = {query: {f"d{place}": 1} for place, query in enumerate(ids)}
    run = {query: ["d4", "d7", "d1", "d0", "d2", "d3"] for query in ids}
    acc = rm.Accumulator("RR")
    for query in ids:
        acc.update({query: qrels[query]}, {query: run[query]})
    by_id = ["09", "9", "10", "Q1", "b", "q1", "q1x2", "q1x10", "q9", "q10"]
    assert list(acc.result().queries) == by_id
    assert acc.result() == rm.evaluate({query: qrels[query] for query in by_id}, run, "RR")
    whole = rm.evaluate(qrels, run, "RR")
    assert acc.result(order=["not here", *rm.Qrels(qrels).query_ids]) == whole
    assert acc.result(order=ids).means == whole.means
    with pytest.raises(rm.InputError, match="order lacks queries that came: 'q1'"):
        acc.result(order=ids[:-1])


def test_files_are_batches(tmp_path: Path) -> None:
    lines = (EXAMPLE / "bm25.run").read_text().splitlines(keepends=True)
    odd = tmp_path / "odd.run"
    even = tmp_path / "even.run"
    for path, remainder in ((odd, 1), (even, 0)):
        path.write_text("".join(s for s in lines if int(s.split()[0][1:]) % 2 == remainder))
    acc = rm.Accumulator()
    qrels = rm.Qrels(EXAMPLE / "qrels.txt")
    acc.update(qrels, odd)
    acc.update(qrels, even)
    whole = rm.evaluate(qrels, EXAMPLE / "bm25.run")
    assert acc.result() == whole
    assert acc.result().audit == whole.audit
    with pytest.raises(
        rm.DuplicateError, match=r"in batch 1 \(.*odd.run\), and in batch 3 \(.*odd"
    ):
        acc.update(qrels, odd)
    assert acc.result() == whole


def test_rows_without_ids_are_numbered_through_all_batches() -> None:
    dice = np.random.default_rng(0)
    labels, scores = dice.random((9, 5)) > 0.6, dice.random((9, 5))
    acc, other = rm.Accumulator("RR"), rm.Accumulator("RR")
    acc.update(labels[:4], scores[:4])
    acc.update(labels[4:6].ravel(), scores[4:6].ravel(), groups=[5, 5])
    other.update(labels[6:], scores[6:])
    assert acc.merge(other).result() == rm.evaluate(labels, scores, "RR")
    with pytest.raises(rm.InputError, match="queries of batch 4 have ids, and those of earlier"):
        acc.update({"q": {"a": 1}}, {"q": ["a"]})
    shuffled = rm.Accumulator("RR")
    for places in ([7, 2, 5], [8, 0, 1, 3], [4, 6]):
        shuffled.update(labels[places], scores[places], query_ids=np.array(places))
    assert shuffled.result() == rm.evaluate(labels, scores, "RR")
    for ids, said in (([1], "holds 1 id, and the batch has 9"), ([*range(8), 7], "'7' twice")):
        with pytest.raises(rm.InputError, match=said):
            rm.Accumulator("RR").update(labels, scores, query_ids=ids)


def test_a_query_that_comes_twice_is_refused_or_the_last_counts() -> None:
    acc, other = batch("q1"), rm.Accumulator(MEASURES, name="rank 1")
    worse = {"q1": {"b": 0.9}}
    with pytest.raises(
        rm.DuplicateError, match="'q1' comes twice: in batch 1, and in batch 2; give"
    ):
        acc.update(QRELS, RUN)
    assert len(acc) == 1
    other.update(QRELS, RUN, name="epoch 3")
    with pytest.raises(rm.DuplicateError, match="in batch 1, and in epoch 3 of rank 1"):
        acc.merge(other)
    assert len(acc) == 1
    last = rm.Accumulator("RR", on_repeat="last")
    last.update(QRELS, RUN)
    last.update(QRELS, worse)
    assert last.result().per_query("RR") == {"q1": 0.0, "q2": 1.0, "q10": 0.5}
    last.update({"q1": QRELS["q1"]}, RUN)
    assert last.result().per_query("RR")["q1"] == 0.5


def test_what_fails_leaves_everything_as_it_was() -> None:
    acc = batch("q1", "q2")
    before = pickle.dumps(acc)
    for qrels, run in (
        ({"q10": {"b": 1}}, {"q10": {"b": None}}),
        ({"q3": {"a": "x"}}, {}),
        ("/none", {}),
    ):
        with pytest.raises(rm.RankmarkError):
            acc.update(qrels, run)
    for other in (rm.Accumulator("RR"), rm.Accumulator(MEASURES, depth=3), WHOLE):
        with pytest.raises(rm.InputError, match=r"different|takes an Accumulator"):
            acc.merge(other)  # type: ignore[arg-type]
    assert pickle.dumps(acc) == before


def test_sets_of_the_same_queries_are_the_same_convention() -> None:
    one, other = rm.Accumulator("RR", queries={0, 8}), rm.Accumulator("RR", queries={8, 0})
    one.merge(other)  # these sets are in different orders, as sets of text in two processes are
    listed = rm.Accumulator("RR", queries=["0", "1"])
    with pytest.raises(rm.MismatchError, match=r"different queries: \['0', '8'\] and \['0', '1'\]"):
        one.merge(listed)


def test_conventions_are_those_of_evaluate() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'mask'"):
        rm.Accumulator("RR", mask=[1])
    for wrong in ({"on_repeat": "first"}, {"ties": "luck"}, {"depth": 0}):
        with pytest.raises(rm.InputError, match=next(iter(wrong))):
            rm.Accumulator("RR", **wrong)  # type: ignore[arg-type]
    tied = rm.Accumulator("RR", ties="error", queries=["q1", "q2"])
    tied.update({"q1": {"a": 1}, "q3": {"a": 1}}, {"q1": {"a": 2, "b": 1}, "q3": {"a": 1, "b": 1}})
    with pytest.raises(rm.InputError, match="1 judged document is tied"):
        tied.update({"q2": {"a": 1}}, {"q2": {"a": 1, "b": 1}})
    with pytest.raises(rm.InputError, match="1 requested query has no judgments: 'q2'"):
        tied.result()
    with pytest.raises(rm.InputError, match="no batch was given"):
        rm.Accumulator("RR").result()
    strangers = rm.Accumulator("RR")
    strangers.update({"1": {"a": 1}}, {"01": {"a": 1}})
    with pytest.raises(rm.MismatchError, match="none of its 1 queries is judged: it has '01'"):
        strangers.result()
    low = rm.Accumulator("AP")
    low.update({"q": {"a": 0.5}}, {"q": ["a"]})
    with pytest.warns(rm.RankmarkWarning, match="no label reaches rel=1, the highest is 0.5"):
        low.result()


def test_subtopics_preferences_and_seen_documents_come_in_batches(tmp_path: Path) -> None:
    queries = [f"q{number}" for number in range(5)]
    path = tmp_path / "prefs.txt"
    path.write_text(
        "".join(f"{q} j1 s a 2\n{q} j1 s b 1\n{q} j2 s c 1\n{q} j2 s a 0\n" for q in queries)
    )
    run = {q: {"a": 1.0, "c": 0.9 + place % 2 / 10, "b": 0.8} for place, q in enumerate(queries)}
    topics = {
        q: {"red": {"a": 1, "b": 1}, "blue": {"c": place % 2}} for place, q in enumerate(queries)
    }
    binary = {q: {"a": 1, "b": 1} for q in queries}
    for qrels, measures, options in (
        (topics, ["alpha_nDCG@3", "StRecall@1", "AP"], {}),
        (rm.Qrels(path, format="prefs"), ["Prefs"], {}),
        (binary, ["AP"], {"seen": {"q1": ["c"], "q3": ["a"]}}),
    ):
        acc = rm.Accumulator(measures)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* in seen, and so cannot be retrieved")
            whole = rm.evaluate(qrels, run, measures, **options)
            for query in queries[::-1]:
                part = {query: qrels[query]} if isinstance(qrels, dict) else qrels
                acc.update(part, {query: run[query]}, **options)
        assert acc.result() == whole
        assert acc.result().audit == whole.audit


def test_what_needs_documents_says_that_they_are_not_kept() -> None:
    ev = batch("q1", "q2").result()
    for use in (lambda: ev.explain("q1"), lambda: ev.bounds, lambda: ev.plot("curve")):
        with pytest.raises(rm.ChangedError, match="Accumulator, which keeps no documents"):
            use()
    assert ev.to_polars().columns == ["query_id", *MEASURES]
    other = rm.evaluate({q: QRELS[q] for q in ("q1", "q2")}, {"q1": ["a"], "q2": ["a"]}, MEASURES)
    compared = rm.compare(None, {"batches": ev, "whole": other}, baseline="batches")
    (difference,) = compared.differences.where(measure="RR")
    assert difference.difference == 0.25


def test_accumulators_are_small_and_travel() -> None:
    dice = np.random.default_rng(0)
    acc = rm.Accumulator(["nDCG@10", "AP"])
    for _ in range(10):
        acc.update(dice.random((20, 500)) > 0.5, dice.random((20, 500)))
    assert len(pickle.dumps(acc)) < 200 * 150
    for same in (pickle.loads(pickle.dumps(acc)), copy.deepcopy(acc)):
        assert same.result() == acc.result()
        same.update(np.ones((1, 2)), np.ones((1, 2)))
        assert len(same) == len(acc) + 1
    ev = acc.result()
    assert pickle.loads(pickle.dumps(ev)) == copy.deepcopy(ev) == ev


def test_a_copy_has_batches_of_its_own() -> None:
    acc = batch("q1")
    same = copy.copy(acc)
    same.update({"new": {"a": 1}}, {"new": ["a"]})
    assert (len(acc), len(same)) == (1, 2)


@pytest.mark.parametrize(
    ("query_ids", "said"),
    [
        ([None, "a"], "query_ids: None is not an id"),
        ([1.5, "a"], r"query_ids: 1\.5 is not an id"),
        ([("a", 1), "b"], "is not an id; ids are text or whole numbers"),
        ("ab", "query_ids is 'ab'; need a list of query ids"),
        ({"a", "b"}, "query_ids is a set, which has no order"),
        (5, "query_ids is 5; need a list"),
        (["a"], "query_ids holds 1 id, and the batch has 2 queries"),
    ],
)
def test_what_is_no_list_of_ids_is_refused(query_ids: object, said: str) -> None:
    acc = rm.Accumulator("RR")
    with pytest.raises(rm.InputError, match=said):
        acc.update(np.eye(2), np.eye(2), query_ids=query_ids)  # type: ignore[arg-type]
    assert len(acc) == 0
    acc.update(np.eye(2), np.eye(2), query_ids=[1.0, np.int64(2)])
    assert acc.result().per_query("RR") == {"1": 1.0, "2": 1.0}
    for order in ("12", 5, [None]):
        with pytest.raises(rm.InputError, match="order"):
            acc.result(order=order)  # type: ignore[arg-type]


def test_an_accumulator_is_not_merged_into_itself() -> None:
    acc = rm.Accumulator("RR", on_repeat="last")
    acc.update(np.eye(2), np.eye(2))
    with pytest.raises(rm.SchemaError, match="merged into itself"):
        acc.merge(acc)
    assert len(acc) == 2
