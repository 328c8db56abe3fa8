"""What documents add is what makes the value: for every measure, on whatever ranking."""

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import NAMES, Case, cases_of
from conformance.diverse_cases import LABELS as DIVERSE_LABELS
from conformance.diverse_cases import STEMS, Diverse, diverse_cases, diverse_collections
from generators.effort import examples
from generators.random_collections import LABELS, Collection, collections
from rankmark.measures import ALL
from rankmark.results.explanations.explanation import Explanation

SUBTOPICS = ("1", "2", "ü")
SEES_SUBTOPICS = {measure.name for measure in ALL if measure.depends_on == "subtopics"}


def adds_up(told: Explanation) -> None:
    """Check that contributions add up to the value, and so does the running total."""
    shares = [row["contribution"] for row in told.rows]
    scale = max(1.0, abs(told.value), math.fsum(map(abs, shares)))
    assert math.fsum(shares) == pytest.approx(told.value, abs=1e-12 * scale, rel=0)
    if told.rows:
        assert told.rows[-1]["total"] == pytest.approx(told.value, abs=1e-12 * scale, rel=0)
    else:
        assert told.value == 0


def works_out(told: Explanation) -> None:
    """Check that the formula, worked as it is written, gives the value."""
    named = f"{told.measure} = "
    assert told.formula.startswith(named)
    *steps, value = told.formula.removeprefix(named).split(" = ")
    assert float(value) == pytest.approx(told.value, rel=1e-5, abs=1e-300)
    for step in steps:
        if "more)" not in step:
            assert worked(step) == pytest.approx(told.value, rel=1e-4, abs=1e-4), told.formula


def worked(step: str) -> float:
    """Work out what stands between two signs of equality; nothing of nothing is 0."""
    names = {"exp": math.exp, "log2": math.log2, "ln": math.log, "min": min, "max": max}
    try:
        return eval(step.replace("^", "**"), {"__builtins__": {}}, names)
    except ZeroDivisionError:
        return 0.0


def documents(labels: Any) -> Any:
    """Give labels in rank order, and those that were not retrieved."""
    return st.tuples(st.lists(st.none() | labels, max_size=12), st.lists(labels, max_size=5))


plain = documents(st.sampled_from(LABELS))
diverse = documents(
    st.dictionaries(st.sampled_from(SUBTOPICS), st.sampled_from(DIVERSE_LABELS), max_size=3)
)


@pytest.mark.parametrize("stem", sorted(NAMES))
@examples(15)
@given(data=st.data())
def test_contributions_of_one_ranking_add_up(stem: str, data: st.DataObject) -> None:
    ranked, missed = data.draw(diverse if NAMES[stem] in SEES_SUBTOPICS else plain)
    every = diverse_cases(stem) if NAMES[stem] in SEES_SUBTOPICS else cases_of(stem)
    some = st.lists(st.sampled_from(every), min_size=1, max_size=8, unique_by=str)
    cases: list[Case] = data.draw(some)
    for case in cases:
        told = case.ours.explain(ranked, missed=missed)
        assert told.value == case.ours(ranked, missed=missed)
        adds_up(told)
        works_out(told)
        relevant = told.counts["tp"] + told.counts["fn"]
        assert 0 <= relevant <= len(ranked) + len(missed)


RANKINGS: list[tuple[Any, Any]] = [
    ([0, 1, None, 3, -1, 0, 2], [0, 2]),
    ([2, 2, 1], []),  # nothing else was retrieved
    ([0, 1], []),  # one pair
    ([0, -1], [1, 3]),
    ([], [2, 0]),
    ([None, 0], []),
]
DIVERSE_RANKINGS: list[tuple[Any, Any]] = [
    ([{"1": 1}, {}, {"1": 1, "2": 3}, None, {"ü": 2}, {"1": 1}], [{"ü": 1}, {"2": 1}]),
    ([{"1": 2, "2": 1}], []),
    ([{}, {"2": 0}], [{"1": 1}]),
    ([], [{"1": 1}]),
    ([None, {}], []),
]


@pytest.mark.parametrize("stem", sorted(NAMES))
def test_contributions_to_every_variant_of_a_measure_add_up(stem: str) -> None:
    sees_subtopics = NAMES[stem] in SEES_SUBTOPICS
    rankings = DIVERSE_RANKINGS if sees_subtopics else RANKINGS
    cases = diverse_cases(stem) if sees_subtopics else cases_of(stem)
    for case in cases:
        # Of many variants, each is tried on two rankings: any two values meet on most of them.
        few = random.Random(str(case)).sample(rankings, 2) if len(cases) > 20 else rankings
        for ranked, missed in few:
            told = case.ours.explain(ranked, missed=missed)
            assert told.value == case.ours(ranked, missed=missed)
            adds_up(told)
            works_out(told)


