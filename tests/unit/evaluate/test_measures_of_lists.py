"""Measures of lists in evaluations: what they need to know, who has a value, and what is said."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

import rankmark as rm
from generators.recommendations import HISTORY, LISTS, SHORT_LISTS, TEST
from rankmark.errors import InputError, MeasureError

PAIRS = [(user, item) for user, items in HISTORY.items() for item in items]
USERS, ITEMS = [*HISTORY], "abcde"


def test_lists_are_those_that_judged_users_have():
    ev = rm.evaluate(TEST, LISTS, ["nDCG@3", "MIUF@2", "MIUF@3"], history=HISTORY)
    assert ev["MIUF@2"] == pytest.approx(1.504936, abs=1e-6)
    assert ev["MIUF@3"] == pytest.approx(1.777266, abs=1e-6)
    assert ev["nDCG@3"] == rm.evaluate(TEST, LISTS, "nDCG@3")["nDCG@3"]
    assert "cold items 5 of 15 (33%): counted as one user" in str(ev)
    assert "catalogue 4 items, from history; 1 item of the lists not in it: 'e'" in str(ev)


def test_users_without_a_list_have_no_value_and_are_counted():
    ev = rm.evaluate(TEST, SHORT_LISTS, ["MIUF@3", 'MIUF(norm="k")@3'], history=HISTORY)
    assert ev["MIUF@3"] == pytest.approx(1.626941, abs=1e-6)
    assert ev['MIUF(norm="k")@3'] == pytest.approx(1.504113, abs=1e-6)
    assert [*ev.per_query("MIUF@3")] == ["u1", "u2", "u3", "u4"]
    assert "1 query without a list, in no mean of its items" in str(ev)
    assert "short lists 1 of 4" in str(ev)


@pytest.mark.parametrize(
    "history",
    [
        pd.DataFrame(PAIRS, columns=["user_id", "item_id"]),
        pl.DataFrame(PAIRS, schema=["user_id", "item_id"], orient="row"),
        {user: dict.fromkeys(items, 5.0) for user, items in HISTORY.items()},
        {"user_id": [user for user, _ in PAIRS], "item_id": [item for _, item in PAIRS]},
        rm.Qrels(HISTORY),
    ],
    ids=["pandas", "polars", "labels", "columns", "prepared"],
)
def test_a_history_has_any_form_of_judgments(history):
    ev = rm.evaluate(TEST, LISTS, "MIUF@3", history=history)
    assert ev["MIUF@3"] == pytest.approx(1.777266, abs=1e-6)


def test_a_history_and_lists_may_be_matrices():
    def matrix(lists, *, ranked=False):
        found = np.zeros((5, 5))
        for user, items in lists.items():
            for rank, item in enumerate(items):
                found[USERS.index(user), ITEMS.index(item)] = 10 - rank if ranked else 1
        return found

    ids = np.array([[ITEMS.index(item) for item in LISTS[user]] for user in USERS])
    for lists in (csr_array(matrix(LISTS, ranked=True)), ids):
        history = csr_array(matrix(HISTORY))
        ev = rm.evaluate(csr_array(matrix(TEST)), lists, "MIUF@3", history=history)
        assert ev["MIUF@3"] == pytest.approx(1.777266, abs=1e-6)


def test_files_are_read_by_the_same_readers(tmp_path):
    (tmp_path / "history.csv").write_text(
        "user_id,item_id\n" + "".join(f"{user},{item}\n" for user, item in PAIRS)
    )
    (tmp_path / "catalogue.txt").write_text("a\nb\nc\nd\ne\n")
    ev = rm.evaluate(
        TEST,
        LISTS,
        "MIUF@3",
        history=tmp_path / "history.csv",
        catalogue=str(tmp_path / "catalogue.txt"),
    )
    assert ev["MIUF@3"] == pytest.approx(1.777266, abs=1e-6)
    assert "catalogue 5 items, as given" in str(ev)


def test_runs_are_compared_by_measures_of_lists():
    popular = {user: ["a", "b", "c"] for user in LISTS}
    compared = rm.compare(
        TEST, {"popular": popular, "mine": LISTS}, ["MIUF@3"], baseline="popular", history=HISTORY
    )
    assert compared.differences[0].difference == pytest.approx(1.777266 - 0.793607, abs=1e-6)


def test_seen_items_leave_the_lists():
    lists = {user: [*HISTORY[user], *items] for user, items in LISTS.items()}
    ev = rm.evaluate(TEST, lists, "MIUF@3", history=HISTORY, seen=HISTORY)
    assert ev["MIUF@3"] == pytest.approx(1.777266, abs=1e-6)


def test_tied_items_are_averaged_over_their_orders():
    tied = {"u1": {"c": 2.0, "d": 1.0, "e": 1.0, "b": 1.0}}
    ev = rm.evaluate({"u1": ["c"]}, tied, "MIUF@2", history=HISTORY, ties="mean")
    each = [
        rm.evaluate({"u1": ["c"]}, {"u1": ["c", one]}, "MIUF@2", history=HISTORY)["MIUF@2"]
        for one in "deb"
    ]
    assert ev["MIUF@2"] == pytest.approx(np.mean(each))
    assert ev.tie_interval["MIUF@2"] == pytest.approx((min(each), max(each)))


def test_what_is_missing_is_named():
    with pytest.raises(InputError, match=r"MIUF@3: it needs the history; give history"):
        rm.evaluate(TEST, LISTS, "MIUF@3")
    with pytest.raises(InputError, match="history is given, and no measure needs it"):
        rm.evaluate(TEST, LISTS, "nDCG@3", history=HISTORY)
    with pytest.raises(InputError, match="history is empty"):
        rm.evaluate(TEST, LISTS, "MIUF@3", history={"u1": []})
    with pytest.raises(InputError, match="the catalogue is empty"):
        rm.evaluate(TEST, LISTS, "MIUF@3", history=HISTORY, catalogue=[])
    with pytest.raises(MeasureError, match="not known here"):
        rm.MIUF([1, 0])


def test_one_user_has_no_rarer_items():
    ev = rm.evaluate(TEST, LISTS, "MIUF@3", history={"u1": ["a"]})
    assert np.isnan(ev["MIUF@3"])
    assert "the history has one user" in str(ev)


def test_items_may_be_a_series():
    genres = {"a": ["x"], "b": ["x", "y"], "c": ["y"], "d": ["z"], "e": ["x", "z"]}
    of_mapping = rm.evaluate(None, LISTS, "ILD@3", items=genres)
    of_series = rm.evaluate(None, LISTS, "ILD@3", items=pd.Series(genres))
    assert of_series.to_dict() == of_mapping.to_dict()


def test_the_threshold_of_labels_is_named_for_measures_that_look_at_labels():
    graded = {user: dict(zip(ITEMS, [1, 4, 2, 5, 1], strict=True)) for user in USERS}
    asked = ["MIUF@3", "MIUF(relevant=True)@3", 'Serendipity(relevance="all")@3', "Serendipity@3"]
    ev = rm.evaluate(graded, LISTS, asked, history=HISTORY)
    assert "MIUF(relevant=True)@3, Serendipity@3 count labels >= 1 as relevant" in str(ev)


def test_a_gate_has_no_wins_of_what_is_one_number():
    asked = [rm.Condition("EPC@3", 0.9), rm.Condition("ItemCoverage@3", 0.9)]
    found = rm.gate(TEST, LISTS, LISTS, *asked, history=HISTORY)
    told = {line.split()[0]: line for line in str(found).splitlines() if "  holds  " in line}
    assert "  0/5/0  " in told["EPC@3"]
    assert "/" not in told["ItemCoverage@3"]
    assert found.to_junit().count("wins/ties/losses") == 1


def test_a_history_of_other_ids_is_doubted_unless_the_catalogue_says_that_all_are_new():
    numbered = {user: [ITEMS.index(item) for item in items] for user, items in HISTORY.items()}
    message = "no item of the lists is in the history, which has '0', '1', '2' and 1 more; are the"
    with pytest.warns(rm.RankmarkWarning, match=message):
        rm.evaluate(TEST, LISTS, "MIUF@3", history=numbered)
    of_new = rm.evaluate(TEST, LISTS, "MIUF@3", history=numbered, catalogue=[*ITEMS])
    assert of_new["MIUF@3"] == pytest.approx(np.log2(5))


def test_values_of_0_and_1_are_no_shares_where_more_is_possible():
    found = rm.compare(
        TEST,
        {"a": LISTS, "b": {user: items[:2] for user, items in LISTS.items()}},
        ["Cost", "P@1"],
        document_costs={item: float(item == "e") for item in "abcde"},
    )
    methods = {(row.measure, row.run): row.method for row in found.leaderboard}
    assert (methods["Cost", "a"], methods["P@1", "a"]) == ("t", "Wilson")
    (cost,) = (row for row in found.differences if row.measure == "Cost")
    assert cost.difference == -1.0
    assert np.isnan(cost.low)  # as all differences are alike
