"""How sure reconcile is of an explanation, and what it says of it."""

import json
import random
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.verbs.reconcile.certainty import Coincidence, chance_near, orders_met, right, shares


def collection(queries: int = 30, noise: float = 1.0) -> tuple[Any, Any]:
    """Make judgments with four labels, and a run with ties."""
    rng = random.Random(5)
    good = [[rng.gauss(0, 1) for _ in range(40)] for _ in range(queries)]
    qrels = {
        f"q{q}": {f"d{d}": sum(x > bound for bound in (0.8, 1.4, 2.0)) for d, x in enumerate(row)}
        for q, row in enumerate(good)
    }
    run = {
        f"q{q}": {f"d{d}": round(x + rng.gauss(0, noise), 1) for d, x in enumerate(row)}
        for q, row in enumerate(good)
    }
    return qrels, run


QRELS, RUN = collection()
_, OTHER = collection(noise=1.6)


def changed(found: rm.Reconciliation) -> list[list[tuple[str, Any]]]:
    """Give the names and values of the changes of each answer."""
    return [[(change.name, change.value) for change in one.changes] for one in found.answers]


@pytest.mark.slow
def test_as_many_numbers_near_the_truth_are_explained_as_is_stated() -> None:
    (truth,) = rm.evaluate(QRELS, RUN, "nDCG@10").values()
    known: Any = {"ties": "docid", "judged_only": False, "precision": "double", "queries": "both"}
    rng = random.Random(1)
    met, stated = 0, 0.0
    for _ in range(16):
        number = f"{truth * rng.uniform(0.9, 1.1):.4f}"
        found = rm.reconcile(QRELS, RUN, "nDCG@10", number, changes=2, **known)
        met += bool(found or found.arithmetic)
        assert found.coincidence is not None
        stated += found.coincidence.probability
    assert 3 <= met <= 10
    assert stated == pytest.approx(met, rel=0.4)


def test_crowded_numbers_are_counted_where_they_crowd() -> None:
    crowded = np.array([*range(4900, 5100, 4), 100, 9900])[:, None]
    chance = chance_near(crowded, np.array([5001]), np.array([0.0]), most=2)
    assert chance == pytest.approx(1 / 4, abs=0.05)
    alone = chance_near(crowded, np.array([5001]), np.array([0.0]), most=0)
    assert 0 < alone < chance / 3
    assert chance_near(crowded, np.array([800]), np.array([0.0]), most=2) < 0.02


def test_the_given_number_itself_does_not_count() -> None:
    reached = np.arange(0, 10_000, 100)[:, None]
    given, steps = np.array([5000]), np.array([0.0])
    assert chance_near(reached, given, steps, most=1) == pytest.approx(0.01, rel=0.2)


def test_means_of_a_lattice_compete_with_others_of_it_only() -> None:
    # 100 queries at 10: means are 10 units of the fourth decimal apart; other numbers lie between.
    lattice, between = np.arange(4000, 6000, 50), np.arange(4003, 6000, 7)
    reached = np.unique(np.concatenate([lattice, between]))[:, None]
    steps = np.array([10.0])
    on = chance_near(np.array(reached), np.array([5010]), steps, most=2)
    counted = np.mean(np.isin(np.arange(4510, 5500, 10), reached))
    assert on == pytest.approx(counted, rel=0.35)
    off = chance_near(np.array(reached), np.array([5004]), steps, most=2)
    assert off == pytest.approx(np.mean(np.isin(np.arange(4500, 5500), reached)), rel=0.35)


def test_measures_that_move_together_are_counted_together() -> None:
    line = np.arange(4900, 5100)
    reached = np.stack([line, line + 3], axis=1)
    given, steps = np.array([5000, 5000]), np.zeros(2)
    # Of 21 x 21 pairs around the given one, 17 lie on the line.
    assert chance_near(reached, given, steps, most=2) == pytest.approx(1 / 25, rel=0.5)


def test_values_that_many_queries_have_are_likely() -> None:
    values = np.array([100.0] * 6 + [50.0] * 3 + [0.0])
    found = shares(values, np.array([0, 6, 9]), np.array([100.0, 50.0, 0.0]))
    assert found[:2] == pytest.approx([5 / 9, 2 / 9])
    assert 0 < found[2] < 1 / 9
    assert shares(np.array([5.0]), np.array([0]), np.array([5.0])).tolist() == [1.0]


def test_other_orders_of_equal_numbers_are_met() -> None:
    given = np.array([[100], [100], [50]])
    met = [[[100], [100], [50]]]
    assert orders_met(given, lambda other: other.tolist() in met) == pytest.approx(1 / 5)
    assert orders_met(given, lambda other: bool(other.sum() == 250)) == 1
    many = np.arange(8)[:, None]
    assert orders_met(many, lambda other: other.tolist() == many.tolist()) < 0.01


