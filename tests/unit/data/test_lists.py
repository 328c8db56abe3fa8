"""Lists of ids go in for one query, and for several by their places."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import rankmark as rm


def mean(qrels: Any, run: Any, measure: str = "RR", **options: Any) -> float:
    return rm.evaluate(qrels, run, measure, **options)[measure]


@pytest.mark.parametrize(
    "relevant",
    [{"b", "c"}, frozenset("bc"), ["b", "c"], {"b": 1, "c": 2}, {"a": 0, "b": 1}, np.array(["b"])],
)
def test_one_list_meets_one_set_or_list_or_mapping(relevant: Any) -> None:
    assert mean(relevant, ["a", "b", "c"]) == 0.5
    assert mean(relevant, {"a": 0.9, "b": 0.8, "c": 0.1}) == 0.5
    ev = rm.evaluate(relevant, ["a", "b", "c"], "RR")
    assert ev.queries == ("0",)
    assert ev.settings["run"] == {"form": "one query"}


def test_ids_of_one_query_are_text_or_whole_numbers() -> None:
    assert mean({2, 3}, ["1", np.int64(3), 2]) == 0.5
    assert mean({"2"}, np.array([1, 2]), contents="ids") == 0.5


def test_a_ranking_of_nothing_scores_zero() -> None:
    with pytest.warns(rm.RankmarkWarning, match="<list>: it holds no documents"):
        assert mean({"a"}, []) == 0.0
    assert mean([{"a"}, {"b"}], [["a"], []]) == 0.5


def test_one_query_without_an_id_never_meets_queries_that_have_ids() -> None:
    with pytest.raises(
        rm.SchemaError, match="the run holds one query without an id, and the qrels"
    ):
        rm.evaluate({"q": {"a": 1}}, ["a", "b"])
    with pytest.raises(rm.SchemaError, match="qrels hold one query without an id, and the run's"):
        rm.evaluate({"0": 1, "1": 7}, {"0": {"7": 0.5}})
    with pytest.raises(rm.SchemaError, match="qrels hold one query without an id"):
        rm.evaluate({"a"}, [("0", "a", 0.5)])


def test_lists_of_lists_meet_by_their_places() -> None:
    run = [["a", "b"], ["c", "d"], ["e"]]
    for qrels in (
        [{"b"}, {"c"}, {"f"}],
        [["b"], ["c"], ["f"]],
        [{"b": 1, "a": 0}, {"c": 3}, {"f": 1}],
        [{"b"}, ["c"], {"f": 2}],
        {"0": {"b"}, "1": {"c"}, "2": {"f"}},
    ):
        assert mean(qrels, run) == 0.5
    ev = rm.evaluate([{"b"}, {"c"}, {"f"}], run, "RR")
    assert ev.queries == ("0", "1", "2")
    assert ev.settings["qrels"] == {"form": "list", "queries": 3}


@pytest.mark.parametrize(
    "series", [pd.Series, pl.Series, lambda held: np.array(held, dtype=object)]
)
def test_columns_of_lists_are_lists(series: Any) -> None:
    relevant, retrieved = series([["b"], ["c", "d"]]), series([["a", "b", "x"], ["d"]])
    assert mean(relevant, retrieved) == 0.75


def test_an_iterator_of_lists_is_read_once_and_kept() -> None:
    run = rm.Run(iter([["a", "b"], ["c"]]))
    for _ in range(2):
        assert mean([{"b"}, {"c"}], run) == 0.75


def test_as_many_rankings_as_queries_are_needed() -> None:
    with pytest.raises(rm.SchemaError, match="the run has 1 queries, the qrels have 2 queries"):
        rm.evaluate([{"a"}, {"b"}], [["a"]])


def test_a_set_has_no_order() -> None:
    with pytest.raises(rm.SchemaError, match="need an order: a list, or"):
        rm.evaluate({"a"}, {"a", "b"})
    with pytest.raises(rm.SchemaError, match="need an order"):
        rm.evaluate([{"a"}], [{"a", "b"}])


def test_an_id_twice_in_a_list_is_refused() -> None:
    with pytest.raises(rm.DuplicateError, match="document 'a' appears twice for query '1'"):
        rm.evaluate([{"a"}, {"a"}], [["a"], ["a", "b", "a"]])
    with pytest.raises(rm.DuplicateError, match=r"appears twice for query .*; lists hold ids:"):
        rm.Qrels([[1, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize("held", [[[0.5, 0.7]], [[1.0, 0.0], [0.0, 1.0]], [0.5], [np.array([0.1])]])
def test_numbers_in_a_list_are_not_taken_for_ids(held: Any) -> None:
    with pytest.raises(rm.SchemaError, match=r"lists hold ids[;:] give labels and scores of all"):
        rm.evaluate([{"a"}] * len(held), rm.Run(held))


def test_ids_and_lists_do_not_mix() -> None:
    with pytest.raises(
        rm.SchemaError, match=r"entry 1 \(from 0\): found 'b', and the first entry is list"
    ):
        rm.Qrels([["a"], "b"])
    with pytest.raises(rm.SchemaError, match=r"found \['b'\]; need an id"):
        rm.Qrels(["a", ["b"]])


def test_what_a_list_holds_may_not_be_text_that_is_split_into_letters() -> None:
    with pytest.raises(rm.InputError, match="abc: there is no such file"):
        rm.Qrels("abc")
    assert rm.Qrels(["abc", "de"]).doc_ids == ("abc", "de")


def test_ranks_cannot_be_trusted_where_there_are_none() -> None:
    with pytest.raises(rm.InputError, match='ties="rank" needs a rank column'):
        rm.evaluate({"a"}, ["a"], ties="rank")


def test_a_document_is_never_dropped_for_standing_at_the_place_of_its_query() -> None:
    for qrels, run in (([{0}, {1}], [[0, 1], [1, 0]]), (np.eye(2), np.eye(2))):
        with pytest.raises(rm.InputError, match="drop_self compares ids of queries and documents"):
            rm.evaluate(qrels, run, drop_self=True)


def test_lists_are_never_changed() -> None:
    qrels, run = [{"b"}, ["c"]], [["a", "b"], ["c"]]
    rm.evaluate(qrels, run, depth=1)
    assert (qrels, run) == ([{"b"}, ["c"]], [["a", "b"], ["c"]])


@pytest.mark.parametrize("scores", [np.array([[0.1, 0.5, 0.3]] * 2), np.ones((2, 3), dtype="f4")])
def test_lists_of_labels_of_all_items_are_not_taken_for_ids(scores: Any) -> None:
    labels = [[2, 0, 1], [0, 2, 1]]
    for given in (labels, tuple(labels), np.array(labels, dtype=object), rm.Qrels(labels)):
        with pytest.raises(rm.SchemaError, match="so that every item would be relevant"):
            rm.evaluate(given, scores)
    assert mean([[2, 0], [0, 2, 1]], scores[:2]) == mean([{2, 0}, {0, 1, 2}], scores[:2])
    assert mean([{0, 1, 2}, {0, 1, 2}], scores) == 1


@pytest.mark.parametrize("labels", [np.array([[1, 0, 2]]), sp.csr_matrix([[1, 0, 2]])])
@pytest.mark.parametrize("run", [[[3, 1, 2]], {0: [3, 1]}, {"0": {3: 0.5, 1: 0.1}}, [{-1: 1.0}]])
def test_ids_that_are_no_columns_are_refused_as_in_arrays(labels: Any, run: Any) -> None:
    with pytest.raises(rm.SchemaError, match=r"not columns of the qrels, 0 to 2: '(3|-1)'"):
        rm.evaluate(labels, run)
