"""``evaluate_calls``: several searches for each query in every way to take them together."""

import json
import math
import pickle
import random
from typing import Any

import matplotlib as mpl
import pytest

import rankmark as rm

mpl.use("Agg")
TEN = [f"d{n}" for n in range(10)]


def test_a_later_search_counts_unless_calls_are_concatenated() -> None:
    # elastic/kibana#290921: the first call fills the ten ranks, the second finds the document.
    found = rm.evaluate_calls({"q": {"right"}}, {"q": [TEN, ["right", "d3"]]}, ["RR@10", "R@10"])
    assert {way: values["R@10"] for way, values in found.ways.items()} == {
        "interleave": 1.0,
        "concatenate": 0.0,
        "first": 0.0,
        "last": 1.0,
        "best": 1.0,
    }
    assert found["RR@10"] == 0.5
    assert found.of("concatenate")["RR@10"] == 0.0
    assert found.of("best")["RR@10"] == 1.0


def test_warnings_name_the_calls() -> None:
    with pytest.warns(rm.RankmarkWarning, match=r"^<calls>: no document that it holds is judged"):
        rm.evaluate_calls({"q": {"a"}}, {"q": [["b"], ["c"]]}, "R")


def test_the_curve_has_the_means_after_each_call() -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"x": 1}}
    found = rm.evaluate_calls(qrels, {"q1": [["a"], ["c"], ["b"]], "q2": [["y", "x"]]}, ["R", "RR"])
    assert found.curve.to_dict()["rows"] == [
        {"call": 1, "queries": 2, "R": 0.75, "RR": 0.75},
        {"call": 2, "queries": 1, "R": 0.75, "RR": 0.75},
        {"call": 3, "queries": 1, "R": 1.0, "RR": 0.75},
    ]
    assert found.curve.to_dict()["rows"][-1]["R"] == found["R"]
    assert found.ways["union"]["R"] == 1.0
    assert math.isnan(found.ways["union"]["RR"])
    calls = {"q1": [["a"], ["c"], ["b"]], "q2": [["y", "x"]]}
    curve = rm.evaluate_calls(qrels, calls, ["R", "RR"], how="union").curve.to_dict()["rows"]
    assert [(row["R"], row["RR"]) for row in curve] == [(0.75, None), (0.75, None), (1.0, None)]


def test_a_query_to_which_retrieval_does_not_apply_has_no_value() -> None:
    rows = [
        {"query_id": "q1", "call": 1, "doc_id": "a", "tokens": 100},
        {"query_id": "q1", "call": 2, "doc_id": None, "applicable": "false", "tokens": 10},
        {"query_id": "sql", "call": 1, "doc_id": None, "applicable": "false", "tokens": 20},
        {"query_id": "empty", "call": 1, "doc_id": None, "tokens": 5},
    ]
    qrels = {"q1": {"a": 1}, "empty": {"b": 1}, "none": {"c": 1}}
    found = rm.evaluate_calls(qrels, rows, "RR")
    values = found.per_query("RR")
    assert math.isnan(values.pop("sql"))
    assert values == {"q1": 1.0, "empty": 0.0, "none": 0.0}
    assert found["RR"] == pytest.approx(1 / 3)
    assert found.audit.not_applicable == 1
    assert rm.evaluate_calls(qrels, rows, "RR", queries="both")["RR"] == 0.5
    chosen = rm.evaluate_calls(qrels, rows, "RR", queries=["sql", "none"])
    assert (chosen["RR"], chosen.queries) == (0.0, ("sql", "none"))
    costs = {row["query_id"]: row for row in found.costs.to_dict()["rows"]}
    assert (costs["q1"]["calls"], costs["q1"]["tokens"]) == (2, 110)
    assert costs["sql"]["relevant"] is None
    assert found.total_costs()["tokens per relevant document"] == 135


def test_costs_are_those_of_calls_or_of_documents() -> None:
    rows = [("q", 1, "a", 100), ("q", 1, "b", 50), ("q", 2, "a", 30)]
    table: list[dict[str, Any]] = [
        dict(zip(("query_id", "call", "doc_id", "read"), row, strict=True)) for row in rows
    ]
    found = rm.evaluate_calls({"q": {"a"}}, table, "R", document_costs="read")
    assert found.total_costs()["read"] == 180
    with pytest.raises(rm.InputError, match=r"read differs within a call, in rows 1 to 2"):
        rm.evaluate_calls({"q": {"a"}}, table, "R", costs="read")
    with pytest.raises(rm.SchemaError, match="no column 'words' of costs"):
        rm.evaluate_calls({"q": {"a"}}, table, "R", costs=["words", "read"])
    with pytest.raises(rm.SchemaError, match=r"no column has a usual name for score.*'read' holds"):
        rm.evaluate_calls({"q": {"a"}}, table, "R")
    for row in table:
        del row["read"]
    assert "tokens" not in rm.evaluate_calls({"q": {"a"}}, table, "R").total_costs()