conventions = st.fixed_dictionaries(
    {},
    optional={
        "ties": st.sampled_from(["docid", "docid-asc", "input", "mean", "best", "worst"]),
        "no_relevant": st.sampled_from(["zero", "one"]),
        "depth": st.sampled_from([1, 2, 3, 7]),
        "judged_only": st.booleans(),
        "drop_self": st.booleans(),
        "precision": st.sampled_from(["double", "float32"]),
    },
)
OVER_LABELS = sorted(set(NAMES) - {stem for stem, name in NAMES.items() if name in SEES_SUBTOPICS})


@pytest.mark.parametrize("stem", OVER_LABELS)
@examples(8)
@given(collection=collections(least=1), chosen=conventions, data=st.data())
def test_contributions_of_a_query_add_up_to_what_evaluate_gives(
    stem: str, collection: Collection, chosen: dict[str, Any], data: st.DataObject
) -> None:
    some = st.lists(st.sampled_from(cases_of(stem)), min_size=1, max_size=4, unique_by=str)
    measures = [case.ours for case in data.draw(some)]
    query = data.draw(st.sampled_from(list(collection.qrels)))
    ev = rm.evaluate(collection.qrels, collection.run, measures, **chosen)
    for one in measures:
        told = rm.explain(collection.qrels, collection.run, query, one, **chosen)
        assert told.value == pytest.approx(ev.per_query(one)[query], rel=1e-12, abs=1e-12)
        adds_up(told)


@pytest.mark.parametrize("stem", STEMS)
@examples(12)
@given(collection=diverse_collections(), chosen=conventions, data=st.data())
def test_contributions_over_subtopics_add_up_to_what_evaluate_gives(
    stem: str, collection: Diverse, chosen: dict[str, Any], data: st.DataObject
) -> None:
    some = st.lists(st.sampled_from(diverse_cases(stem)), min_size=1, max_size=4, unique_by=str)
    measures = [case.ours for case in data.draw(some)]
    query = data.draw(st.sampled_from(list(collection.qrels)))
    qrels = rm.Qrels(collection.qrels, subtopics=True)
    ev = rm.evaluate(qrels, collection.run, measures, **chosen)
    for one in measures:
        told = rm.explain(qrels, collection.run, query, one, **chosen)
        assert told.value == pytest.approx(ev.per_query(one)[query], rel=1e-12, abs=1e-12)
        adds_up(told)


@pytest.mark.parametrize("one", ["RankingLoss", "AP", "CoverageError", "NumRel"])
@pytest.mark.parametrize("ties", ["best", "worst"])
def test_what_an_order_of_ties_leaves_behind_a_depth_is_not_retrieved(ties: Any, one: str) -> None:
    qrels, run = {"q": {"d": 1, "e": 0}}, {"q": dict.fromkeys(["d", "x", "y", "e"], 1.0)}
    told = rm.explain(qrels, run, "q", one, ties=ties, depth=2)
    adds_up(told)
    assert [row["rank"] for row in told.rows if row["rank"] is not None] == [1, 2]
    retrieved = {row["doc_id"] for row in told.rows if row["rank"] is not None}
    if one != "NumRel":  # which every order leaves as it is
        assert ("d" in retrieved) == (ties == "best")


@pytest.mark.parametrize("stem", ["ap", "ndcg", "p", "rr", "unjudged", "mean_rank", "num_rel"])
@examples(12)
@given(collection=collections(least=1), other=collections(least=1), data=st.data())
def test_differences_add_up_by_document_by_rank_and_by_query(
    stem: str, collection: Collection, other: Collection, data: st.DataObject
) -> None:
    one = data.draw(st.sampled_from(cases_of(stem))).ours
    qrels, run, against = collection.qrels, collection.run, other.run
    query = data.draw(st.sampled_from(list(qrels)))
    found = rm.explain(qrels, run, query, one, against=against)
    assert found.difference == found.other.value - found.baseline.value
    for rows in (found.rows, found.by_rank):
        total = math.fsum(row["difference"] for row in rows)
        size = max(1.0, abs(found.baseline.value))
        assert total == pytest.approx(found.difference, abs=1e-12 * size)
    sign = 1 if one.more_is_better else -1
    steps = [sign * row["difference"] for row in found.rows]
    assert steps == sorted(steps, key=lambda step: (step < 0, -abs(step)))
    both = data.draw(st.sampled_from(["judged", "both"]))
    if not set(qrels) & set(against):
        return
    means = rm.explain(qrels, run, None, one, against=against, queries=both)
    values = [rm.evaluate(qrels, each, one, queries=both)[one] for each in (run, against)]
    assert means.difference == values[1] - values[0]
    total = math.fsum(row["contribution"] for row in means.rows)
    assert total == pytest.approx(means.difference, abs=1e-12 * max(1.0, *map(abs, values)))
