"""Measures of a run: one number of all lists together, never by query; figures and intervals."""

import json
import math
import pickle

import numpy as np
import pytest

import rankmark as rm
from generators.recommendations import HISTORY, LISTS, TEST
from rankmark.errors import InputError, MeasureError


def test_they_need_no_judgments():
    with_them = rm.evaluate(TEST, LISTS, ["Gini@2", "MIUF@2"], history=HISTORY)
    without = rm.evaluate(None, LISTS, ["Gini@2", "MIUF@2"], history=HISTORY)
    assert dict(with_them) == dict(without)
    assert "5 lists, no judgments" in str(without)
    with pytest.raises(InputError, match="nDCG@10 needs judgments"):
        rm.evaluate(None, LISTS, "nDCG@10")


def test_without_judgments_nobody_is_known_to_lack_a_list():
    ev = rm.evaluate(None, LISTS, "UserCoverage")
    assert "without judgments, the users are those with a list" in str(ev)
    assert "without judgments" not in str(rm.evaluate(TEST, LISTS, "UserCoverage"))
    with pytest.raises(InputError, match="it holds no documents"):
        rm.evaluate(None, {"u1": [], "u2": []}, "UserCoverage")


@pytest.mark.parametrize("measures", [["ItemCoverage@1", "MIUF"], ["ItemCoverage@1"]])
@pytest.mark.parametrize("runs", [LISTS, {"a": [LISTS, {**LISTS, "u1": ["a"]}]}])
def test_every_form_of_an_evaluation_has_the_numbers_of_the_run(runs, measures):
    ev = rm.evaluate(TEST, runs, measures, history=HISTORY)
    value = f"{ev['ItemCoverage@1']:.4f}"
    for form in (str(ev), ev.to_text(), ev.to_markdown(), ev.to_latex(), ev._repr_html_()):
        assert value in form
    assert "of all lists together" in ev.to_text(per_query=True)
    for trial in ev.to_dict().get("trials", ()):
        assert trial["scores"].keys() == {*measures}


def test_weights_do_not_count_in_numbers_of_the_run_and_this_is_said():
    weights = {user: at + 1.0 for at, user in enumerate(LISTS)}
    measures = ["MIUF", "ItemCoverage@1"]
    plain = rm.evaluate(TEST, LISTS, measures, history=HISTORY)
    ev = rm.evaluate(TEST, LISTS, measures, history=HISTORY, weights=weights)
    assert ev["ItemCoverage@1"] == plain["ItemCoverage@1"]
    assert "numbers of all lists together count all users alike" in str(ev)
    assert "count all users alike" not in str(plain)


def test_no_query_has_a_value_of_the_run():
    ev = rm.evaluate(TEST, LISTS, ["nDCG@3", "Gini@2"], catalogue=[*"abcde"])
    assert ev.names == ["nDCG@3"]
    assert ev.scores.shape == (5, 1)
    assert ev["Gini@2"] == ev[rm.Gini @ 2] == pytest.approx(0.4)
    assert "Gini@2" in ev
    for ask in (ev.per_query, ev.column, ev.aggregate):
        with pytest.raises(MeasureError, match="which no query has by itself"):
            ask("Gini@2")
    assert "of all lists together, no mean over queries" in str(ev)
    assert json.loads(ev.to_json())["of_run"][0]["value"] == pytest.approx(0.4)
    assert "Gini@2" not in json.loads(ev.to_json())["scores"]
    assert pickle.loads(pickle.dumps(ev)) == ev
    assert ev != rm.evaluate(TEST, LISTS, ["nDCG@3"])


def test_the_queries_asked_for_are_the_users():
    some = rm.evaluate(TEST, LISTS, "ItemCoverage@1", catalogue=[*"abcde"], queries=["u1", "u3"])
    assert some["ItemCoverage@1"] == pytest.approx(0.4)


def test_tied_items_need_an_order():
    tied = {user: dict.fromkeys(items, 1.0) for user, items in LISTS.items()}
    with pytest.raises(InputError, match="leaves tied items without an order"):
        rm.evaluate(TEST, tied, "Gini@2", catalogue=[*"abcde"], ties="mean")


def test_the_interval_is_the_jackknife_by_hand():
    row = rm.evaluate(TEST, LISTS, "ItemCoverage@2", catalogue=[*"abcde"]).of_run["ItemCoverage@2"]
    without = np.array([0.8, 0.8, 0.8, 0.8, 0.6])  # a is in the list of u5 only
    error = math.sqrt(4 / 5 * ((without - without.mean()) ** 2).sum())
    assert row.low == pytest.approx(0.8 - 2.7764451051977987 * error, abs=1e-12)
    assert row.high == 1.0  # no coverage is higher


@pytest.mark.parametrize("qrels", [TEST, None], ids=["judged", "unjudged"])
def test_a_union_has_the_items_of_the_whole_run_in_every_form(qrels):
    rows = [(user, item, -at) for user, items in LISTS.items() for at, item in enumerate(items)]
    names = ["user_id", "item_id", "score"]
    frame = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    known = {"history": {"u1": ["a"]}, "catalogue": "union"}
    for run in (LISTS, frame):  # c is below rank 1 only in some of them
        assert rm.evaluate(qrels, run, "ItemCoverage@1", **known)["ItemCoverage@1"] == 4 / 5


def test_an_item_with_entries_of_0_alone_is_not_in_the_catalogue_wherever_they_are():
    rows = [("u1", "a", 0), ("u1", "b", 1), ("u2", "c", 1), ("u2", "d", 0)]
    for given in (rows, rows[::-1]):
        ev = rm.evaluate(TEST, LISTS, "ItemCoverage@1", history=given)
        assert ev["ItemCoverage@1"] == 1.0
        assert "catalogue 2 items" in str(ev)


def test_lists_that_change_a_value_alike_show_no_spread():
    apart, alike = {"u1": ["a"], "u2": ["b"]}, {"u1": ["a"], "u2": ["a"]}
    test, given = {"u1": ["a"], "u2": ["a"]}, {"catalogue": [*"abc"]}
    value = rm.evaluate(test, apart, "ItemCoverage", **given).of_run["ItemCoverage"]
    assert value.undefined == "every list changes the value alike"
    same = rm.evaluate(test, alike, "ItemCoverage", **given).of_run["ItemCoverage"]
    assert same.undefined == "the value is the same whichever list is left out"
    for unchanged in ("decide", "pass"):
        gate = rm.gate(
            test, apart, alike, "ItemCoverage", max_drop=0.1, **given, unchanged=unchanged
        )
        assert gate.verdict == "cannot tell"
        assert "no score differs" not in gate.to_text()
    assert rm.gate(test, alike, alike, "ItemCoverage", max_drop=0.1, **given).verdict == "holds"


def test_a_share_of_a_baseline_that_one_list_makes_is_not_known():
    test, given = {"u1": ["a"], "u2": ["b"]}, {"catalogue": [*"abc"]}
    one, both = {"u1": ["a"], "u2": ["z"]}, {"u1": ["a"], "u2": ["b"]}
    gate = rm.gate(test, one, both, "ItemCoverage", max_drop="10%", **given)
    assert gate.verdict == "cannot tell"
    assert "there is no interval of this difference" in gate.to_text()