def test_session_dcg_is_that_of_the_paper() -> None:
    def dcg(labels: list[float]) -> float:
        return sum(x / max(math.log2(rank), 1) for rank, x in enumerate(labels, 1))

    calls = [["a", "x", "b"], ["y", "c"], ["a", "z", "c", "d"]]
    qrels = {"q": {"a": 1, "b": 2, "c": 3, "d": 1}}
    labels = [[float(qrels["q"].get(one, 0)) for one in call] for call in calls]
    expected = sum(dcg(of) / (1 + math.log(q, 4)) for q, of in enumerate(labels, 1))
    found = rm.evaluate_calls(
        qrels,
        {"q": calls},
        ["SessionDCG", "SessionDCG(base=2)@1", 'SessionDCG(repeats="once")', "RR"],
    )
    assert found["SessionDCG"] == pytest.approx(expected)
    assert found["SessionDCG(base=2)@1"] == pytest.approx(1 + 0 + 1 / (1 + math.log2(3)))
    labels[2] = [0, 0, 0, 1]
    once = sum(dcg(of) / (1 + math.log(q, 4)) for q, of in enumerate(labels, 1))
    assert found['SessionDCG(repeats="once")'] == pytest.approx(once)
    assert found.ways["last"]["SessionDCG"] == found["SessionDCG"]
    for wrong in ("SessionDCG(base=1)", "SessionDCG(b=4)", 'SessionDCG(repeats="no")'):
        with pytest.raises(rm.MeasureError):
            rm.evaluate_calls(qrels, {"q": calls}, wrong)


def test_each_way_has_the_numbers_of_the_run_that_it_makes() -> None:
    draw = random.Random(30)
    documents = [f"d{n}" for n in range(12)]
    qrels = {f"q{q}": {one: draw.choice([0, 1, 2]) for one in documents} for q in range(8)}
    calls = {
        query: [draw.sample(documents, draw.randint(0, 6)) for _ in range(draw.randint(1, 4))]
        for query in [*qrels][:7]
    }
    measures = ["nDCG@3", "AP", "R@5", "P"]
    found = rm.evaluate_calls(qrels, calls, measures, no_relevant="nan")
    for way in ("interleave", "concatenate", "first", "last"):
        ev = rm.evaluate(qrels, rm.merge_calls(calls, way), measures, no_relevant="nan")
        assert found.of(way).scores.tolist() == ev.scores.tolist()  # type: ignore[arg-type]
    best = found.of("best").per_query("nDCG@3")
    for query, of_query in calls.items():
        values = [
            rm.evaluate({query: qrels[query]}, {query: call}, "nDCG@3")["nDCG@3"] if call else 0.0
            for call in of_query
        ]
        assert best[query] == max(values)
    assert best["q7"] == 0.0
    assert [*found.curve.to_dict()["rows"][-1].values()][2:] == pytest.approx([*found.values()])


def test_results_are_compared_kept_drawn_and_written() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(9)}
    one = rm.evaluate_calls(qrels, {f"q{n}": [["x"], ["a"]] for n in range(9)}, ["RR", "R"])
    other = rm.evaluate_calls(qrels, {f"q{n}": [["x", "a"]] for n in range(8)}, ["RR", "R"])
    compared = rm.compare_scores({"one": one, "other": other}, "R", baseline="other")
    assert compared.differences[0].difference == pytest.approx(1 / 9)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != one.of("best")
    assert json.loads(one.to_json())["ways"]["last"]["RR"] == 1.0
    ax = one.plot()
    assert ax.get_xlabel() == "calls"
    mpl.pyplot.close(ax.figure)
    with pytest.raises(rm.NotEvaluatedError, match="AP was not evaluated"):
        one["AP"]
    with pytest.raises(rm.InputError, match="how is 'all'"):
        one.of("all")  # type: ignore[arg-type]
    with pytest.raises(rm.InputError, match="retrieval applies to no query"):
        rm.evaluate_calls(
            {"q": {"a"}}, [{"query_id": "q", "call": 1, "doc_id": None, "applicable": False}], "R"
        )
    with pytest.raises(rm.MismatchError):
        rm.evaluate_calls(qrels, {"other": [["a"]]}, "R")
