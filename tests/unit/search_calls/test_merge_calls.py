"""``merge_calls``: one run of what several searches retrieved."""

import math
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.spans.forms import FORMS

CALLS = {"q1": [["a", "b", "c"], ["d", "a", "e"]], "q2": [["x"]]}
ROWS = [
    {"query_id": query, "call": number, "doc_id": document, "rank": rank}
    for query, calls in CALLS.items()
    for number, documents in enumerate(calls, 1)
    for rank, document in enumerate(documents, 1)
]
ORDERS = {
    "interleave": "adbce",
    "concatenate": "abcde",
    "first": "abc",
    "last": "dae",
}


def order_of(run: rm.Run, query: str, documents: str) -> str:
    """Return the documents of a query in the order of their ranks, each found by RR."""
    ranks = {one: rm.evaluate({query: {one: 1}}, run, "RR")["RR"] for one in documents}
    return "".join(sorted((one for one in ranks if ranks[one]), key=ranks.__getitem__)[::-1])


@pytest.mark.parametrize("how", ORDERS)
@pytest.mark.filterwarnings("ignore:.*no document that it holds is judged")
def test_calls_are_merged_in_each_order(how: Any) -> None:
    assert order_of(rm.merge_calls(CALLS, how), "q1", "abcde") == ORDERS[how]


def test_a_union_has_no_order() -> None:
    ev = rm.evaluate({"q1": {"d"}}, rm.merge_calls(CALLS, "union"), ["R", "RR"], ties="mean")
    assert ev["R"] == 1.0
    assert ev["RR"] == pytest.approx(sum(1 / rank for rank in range(1, 6)) / 5)


@pytest.mark.parametrize("form", FORMS)
def test_calls_are_read_in_every_form(form: str, tmp_path: Path) -> None:
    rows = ROWS
    if form == "tuples":  # the fourth is a score
        rows = [{**row, "rank": -row["rank"]} for row in ROWS]  # type: ignore[operator]
    run = rm.merge_calls(FORMS[form](rows, tmp_path))
    qrels = {"q1": {"d": 1, "e": 1}, "q2": {"x": 1}}
    assert rm.evaluate(qrels, run, "AP") == rm.evaluate(qrels, rm.merge_calls(CALLS), "AP")


def test_mappings_hold_lists_or_scores_and_calls_with_or_without_names() -> None:
    qrels = {"q1": {"d": 1, "e": 1}}
    expected = rm.evaluate(qrels, rm.merge_calls({"q1": CALLS["q1"]}), "AP")["AP"]
    scored = {"q1": [{"c": 1, "a": 3, "b": 2}, {"d": 0.5, "a": 0.25, "e": 0.125}]}
    named = {"q1": dict(zip(("search", "again"), CALLS["q1"], strict=True))}
    for given in (scored, named):
        assert rm.evaluate(qrels, rm.merge_calls(given), "AP")["AP"] == expected


def test_a_row_may_hold_all_documents_of_a_call(tmp_path: Path) -> None:
    qrels = {"q1": {"d": 1, "e": 1}, "q2": {"x": 1}}
    expected = rm.evaluate(qrels, rm.merge_calls(CALLS), "AP")
    rows = [
        {"query_id": query, "step": number, "documents": documents, "tokens": 10}
        for query, calls in CALLS.items()
        for number, documents in enumerate(calls)
    ]
    for form in ("records", "pandas", "Polars", "Arrow", "JSON", "JSON Lines", "Parquet"):
        given = FORMS[form](rows, tmp_path)
        assert rm.evaluate(qrels, rm.merge_calls(given), "AP") == expected
    found = rm.evaluate_calls(qrels, [*rows, {**rows[0], "query_id": "q3", "documents": []}], "R")
    assert found.total_costs()["tokens"] == 30
    hits = [
        {"query_id": row["query_id"], "call": row["step"],
         "results": [{"doc_id": one, "score": -rank} for rank, one in enumerate(row["documents"])]}
        for row in rows
    ]  # fmt: skip
    assert rm.evaluate(qrels, rm.merge_calls(hits), "AP") == expected
    with pytest.raises(
        rm.SchemaError, match="the lists of row 1 have different lengths: 1 of doc_id, 2"
    ):
        rm.merge_calls([{"query_id": "q", "call": 1, "doc_id": ["a"], "score": [1, 2]}])