@pytest.mark.parametrize("number", ["1e30", "1e300", "-0.3", "12345678901234567890123.1"])
def test_numbers_far_from_any_mean_have_a_chance_near_0(number: str) -> None:
    qrels, run = {"q": {"a": 1, "b": 2}, "p": {"a": 1}}, {"q": ["b", "a"], "p": ["x", "a"]}
    found = rm.reconcile(qrels, run, "AP", number, changes=1)
    assert not found
    assert found.coincidence is not None
    assert 0 <= found.coincidence.probability < 0.5
    twice = rm.reconcile(qrels, run, ["AP", "RR"], [number, "1e300"], changes=1)
    assert twice.coincidence is not None
    assert twice.coincidence.probability < 1e-9
    of_queries = rm.reconcile(qrels, run, "AP", per_query={"q": number, "p": 1}, changes=1)
    assert of_queries.coincidence is not None
    assert of_queries.coincidence.probability < 0.5


def test_an_explanation_with_more_changes_is_less_likely_right() -> None:
    assert right([0.001]) > 0.99
    assert right([0.02]) > right([0.02, 0.2]) > right([0.02, 0.2, 0.9])
    assert right([0.3, 1.0, 1.0]) == pytest.approx(0, abs=0.01)


@pytest.mark.slow
def test_numbers_of_queries_of_another_run_are_not_called_impossible() -> None:
    values = rm.evaluate(QRELS, OTHER, "RR@10").per_query("RR@10")
    rng = random.Random(2)
    met, stated = 0, list[float]()
    for _ in range(12):
        chosen = {query: f"{values[query]:.4f}" for query in rng.sample(sorted(values), 3)}
        found = rm.reconcile(QRELS, RUN, "RR@10", per_query=chosen, changes=2)
        met += bool(found)
        assert found.coincidence is not None
        stated.append(found.coincidence.probability)
        assert "lists of per-query numbers of 3 queries" in str(found.coincidence)
    assert met >= 3
    assert sum(stated) > met / 4
    assert all(one > 1e-4 for one in stated)


@pytest.mark.parametrize(
    ("probability", "of_queries", "words"),
    [
        (0.09, False, "Of 100 unrelated numbers near 0.3, about 9 would get such an answer"),
        (0.004, False, "Of 1,000 unrelated numbers near 0.3, about 4 would"),
        (3e-8, False, "Of a million unrelated numbers near 0.3, fewer than 1 would"),
        (0.18, True, "Of 100 unrelated numbers near 0.3, at least 18 would"),
        (1e-20, True, "Of a million unrelated numbers near 0.3, hardly one would"),
    ],
)
def test_a_chance_is_told_in_numbers(probability: float, of_queries: bool, words: str) -> None:
    chance = Coincidence(3, 9, 9, probability, "numbers near 0.3", (5,), of_queries)
    assert str(chance).startswith(words)
    assert str(chance).endswith("(3 changes, 5 decimals).")


def test_equally_simple_answers_are_one_group_known_tools_first() -> None:
    qrels, run = {**QRELS, "no": {"d1": 0}}, {**RUN, "no": {"d1": 1.0}}
    (mean,) = rm.evaluate(qrels, run, "AP", no_relevant="skip").values()
    found = rm.reconcile(qrels, run, "AP", f"{mean:.6f}", changes=1)
    assert len(found.answers) > 1
    assert found.answers[0].tools or found.answers[0].changes[0].who
    number = len(found.answers)
    assert f"one of these {number} is the reason with a" in str(found)
    assert f"each at most 1 in {number}." in str(found)
    assert changed(found)[-1][0][0] == "divisor"


