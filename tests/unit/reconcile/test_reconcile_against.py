"""Where a tool differs: steps that add up, queries with their reasons, and what tools give."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from generators.random_collections import Collection, collections

TIED = {"q1": {"a": 1.0, "b": 1.0, "c": 0.5}, "q3": {"x": 1.0}}
QRELS = {"q1": {"a": 2, "c": 1}, "q2": {"d": 1}, "q3": {"x": 0}}
PROFILES = [profile.name for profile in rm.profiles()]


@given(
    collection=collections(labels=(0.0, 1.0, 2.0), least=1),
    name=st.sampled_from(PROFILES),
    measure=st.sampled_from(["nDCG@3", "nDCG", "AP", "AP@3", "RR", "R@3", "P@3"]),
)
@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
def test_steps_lead_from_our_number_to_that_of_the_profile(
    collection: Collection, name: str, measure: str
) -> None:
    try:
        theirs = rm.evaluate(*collection, measure, profile=name)
    except rm.RankmarkError:
        return  # the tool has no such measure, or its conventions do not fit dicts
    (found,) = rm.reconcile(*collection, measure, against=name).against
    (number,) = theirs.values()
    assert found.ours == rm.evaluate(*collection, measure)[measure]
    assert found.theirs == pytest.approx(number, nan_ok=True)
    for before, after in zip(found.steps, found.steps[1:], strict=False):
        assert before.after == pytest.approx(after.before, nan_ok=True)
    total = sum(step.difference for step in found.steps)
    assert math.isnan(total) or total == pytest.approx(found.difference)
    (of_queries,) = (theirs.per_query(one) for one in theirs)
    for query in found.queries:
        if query.theirs is not None:
            assert query.theirs == pytest.approx(of_queries[query.query_id])
            assert query.ours is not None
            added = sum(value for value in query.reasons.values() if value is not None)
            assert query.theirs - query.ours == pytest.approx(added)
        else:
            assert math.isnan(of_queries.get(query.query_id, math.nan))


def test_queries_are_told_with_their_reasons() -> None:
    found = rm.reconcile(QRELS, TIED, "RR", against="trec_eval9")
    (against,) = found.against
    assert (against.ours, against.theirs) == (pytest.approx(1 / 6), 0.25)
    assert [(step.name, step.queries) for step in against.steps] == [
        ("precision", 0),
        ("queries", 1),
    ]
    (query,) = against.queries
    assert query == ("q2", 0.0, None, {"queries": None})
    assert str(found).splitlines() == [
        "RR: 0.166667 here, 0.250000 in trec_eval 9.0.8 (+0.083333)",
        "  +0.083333  only queries in both files: 1 query",
        "  no effect here: scores in single precision",
        "  averaged: 3 here, 2 there",
        "  q2: 0.0000 here, not averaged there: left out by queries",
    ]
    assert found.coincidence is None
    assert not found
    table = found.to_pandas()
    assert table.columns.tolist() == ["measure", "query_id", "ours", "theirs", "reasons"]
    content = json.loads(found.to_json())["against"][0]
    assert content["steps"][1]["difference"] == pytest.approx(1 / 12)
    assert "<table>" in found._repr_html_()


def test_what_no_convention_reproduces_is_named() -> None:
    run = {"q1": {f"d{i}": 1.0 for i in range(20)}}
    (against,) = rm.reconcile({"q1": {"d3": 1}}, run, "RR", against="ranx").against
    assert any("unstable sort" in beyond for beyond in against.beyond)


def test_a_tool_without_the_measure_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match="has no measure"):
        rm.reconcile(QRELS, TIED, "Bpref", against="sklearn")
    found = rm.reconcile(QRELS, TIED, ["nDCG@3", "Bpref"], against="sklearn")
    assert [one.measure for one in found.against] == ["nDCG@3"]
    assert found.notes[0].startswith("not compared: ")
    with pytest.raises(rm.InputError, match="there is no profile 'no-tool'"):
        rm.reconcile(QRELS, TIED, "AP", against="no-tool")


def changed(found: rm.Reconciliation) -> list[Any]:
    return [[change.name for change in one.changes] for one in found.answers]


def test_tools_that_give_a_number_are_named() -> None:
    number = rm.evaluate(QRELS, TIED, "RR", profile="trec_eval9")["RR"]
    found = rm.reconcile(QRELS, TIED, "RR", number)
    (both,) = [one for one in found.answers if one.conventions == {"queries": "both"}]
    assert "trec_eval9" in both.tools


def test_a_tool_with_many_conventions_counts_as_one_change() -> None:
    qrels = {q: {f"d{i}": (i * 7 + n) % 4 for i in range(9)} for n, q in enumerate("abcdef")}
    qrels["g"] = {"d1": 0}
    run = {q: {f"d{i}": float(i * 5 % 7) for i in range(12)} for q in "abcdefg"}
    ((mean,),) = [rm.evaluate(qrels, run, "nDCG@5", profile="lightgbm").values()]
    number = f"{mean:.6f}"
    found = rm.reconcile(qrels, run, "nDCG@5", number)
    answer = found.answers[0]
    assert answer.conventions == {"profile": "lightgbm"}
    assert {"lightgbm", "xgboost"} <= set(answer.tools)
    assert "gain 2^label - 1" in answer.words
    assert "(1 change, 6 decimals)" in str(answer.coincidence)


def test_a_tool_is_the_answer_if_no_few_changes_give_its_number() -> None:
    number = rm.evaluate(QRELS, TIED, "RR", profile="trec_eval9")["RR"]
    found = rm.reconcile(QRELS, TIED, "RR", number, changes=0)
    assert changed(found)[0] == ["profile"]
    answer = found.answers[0]
    ev = rm.evaluate(QRELS, TIED, "RR", profile=answer.tools[0])
    assert list(ev.values()) == [answer.value]
    assert answer.call == f"rm.evaluate(qrels, run, 'RR', profile={answer.tools[0]!r})"


def test_small_differences_are_not_shown_as_none() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 0} for number in range(100)}
    run = {query: {f"d{n}": 5.0 for n in range(2000)} for query in qrels}
    run["q0"] |= {"x": 4.0, "a": 2.0, "b": 2.0}
    (found,) = rm.reconcile(qrels, run, "AP", against="ranx").against
    assert found.difference != 0
    assert "0.000000)" not in str(found)
    assert "ties +0.0000" not in str(found)
    ours, theirs = str(found).splitlines()[-1].split(": ")[1].split(", ")
    assert ours.split()[0] != theirs.split()[0]


def test_what_to_write_for_a_measure_that_is_not_compared() -> None:
    found = rm.reconcile({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["nDCG@10", "AP"], against="lightgbm")
    assert "not compared: LightGBM has no measure 'AP'; write map@{k}" in str(found)