def test_numbered_calls_are_in_their_order_and_named_ones_in_that_of_rows() -> None:
    rows = [("q", 10, "b", 1.0), ("q", 9, "a", 1.0)]
    assert rm.evaluate({"q": {"a"}}, rm.merge_calls(rows, "first"), "RR")["RR"] == 1.0
    rows = [("q", "z", "b", 1.0), ("q", "y", "a", 1.0)]
    assert rm.evaluate({"q": {"b"}}, rm.merge_calls(rows, "first"), "RR")["RR"] == 1.0


def test_a_query_to_which_retrieval_does_not_apply_is_not_in_the_run() -> None:
    rows = [
        {"query_id": "q1", "call": 1, "doc_id": "a", "applicable": True},
        {"query_id": "q2", "call": 1, "doc_id": None, "applicable": False},
        {"query_id": "q3", "call": 1, "doc_id": None},
    ]
    with pytest.warns(rm.RankmarkWarning, match="does not apply to 1 of 3 queries: 'q2'"):
        run = rm.merge_calls(rows)
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3")}
    ev = rm.evaluate(qrels, run, "R", queries=["q1", "q3"])
    assert ev.per_query("R") == {"q1": 1.0, "q3": 0.0}


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "how": (CALLS, {"how": "best"}, "how is 'best'"),
    "a form": ({"q": 3}, {}, "calls of 'q' are 3"),
    "a call": ({"q": ["a", "b"]}, {}, "call 1 of 'q' is 'a'"),
    "no call": ([{"query_id": "q", "call": None, "doc_id": "a"}], {}, "call of row 1 is empty"),
    "no column": ([{"query_id": "q", "doc_id": "a"}], {}, "could be call"),
    "a score": ([("q", 1, "a", "high")], {}, "score of row 1 is 'high'"),
    "applicable": (
        [{"query_id": "q", "call": 1, "doc_id": "a", "applicable": "maybe"}],
        {},
        "applicable of row 1 is 'maybe'",
    ),
    "a document": (
        [{"query_id": "q", "call": 1, "doc_id": "a", "applicable": "no"}],
        {},
        "applicable of row 1 is false, and there is a document",
    ),
    "nothing": ([], {}, "holds no rows"),
    "an id": ({"q": [[["a"]]]}, {}, "is not an id"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name: str) -> None:
    given, options, told = WRONG[name]
    with pytest.raises(rm.InputError, match=told):
        rm.merge_calls(given, **options)


def test_an_interleaved_document_has_its_best_rank() -> None:
    # By the definition: the best rank, then the call in which it is.
    for lists in (CALLS["q1"], [["a"], ["b", "a"], ["a", "c", "b"]], [[], ["z", "y"], ["y"]]):
        best: dict[str, tuple[float, int]] = {}
        for number, documents in enumerate(lists):
            for rank, document in enumerate(documents):
                best[document] = min(best.get(document, (math.inf, 0)), (rank, number))
        expected = "".join(sorted(best, key=best.__getitem__))
        run = rm.merge_calls({"q": lists})
        with rm.quiet():
            assert order_of(run, "q", expected) == expected


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ({"a": float("nan"), "b": 1.0}, "call 1 of 'q': the score of 'a' is nan; need a finite"),
        ({"a": "x", "b": 1.0}, "call 1 of 'q': the score of 'a' is 'x'; need a finite number"),
        ({"a": None}, "call 1 of 'q': the score of 'a' is None; need a finite number"),
        (["a", None], "call 1 of 'q': None is not an id"),
    ],
)
def test_what_is_no_score_and_no_document_is_refused_in_lists_too(call: Any, found: str) -> None:
    with pytest.raises(rm.InputError, match=found):
        rm.merge_calls({"q": [call]})
