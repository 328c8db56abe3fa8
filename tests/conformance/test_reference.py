"""Every formula is what the textbook says: against slow plain Python, on random collections."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.cases import OVER_LABELS, Case, all_cases, cases_of, stem_of
from conformance.reference.ranking import Ties, labels_of, ranked
from generators.effort import examples
from generators.random_collections import Collection, collections, long_collections
from generators.trec_files import Dress, dresses, write_qrels, write_run

conventions = st.fixed_dictionaries(
    {},
    optional={
        "ties": st.sampled_from(["docid", "docid-asc", "input"]),
        "depth": st.sampled_from([1, 2, 5, 100]),
        "judged_only": st.booleans(),
    },
)


def assert_equals_the_reference(
    ev: Any, cases: list[Case], collection: Collection, queries: list[str], **conventions: Any
) -> None:
    """Compare every value of every query, and every figure for all queries."""
    assert list(ev.queries) == queries
    of = {
        query_id: labels_of(
            collection.qrels[query_id], collection.run.get(query_id, {}), **conventions
        )
        for query_id in queries
    }
    for column, case in enumerate(cases):
        expected = {query_id: case.value(*labels) for query_id, labels in of.items()}
        found = dict(zip(queries, ev.scores[:, column].tolist(), strict=True))
        measure = ev.measures[column]
        agrees("reference", measure, found, expected, rel=1e-12, abs=1e-12)
        total = case.summary(expected.values())
        agrees("reference", measure, ev[str(measure)], total, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("stem", sorted(map(stem_of, OVER_LABELS)))
@given(collection=collections(), conventions=conventions, third=st.integers(0, 2))
def test_every_variant_of_a_measure_is_what_the_textbook_says(
    stem: str, collection: Collection, conventions: dict[str, Any], third: int
) -> None:
    cases = cases_of(stem)
    if len(cases) > 30:
        cases = cases[third::3]
    ev = rm.evaluate(*collection, [case.ours for case in cases], **conventions)
    assert_equals_the_reference(ev, cases, collection, list(collection.qrels), **conventions)


@given(
    collection=collections(),
    cases=st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1),
)
def test_per_query_names_every_judged_query(collection: Collection, cases: list[Case]) -> None:
    ev = rm.evaluate(*collection, [case.ours for case in cases])
    for case in cases:
        found = ev.per_query(str(case.ours))
        expected = case.per_query(collection.qrels, collection.run, collection.qrels)
        agrees("reference", case.ours, found, expected, rel=1e-12, abs=1e-12)


@given(
    collection=collections(least=1),
    cases=st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=20),
    conventions=conventions,
)
def test_queries_in_both_are_averaged_where_asked(
    collection: Collection, cases: list[Case], conventions: dict[str, Any]
) -> None:
    ev = rm.evaluate(*collection, [case.ours for case in cases], queries="both", **conventions)
    assert_equals_the_reference(ev, cases, collection, collection.both, **conventions)


@given(
    collection=collections(least=1),
    cases=st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=20),
    data=st.data(),
)
def test_a_list_of_queries_is_averaged_where_given(
    collection: Collection, cases: list[Case], data: st.DataObject
) -> None:
    chosen = data.draw(st.sets(st.sampled_from(sorted(collection.qrels)), min_size=1))
    queries = [query_id for query_id in collection.qrels if query_id in chosen]
    ev = rm.evaluate(*collection, [case.ours for case in cases], queries=queries)
    assert_equals_the_reference(ev, cases, collection, queries)


@given(
    collection=long_collections(),
    cases=st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=10),
    conventions=conventions,
)
def test_long_rankings_are_what_the_textbook_says(
    collection: Collection, cases: list[Case], conventions: dict[str, Any]
) -> None:
    ev = rm.evaluate(*collection, [case.ours for case in cases], **conventions)
    assert_equals_the_reference(ev, cases, collection, list(collection.qrels), **conventions)


@given(
    collection=st.one_of(collections(least=1), long_collections()),
    cases=st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=10),
    conventions=conventions,
    queries=st.sampled_from(["judged", "both"]),
    qrels_dress=dresses,
    run_dress=dresses,
)
def test_files_in_any_dress_are_what_the_textbook_says(
    *,
    collection: Collection,
    cases: list[Case],
    conventions: dict[str, Any],
    queries: str,
    qrels_dress: Dress,
    run_dress: Dress,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        qrels = write_qrels(Path(folder, "qrels"), collection.qrels, qrels_dress)
        run = write_run(Path(folder, "run"), collection.run, run_dress)
        measures = [case.ours for case in cases]
        ev = rm.evaluate(qrels, str(run), measures, queries=queries, **conventions)
    averaged = list(collection.qrels) if queries == "judged" else collection.both
    assert_equals_the_reference(ev, cases, collection, averaged, **conventions)


rankings = st.lists(st.sampled_from([None, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]), max_size=12)
missing = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]), max_size=6)


@examples(200)
@given(ranking=rankings, missed=missing, case=st.sampled_from(all_cases()))
def test_a_measure_called_on_one_ranking_is_what_the_textbook_says(
    ranking: list[float | None], missed: list[float | None], case: Case
) -> None:
    expected = case.value(ranking, missed)
    found = case.ours(ranking, missed=missed)
    agrees("reference", case.ours, found, expected, rel=1e-12, abs=1e-12)


@given(
    collection=collections(least=1),
    case=st.sampled_from([case for case in all_cases() if not case.depends_on_ties]),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
)
def test_a_measure_called_on_ids_is_what_evaluate_says(
    collection: Collection, case: Case, ties: Ties
) -> None:
    query_id = collection.both[0]
    found = case.ours(
        ranking=ranked(collection.run[query_id], ties), relevant=collection.qrels[query_id]
    )
    ev = rm.evaluate(*collection, [case.ours], queries=[query_id], ties=ties)
    assert found == pytest.approx(float(ev.scores[0, 0]), rel=1e-12, abs=1e-12)
