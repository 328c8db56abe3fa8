"""Order, names, neighbours and repetition leave every bit of every value alone."""

import copy
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import Case, all_cases
from generators.random_collections import Collection, collections, long_collections

some_collections = st.one_of(collections(), long_collections())
some_cases = st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=25)
id_ties = st.sampled_from(["docid", "docid-asc"])
all_ties = st.sampled_from(["docid", "docid-asc", "input"])


def bits(ev: Any) -> dict[str, list[str]]:
    """Give every value of every query to the last bit."""
    return {
        query_id: [value.hex() for value in row]
        for query_id, row in zip(ev.queries, ev.scores.tolist(), strict=True)
    }


def shuffled(rows: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Give the same dict in another order."""
    items = list(rows.items())
    dice.shuffle(items)
    return dict(items)


@given(collection=some_collections, cases=some_cases, ties=id_ties, seed=st.integers(0, 10**6))
def test_the_order_of_queries_and_documents_does_not_matter(
    collection: Collection, cases: list[Case], ties: Any, seed: int
) -> None:
    dice = random.Random(seed)
    measures = [case.ours for case in cases]
    other = [
        shuffled({query_id: shuffled(row, dice) for query_id, row in rows.items()}, dice)
        for rows in collection
    ]
    ev = rm.evaluate(*collection, measures, ties=ties)
    again = rm.evaluate(*other, measures, ties=ties)
    assert bits(again) == bits(ev)
    assert [*map(float.hex, again.values())] == [*map(float.hex, ev.values())]


@given(collection=some_collections, cases=some_cases, seed=st.integers(0, 10**6))
def test_the_order_of_judgments_does_not_matter_where_input_order_breaks_ties(
    collection: Collection, cases: list[Case], seed: int
) -> None:
    dice = random.Random(seed)
    measures = [case.ours for case in cases]
    qrels = {query_id: shuffled(row, dice) for query_id, row in collection.qrels.items()}
    ev = rm.evaluate(*collection, measures, ties="input")
    assert bits(rm.evaluate(qrels, collection.run, measures, ties="input")) == bits(ev)


@given(collection=some_collections, cases=some_cases, ties=all_ties)
def test_a_query_never_sees_its_neighbours(
    collection: Collection, cases: list[Case], ties: Any
) -> None:
    measures = [case.ours for case in cases]
    together = bits(rm.evaluate(*collection, measures, ties=ties))
    for query_id in collection.both:
        alone = rm.evaluate(
            {query_id: collection.qrels[query_id]},
            {query_id: collection.run[query_id]},
            measures,
            ties=ties,
        )
        assert bits(alone) == {query_id: together[query_id]}


@given(collection=some_collections, cases=some_cases, ties=all_ties)
def test_evaluating_twice_gives_the_same_and_changes_nothing(
    collection: Collection, cases: list[Case], ties: Any
) -> None:
    measures = [case.ours for case in cases]
    before = copy.deepcopy(collection)
    first = rm.evaluate(*collection, measures, ties=ties)
    second = rm.evaluate(*collection, measures, ties=ties)
    assert bits(first) == bits(second)
    for rows, kept in zip(collection, before, strict=True):
        assert list(rows) == list(kept)
        assert [list(row.items()) for row in rows.values()] == [
            list(row.items()) for row in kept.values()
        ]


eighths = collections(scores=tuple(number / 8 for number in range(-4, 5)))


@given(
    collection=eighths,
    cases=some_cases,
    ties=all_ties,
    constant=st.sampled_from([64.0, -1024.0, 2.0**40]),
)
def test_adding_an_exact_constant_to_the_scores_changes_nothing(
    collection: Collection, cases: list[Case], ties: Any, constant: float
) -> None:
    measures = [case.ours for case in cases]
    run = {
        query_id: {doc_id: score + constant for doc_id, score in row.items()}
        for query_id, row in collection.run.items()
    }
    ev = rm.evaluate(*collection, measures, ties=ties)
    assert bits(rm.evaluate(collection.qrels, run, measures, ties=ties)) == bits(ev)


@given(collection=some_collections, cases=some_cases, ties=all_ties)
def test_renaming_documents_in_order_changes_nothing(
    collection: Collection, cases: list[Case], ties: Any
) -> None:
    measures = [case.ours for case in cases]
    qrels, run = (
        {
            query_id: {f"same-prefix/{doc_id}": value for doc_id, value in row.items()}
            for query_id, row in rows.items()
        }
        for rows in collection
    )
    ev = rm.evaluate(*collection, measures, ties=ties)
    assert bits(rm.evaluate(qrels, run, measures, ties=ties)) == bits(ev)


@given(collection=some_collections, cases=some_cases)
def test_a_measure_does_not_see_the_other_measures(
    collection: Collection, cases: list[Case]
) -> None:
    measures = [case.ours for case in cases]
    together = rm.evaluate(*collection, measures).scores
    for column, measure in enumerate(measures[:5]):
        alone = rm.evaluate(*collection, [measure]).scores
        assert alone[:, 0].tolist() == together[:, column].tolist()


NOT_DIVIDED_BY_WHAT_WAS_RETRIEVED = [
    case
    for case in all_cases()
    if "k" in case.parameters
    and case.stem not in ("judged", "num_ret", "unjudged", "auc", "ranking_loss", "fall_out")
    and case.parameters.get("norm") != "retrieved"
]


@given(
    collection=eighths,
    cases=st.lists(
        st.sampled_from(NOT_DIVIDED_BY_WHAT_WAS_RETRIEVED), unique_by=str, min_size=1, max_size=25
    ),
)
def test_unjudged_documents_at_the_end_are_not_seen_through_a_cutoff(
    collection: Collection, cases: list[Case]
) -> None:
    measures = [case.ours for case in cases]
    padding = {f"padding{number}": -1000.0 for number in range(7)}
    padded = {query_id: {**row, **padding} for query_id, row in collection.run.items()}
    ev = rm.evaluate(*collection, measures)
    assert bits(rm.evaluate(collection.qrels, padded, measures)) == bits(ev)
