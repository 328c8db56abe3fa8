"""Measures of lists where something is missing, and distances that are given."""

import itertools

import numpy as np
import pytest

import rankmark as rm
from generators.recommendations import (
    CATEGORIES,
    GROUPS,
    HISTORY,
    LISTS,
    RANKINGS,
    TEST,
)
from rankmark.errors import InputError, MeasureError


def of(measure, run=LISTS, **given):
    return rm.evaluate(TEST, run, measure, **given)


def test_a_distance_may_be_given_as_a_function():
    apart = of('ILD(distance="given")@3', items=lambda a, b: abs(ord(a) - ord(b)))
    slow = [
        np.mean([abs(ord(a) - ord(b)) for at, a in enumerate(row) for b in row[at + 1 :]])
        for row in LISTS.values()
    ]
    assert [*apart.per_query(apart.measures[0]).values()] == pytest.approx(slow)
    with pytest.raises(InputError, match=r"the distance of .* is -1; need a finite"):
        of('ILD(distance="given")@3', items=lambda *_: -1)
    with pytest.raises(InputError, match='choose distance="given"'):
        of("ILD@3", items=lambda *_: 1)
    with pytest.raises(InputError, match="give items, a function of two ids"):
        of('ILD(distance="given")@3', items=CATEGORIES)


def test_items_without_categories_are_left_out_and_counted_or_an_error():
    known = {item: names for item, names in CATEGORIES.items() if item != "e"}
    ev = of("ILD@3", items=known)
    assert ev["ILD@3"] == pytest.approx(of("ILD@2", items=CATEGORIES)["ILD@2"])
    assert "items without vector or categories 5 of 15" in str(ev)
    with pytest.raises(InputError, match="item 'e' has no vector or categories"):
        of('ILD(missing="error")@3', items=known)


def test_lists_of_one_item_have_the_value_that_is_chosen():
    run = {**LISTS, "u1": ["c"]}
    ev = of(["ILD", 'ILD(one_item="zero")', 'ILD(one_item="one")'], run, items=CATEGORIES)
    assert "u1" not in ev.per_query("ILD")
    assert ev.per_query('ILD(one_item="zero")')["u1"] == 0
    assert ev.per_query('ILD(one_item="one")')["u1"] == 1
    assert "lists of one item 1: without a value" in str(ev)


def test_a_vector_of_zeros_is_far_from_all():
    ev = of("ILD", {"u1": ["a", "b"]}, items={"a": [0.0, 0.0], "b": [1.0, 2.0]})
    assert ev["ILD"] == 1


def test_long_lists_of_vectors_are_summed_in_pieces(monkeypatch):
    vectors = np.random.default_rng(3).normal(size=(40, 5))
    run = {f"u{at}": [f"i{one}" for one in range(at, at + 7)] for at in range(30)}
    given = {"items": {f"i{at}": row.tolist() for at, row in enumerate(vectors)}}
    whole = rm.evaluate(None, run, ["ILD", 'ILD(distance="euclidean")'], **given)
    monkeypatch.setattr("rankmark.measures.of_lists.ild.MOST", 20)
    monkeypatch.setattr("rankmark.measures.families.item_distances.MOST", 20)
    pieces = rm.evaluate(None, run, ["ILD", 'ILD(distance="euclidean")'], **given)
    assert dict(pieces) == pytest.approx(dict(whole), rel=1e-12)


def test_relevance_needs_judgments():
    for measure in ("EFD@3", "Serendipity@3", "EILD@3"):
        with pytest.raises(InputError, match="relevance needs judgments"):
            rm.evaluate(None, LISTS, measure, history=HISTORY, items=CATEGORIES)


def test_users_without_a_history_are_counted():
    history = {user: items for user, items in HISTORY.items() if user != "u2"}
    for measure, told in {
        'Serendipity(by="history")@3': "users without a history 1: without a value",
        "Miscalibration@3": "users without categories in the history 1: without a value",
    }.items():
        items = CATEGORIES if measure.startswith("M") else None
        ev = of(measure, history=history, items=items)
        assert [*ev.per_query(ev.measures[0])] == ["u1", "u3", "u4", "u5"]
        assert told in str(ev)


def test_miscalibration_has_its_bounds():
    same = {"u1": ["a", "c"]}
    ev = rm.evaluate(None, same, ["Miscalibration"], history=same, items=CATEGORIES)
    assert ev["Miscalibration"] == 0
    known = {"history": same, "items": CATEGORIES, "catalogue": [*CATEGORIES]}
    other = rm.evaluate(None, {"u1": ["e"]}, "Miscalibration", **known)
    assert other["Miscalibration"] == pytest.approx(-np.log(0.01)) == rm.Miscalibration.bounds[1]


def test_measures_of_lists_read_their_own_names():
    for name in (
        'ILD(distance="jaccard", weights=0.85, relevant=True)@10',
        'TailShare(tail="items", cut=0.2)@10',
        'CategoryEntropy(smoothing=1e-06, base="e")',
    ):
        assert rm.measure(str(rm.measure(name))) == rm.measure(name)
    with pytest.raises(MeasureError, match="weights is 'linear'"):
        rm.ILD(weights="linear")
    with pytest.raises(MeasureError, match="weights is 1; need"):
        rm.ILD(weights=1)


