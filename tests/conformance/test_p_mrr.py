"""p-MRR by hand, from its definition, and as MTEB 2.26.24 computes it.

``oracles/p_mrr_figures.jsonl`` has collections with ties, missing documents and missing queries.
"""

import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import rankmark as rm
from conformance.oracles.peers import mteb_p_mrr

FIGURES = Path(__file__).parent / "oracles" / "p_mrr_figures.jsonl"
CASES = [json.loads(line) for line in FIGURES.read_text().splitlines()]
SUFFIXES = ("-og", "-changed")


def place(run: dict[str, float], document: str) -> int:
    ranked = sorted(run, key=lambda each: (run[each], each), reverse=True)
    return ranked.index(document) + 1 if document in ranked else len(ranked) + 1


def from_definition(case: dict[str, Any]) -> list[float]:
    found = []
    for query, documents in case["changed"].items():
        values = []
        for document in documents:
            o, n = (place(case["run"][query + suffix], document) for suffix in SUFFIXES)
            values.append(n / o - 1 if n <= o else 1 - o / n)
        found.append(mean(values))
    return found


@pytest.mark.parametrize("case", CASES)
def test_it_is_what_mteb_says_and_the_definition_gives(case: dict[str, Any]) -> None:
    found = rm.p_mrr(case["changed"], case["run"], case["run"], suffixes=SUFFIXES)
    assert found == pytest.approx(case["said"], rel=1e-12)
    assert found == pytest.approx(mean(from_definition(case)), abs=1e-15)


def test_it_is_what_mteb_says_now() -> None:
    for case in CASES:
        og, new = ({q: x for q, x in case["run"].items() if q.endswith(s)} for s in SUFFIXES)
        assert case["said"] == pytest.approx(mteb_p_mrr(case["changed"], og, new), rel=1e-12)


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("a b c d", "a b c d", 0.0),
        ("a b c d", "b a c d", 0.5),
        ("b c d a", "a b c d", -0.75),
        ("a b", "b c d", 0.75),
        ("b", "c", 0.0),
    ],
)
def test_values_by_hand(before: str, after: str, value: float) -> None:
    assert rm.p_mrr({"q": ["a"]}, {"q": before.split()}, {"q": after.split()}) == value


def test_documents_are_averaged_within_queries_first() -> None:
    original = {"q1": ["a", "b", "c"], "q2": ["a", "b"]}
    new = {"q1": ["b", "a", "c"], "q2": ["b", "a"]}
    # q1: c stays, and a falls by 0.5; q2: a falls by 0.5
    assert rm.p_mrr({"q1": {"c": 1, "a": 0}, "q2": {"a": 1}}, original, new) == 0.375


def test_files_are_read_as_elsewhere() -> None:
    example = Path(rm.__file__).parent / "example"
    qrels, bm25, lsa = (example / name for name in ("qrels.txt", "bm25.run", "lsa.run"))
    with rm.quiet():  # lsa lacks a query
        found, back = rm.p_mrr(qrels, bm25, lsa), rm.p_mrr(rm.Qrels(qrels), lsa, rm.Run(bm25))
    assert found == pytest.approx(-back)


def test_ties_are_in_the_order_chosen() -> None:
    original, new = {"q": {"a": 1.0, "b": 1.0}}, {"q": ["b", "a"]}
    assert rm.p_mrr({"q": ["a"]}, original, new) == 0.0
    assert rm.p_mrr({"q": ["a"]}, original, new, ties="input") == 0.5
    with pytest.raises(rm.InputError, match="ties is 'mean'; need one of docid, docid-asc, input"):
        rm.p_mrr({"q": ["a"]}, original, new, ties="mean")  # type: ignore[arg-type]


def test_a_query_that_a_run_lacks_is_left_out_and_told() -> None:
    original, new = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["b", "a"]}
    with pytest.warns(rm.RankmarkWarning, match="q2"):
        assert rm.p_mrr({"q1": ["a"], "q2": ["a"]}, original, new) == 0.5
    with pytest.raises(rm.MismatchError, match="suffixes"):
        rm.p_mrr({"q1": ["a"]}, original, {"q1-changed": ["a"]})
    with pytest.raises(rm.InputError, match="suffixes is '-og'; need two"):
        rm.p_mrr({"q1": ["a"]}, original, new, suffixes="-og")  # type: ignore[arg-type]
