"""Measures of a run: one number of all lists together, never by query; figures and intervals."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from generators.recommendations import HISTORY, LISTS, SHORT_LISTS, TEST
from rankmark.errors import InputError, MeasureError

FIGURES = {
    "ItemCoverage": (0.8, 1.0),
    'ItemCoverage(norm="count")': (4, 5),
    "UserCoverage": (1, 1),
    'UserCoverage(norm="count")': (5, 5),
    "Gini": (0.4, 0.266667),
    'Gini(norm="n-1")': (0.5, 0.333333),
    'Gini(norm="n-1", items="recommended")': (0.333333, 0.333333),
    'Gini(items="recommended")': (0.25, 0.266667),
    'Gini(norm="n-1", equality=True)': (0.5, 0.666667),
    "Entropy": (1.846439, 2.149255),
    'Entropy(base="e")': (1.279854, 1.489750),
    'Entropy(norm="evenness")': (0.795218, 0.925634),
    'Entropy(base="e", norm="recommended")': (0.319964, 0.297950),
    "HHI": (0.3, 0.244444),
    "HHI(effective=True)": (3.333333, 4.090909),
    "Personalization": (0.5, 0.333333),
}
"""At k = 2 and 3, of RecTools, RecBole, LensKit, recommenders, evidently and Elliot."""
SHORT = {
    "Gini@3": 0.28,
    "Entropy@3": 1.970951,
    "HHI@3": 0.26,
    "Personalization@3": 0.555556,
    'Personalization(norm="shorter")@3': 0.444444,
    "UserCoverage@3": 0.8,
    "UserCoverage(least=3)@3": 0.6,
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_those_of_the_tools(name):
    for k, figure in zip((2, 3), FIGURES[name], strict=True):
        asked = f"{name}@{k}"
        assert rm.evaluate(TEST, LISTS, asked, catalogue=[*"abcde"])[asked] == pytest.approx(
            figure, abs=1e-6
        )


def test_short_lists_and_users_without_one_count_as_they_are():
    ev = rm.evaluate(TEST, SHORT_LISTS, [*SHORT], catalogue=[*"abcde"])
    assert dict(ev) == pytest.approx(SHORT, abs=1e-6)


def test_they_need_no_judgments():
    with_them = rm.evaluate(TEST, LISTS, ["Gini@2", "MIUF@2"], history=HISTORY)
    without = rm.evaluate(None, LISTS, ["Gini@2", "MIUF@2"], history=HISTORY)
    assert dict(with_them) == dict(without)
    assert "5 lists, no judgments" in str(without)
    with pytest.raises(InputError, match="nDCG@10 needs judgments"):
        rm.evaluate(None, LISTS, "nDCG@10")


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


@given(
    lists=st.lists(st.lists(st.integers(0, 6), unique=True, max_size=5), min_size=2, max_size=6),
    name=st.sampled_from([*FIGURES, 'Personalization(norm="shorter")', "UserCoverage(least=2)"]),
)
def test_leaving_a_list_out_gives_the_value_of_the_others(lists, name):
    users = {f"u{number}": [str(item) for item in items] for number, items in enumerate(lists)}
    judged = {user: ["0"] for user in users}
    measure = f"{name}@4"

    def evaluated(queries):
        return rm.evaluate(judged, users, measure, catalogue=[*"01234"], queries=queries)

    if not any(users.values()):
        return
    whole = rm.evaluate(judged, users, measure, catalogue=[*"01234"])
    (found,) = whole.left_out.values()
    others = [evaluated([one for one in users if one != user])[measure] for user in users]
    assert found.without == pytest.approx(others, abs=1e-12, nan_ok=True)