def test_what_would_tell_answers_apart_is_named_with_what_to_expect() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1, "c": 2}, "q3": {"x": 1}}
    run = {"q1": ["a"], "q2": ["x", "b", "c"]}
    (mean,) = rm.evaluate(qrels, run, "RR@5", queries="both").values()
    found = rm.reconcile(qrels, run, "RR@5", f"{mean:.4f}", changes=1)
    (apart,) = found.separations
    assert len(apart.expected) == len(found.answers)
    assert len(set(apart.expected)) > 1
    for answer, expected in zip(found.answers, apart.expected, strict=True):
        if apart.query is None and not answer.then and not answer.tools:
            ev = rm.evaluate(qrels, run, apart.measure, **answer.conventions)
            assert list(ev.values()) == pytest.approx([expected])
    assert apart.words(1, 4) in str(found)
    content = json.loads(found.to_json())
    assert content["separations"][0]["expected"] == list(apart.expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
@pytest.mark.parametrize(
    ("tool", "name", "convention"),
    [
        ("torchmetrics", "AP", {"no_relevant": "skip"}),
        ("sklearn", "AP", {"judged_only": True}),
        ("sklearn", "nDCG@10", {"judged_only": True}),
    ],
)
def test_a_tool_with_one_more_change_is_found(
    tool: str, name: str, convention: dict[str, Any]
) -> None:
    qrels = {**{q: {**labels, "lost": 1} for q, labels in QRELS.items()}, "no": {"d1": 0}}
    run = {q: {**scores, "new": 0.35, "newer": 1.25} for q, scores in {**RUN, "no": {}}.items()}
    (mean,) = rm.evaluate(qrels, run, name, profile=tool, **convention).values()
    found = rm.reconcile(qrels, run, name, f"{mean:.8f}")
    alike = [one for one in found.answers if one.value == pytest.approx(mean, abs=1e-12)]
    profile = rm.profile(tool)
    assert any(
        ("profile", tool) in [(change.name, change.value) for change in one.changes]
        or any(f"as {profile.tool} with" in words for words in one.also)
        for one in alike
    )
    for one in (answer for answer in alike if not answer.then):
        again = rm.evaluate(qrels, run, list(one.measures.values()), **one.conventions)
        assert list(again.values()) == pytest.approx([mean], abs=1e-12)


def test_distances_taken_for_similarities_are_found() -> None:
    distances = {q: {d: -score for d, score in scores.items()} for q, scores in RUN.items()}
    ev = rm.evaluate(QRELS, RUN, ["nDCG@10", "AP"])
    given = {name: f"{mean:.4f}" for name, mean in ev.items()}
    found = rm.reconcile(QRELS, distances, value=given)
    assert changed(found)[0] == [("order", "negated")]
    assert found.answers[0].first == ("order each ranking anew: the lowest scores first",)
    assert "first: order each ranking anew" in str(found)


def test_ties_in_the_reverse_order_of_the_input_are_found() -> None:
    backwards = {q: dict(reversed(scores.items())) for q, scores in RUN.items()}
    given = {
        name: f"{mean:.5f}"
        for name, mean in rm.evaluate(QRELS, backwards, ["nDCG@10", "AP"], ties="input").items()
    }
    found = rm.reconcile(QRELS, RUN, value=given)
    assert changed(found)[0] == [("order", "reversed")]


@pytest.mark.parametrize(
    ("measure", "change"),
    [
        ("nDCG(gain={1: 0.01, 2: 0.1, 3: 1})@10", "gain"),
        ("nDCG(gain={1: 0, 2: 1, 3: 3})@10", "gain"),
        ("nDCG(gain={1: 2, 2: 4, 3: 8})@10", "gain"),
        ('nDCG(ideal="uncut")@10', "ideal"),
    ],
)
def test_custom_gains_and_an_ideal_that_is_not_cut_are_found(measure: str, change: str) -> None:
    (mean,) = rm.evaluate(QRELS, RUN, measure).values()
    found = rm.reconcile(QRELS, RUN, "nDCG@10", f"{mean:.6f}")
    assert [change] in [[name for name, _ in one] for one in changed(found)]


def test_a_number_between_the_worst_and_the_best_order_of_ties_is_said_to_be_so() -> None:
    coarse = {q: {d: round(score) for d, score in scores.items()} for q, scores in RUN.items()}
    ends = [rm.evaluate(QRELS, coarse, "RR", ties=ties)["RR"] for ties in ("worst", "best")]
    within = f"{0.37 * ends[0] + 0.63 * ends[1]:.9f}"
    found = rm.reconcile(QRELS, coarse, "RR", within, changes=1)
    assert not found
    (note,) = [one for one in found.notes if "unstable sort" in one]
    assert f"RR {ends[0]:.9f} to {ends[1]:.9f}" in note
    known = rm.reconcile(QRELS, coarse, "RR", within, changes=1, ties="input")
    assert not any("unstable sort" in one for one in known.notes)


@pytest.mark.slow
def test_subsets_of_queries_are_arithmetic_and_no_answer() -> None:
    without = [query for query in QRELS if query != "q7"]
    known: Any = {
        "ties": "docid",
        "judged_only": False,
        "precision": "double",
        "duplicates": "error",
    }
    ev = rm.evaluate(QRELS, RUN, ["nDCG@10", "AP"], queries=without)
    given = {name: f"{mean:.7f}" for name, mean in ev.items()}
    found = rm.reconcile(QRELS, RUN, value=given, **known)
    assert not found
    assert "q7" in found.arithmetic[0].words
    text = str(found)
    assert text.index("nearest:") < text.index("arithmetic that fits:\n- without query 'q7'")
    assert "and subsets of the queries" in text
    assert {*found.to_pandas()["kind"]} == {"nearest", "arithmetic"}
    assert json.loads(found.to_json())["arithmetic"][0]["right"] is None
    assert "arithmetic that fits: without query" in found._repr_html_()