def test_groups_are_named_and_items_without_one_are_counted():
    for measure in ("rND", 'Skew(group="x")', 'NDKL(target={"x": 1})'):
        with pytest.raises(InputError, match='choose one, as group="major"'):
            rm.evaluate(None, RANKINGS, measure, groups=GROUPS)
    known = {item: group for item, group in GROUPS.items() if item != "f"}
    ev = rm.evaluate(None, RANKINGS, "NDKL", groups=known)
    assert "2 items of the lists without a group: left out" in str(ev)
    without = {query: [item for item in items if item != "f"] for query, items in RANKINGS.items()}
    assert ev["NDKL"] == rm.evaluate(None, without, "NDKL", groups=known)["NDKL"]


def test_shares_of_a_catalogue_without_groups_are_no_target():
    with pytest.raises(InputError, match="AWRF: no item of the catalogue has a group"):
        rm.evaluate(None, RANKINGS, "AWRF", groups={"a": "x", "b": "y"}, catalogue=["c", "z"])


def test_infinite_values_are_counted_and_smoothed():
    ev = rm.evaluate(None, RANKINGS, ["Skew@2", "Skew(smoothing=0.001)@2"], groups=GROUPS)
    assert ev["Skew@2"] == -np.inf < ev["Skew(smoothing=0.001)@2"]
    assert "Skew@2 is infinite for 1 list: choose smoothing" in str(ev)


def test_items_outside_the_catalogue_have_no_rate():
    shown = {user: [*items, "zz"] for user, items in LISTS.items()}
    more = {user: [*items, "yy"] for user, items in HISTORY.items()}
    given = {
        "history": more,
        "catalogue": [*"abcde"],
        "popularity": {"a": 4, "b": 3, "c": 2, "d": 1},
    }
    found = rm.evaluate(TEST, shown, "PopRSP", **given)
    assert found["PopRSP"] == pytest.approx(rm.evaluate(TEST, LISTS, "PopRSP", **given)["PopRSP"])


def test_names_of_groups_swap_the_sign_of_the_logarithm():
    for query in RANKINGS:
        found = [
            rm.evaluate(None, RANKINGS, one, groups=GROUPS).per_query(one)[query]
            for one in (f'GroupExposure(compare="log", group="{name}")' for name in GROUPS.values())
        ]
        assert found[0] == pytest.approx(-found[-1])


def test_the_ideal_exposure_has_no_loss():
    ideal = {"q1": [*"acebdf"]}
    members = {item: item for item in "abcdef"}
    alike = rm.evaluate({"q1": ["a"]}, {"q1": ["a"]}, "EEL", groups=members)
    assert alike["EEL"] == 0
    ev = rm.evaluate({"q1": ["a", "c", "e"]}, ideal, ["EED", "EER", "EEL"], groups=GROUPS)
    worse = rm.evaluate({"q1": ["a", "c", "e"]}, {"q1": [*"bdface"]}, "EEL", groups=GROUPS)
    assert ev["EEL"] < worse["EEL"]


@pytest.mark.parametrize("measure", ["EEL", "EED", 'GroupRates(groups="given")'])
def test_items_of_other_ids_than_groups_have_no_perfect_exposure(measure):
    ev = rm.evaluate(TEST, LISTS, measure, groups={"A": "x", "B": "y"}, history=HISTORY)
    assert np.isnan(ev[measure])
    assert "15 items of the lists without a group: left out" in str(ev)


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("CategoryCoverage", "items without categories 15 of 15"),
        ("CategoryEntropy", "items without categories 15 of 15"),
        ("Miscalibration", "items without categories 15 of 15"),
        ('Serendipity(by="history", distance="jaccard")', "vector or categories 15 of 15"),
    ],
)
def test_items_without_categories_are_told_by_every_measure_of_them(measure, told):
    assert told in str(of(measure, items={"A": ["x"]}, history=HISTORY))


def test_what_nobody_had_is_not_expected_and_no_user_sees_the_lists_of_others():
    history = {"u1": ["a"], "u2": ["b"]}
    alone = {"u1": ["a", "c"], "u2": ["b"]}
    for others in (["b"], ["c", "d"], ["0", "1"]):
        ev = of("Unexpectedness@5", {**alone, "u2": others}, history=history)
        assert ev.per_query("Unexpectedness@5")["u1"] == 0.5


def test_a_distance_is_a_finite_number():
    for far in (10**400, True, -1.0, "x", np.nan):
        with pytest.raises(InputError, match="the distance of 'c' and 'd' is"):
            of('ILD(distance="given")', {"u1": ["c", "d"]}, items=lambda *_, far=far: far)


def test_expected_exposure_needs_judgments():
    with pytest.raises(InputError, match="ExpectedExposure: it needs judgments"):
        rm.evaluate(None, RANKINGS, "EEL", groups=GROUPS)


@pytest.mark.parametrize(
    ("measure", "given"),
    [("NDKL@3", {"groups": GROUPS}), ("ILD@3", {"items": CATEGORIES})],
)
def test_tied_items_are_averaged_over_all_orders(measure, given):
    tied = {"q1": {"a": 3, "b": 2, "c": 2, "d": 2, "e": 1}}
    orders = [["a", *middle, "e"] for middle in itertools.permutations("bcd")]
    each = [rm.evaluate(None, {"q1": order}, measure, **given)[measure] for order in orders]
    ev = rm.evaluate(None, tied, measure, ties="mean", **given)
    assert ev[measure] == pytest.approx(np.mean(each))


def test_parameters_that_calls_of_other_measures_have_too_are_set_in_python():
    assert str(rm.EPC(relevant=True)) == "EPC(relevant=True)"
    assert str(rm.NDKL(target="list") @ 3) == 'NDKL(target="list")@3'
    with pytest.raises(MeasureError):
        rm.P(relevant=["a"])
