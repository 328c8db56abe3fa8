"""Measures over subtopics are what the papers and ndeval say: against slow plain Python."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.cases import Case, reference
from conformance.diverse_cases import (
    STEMS,
    Diverse,
    all_diverse_cases,
    diverse_cases,
    diverse_collections,
    seen_by_reference,
)
from conformance.reference.ranking import ranked

subtopic = st.sampled_from(["1", "2", "3", "4"])
documents = st.none() | st.dictionaries(subtopic, st.sampled_from([0.0, 1.0, 2.0, -1.0]))
rankings = st.lists(documents, max_size=7)
missing = st.lists(documents.filter(lambda one: one is not None), max_size=4)


@pytest.mark.parametrize("stem", STEMS)
@given(
    collection=diverse_collections(),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    third=st.integers(0, 2),
)
def test_every_variant_over_subtopics_is_what_the_paper_says(
    stem: str, collection: Diverse, ties: Any, third: int
) -> None:
    cases = diverse_cases(stem)
    if len(cases) > 30:
        cases = cases[third::3]
    ev = rm.evaluate(*collection, [case.ours for case in cases], ties=ties)
    assert list(ev.queries) == list(collection.qrels)
    seen = seen_by_reference(collection, ties)
    for case in cases:
        wanted = {
            query_id: reference(stem)(*documents, **case.parameters)
            for query_id, documents in seen.items()
        }
        found = ev.per_query(case.ours)
        agrees("reference", case.ours, found, wanted, rel=1e-11, abs=1e-12)


@given(ranking=rankings, missed=missing, case=st.sampled_from(all_diverse_cases()))
def test_a_measure_over_subtopics_called_on_one_ranking_is_what_the_paper_says(
    ranking: list[Any], missed: list[Any], case: Case
) -> None:
    wanted = case.value(ranking, missed)
    found = case.ours(ranking, missed=missed)
    agrees("reference", case.ours, found, wanted, rel=1e-11, abs=1e-12)


@given(collection=diverse_collections(), case=st.sampled_from(all_diverse_cases()))
def test_a_measure_over_subtopics_called_on_ids_is_what_evaluate_says(
    collection: Diverse, case: Case
) -> None:
    query_id = next(iter(collection.run))
    retrieved = ranked(collection.run[query_id])
    found = case.ours(ranking=retrieved, relevant=collection.qrels[query_id])
    ev = rm.evaluate(*collection, [case.ours], queries=[query_id])
    assert found == pytest.approx(float(ev.scores[0, 0]), rel=1e-12, abs=1e-12)


@given(collection=diverse_collections())
def test_plain_measures_see_the_greatest_label_over_subtopics(collection: Diverse) -> None:
    plain = ["nDCG", "AP", "P@2", "RR(rel=2)", "Judged@3", "NumRel", "NumRelRet", "R(rel=0.5)"]
    wanted = rm.evaluate(collection.plain, collection.run, plain)
    qrels = rm.Qrels(collection.qrels, subtopics=True)
    for ev in (
        rm.evaluate(collection.qrels, collection.run, ["alpha_nDCG", *plain, "StRecall"]),
        rm.evaluate(qrels, collection.run, plain),
    ):
        for name in plain:
            assert ev.per_query(name) == pytest.approx(wanted.per_query(name), rel=1e-14), name
        assert ev.audit.judged_at_10 == wanted.audit.judged_at_10
        assert ev.audit.tied_share == wanted.audit.tied_share


@given(
    collection=diverse_collections(),
    depth=st.sampled_from([None, 1, 2]),
    judged_only=st.booleans(),
    policy=st.sampled_from(["zero", "one", "nan", "skip"]),
)
def test_conventions_hold_for_measures_over_subtopics(
    collection: Diverse, depth: int | None, judged_only: bool, policy: Any
) -> None:
    judged = {query_id: collection.documents(query_id) for query_id in collection.qrels}
    run = {}
    for query_id, scores in collection.run.items():
        kept = ranked(scores)[:depth]
        if judged_only:
            kept = [doc_id for doc_id in kept if doc_id in judged.get(query_id, {})]
        run[query_id] = {doc_id: scores[doc_id] for doc_id in kept}
    assume(all(run.values()))
    names = ["alpha_nDCG@3", "ERR_IA", "NRBP", "AP_IA", "StRecall@2"]
    wanted = rm.evaluate(collection.qrels, run, names)
    ev = rm.evaluate(*collection, names, depth=depth, judged_only=judged_only, no_relevant=policy)
    nothing = {
        query_id: not any(label >= 1 for d in of.values() for label in d.values())
        for query_id, of in judged.items()
    }
    for name in names:
        values = wanted.per_query(name)
        if policy == "skip":
            values = {query_id: v for query_id, v in values.items() if not nothing[query_id]}
        elif policy != "zero":
            instead = 1.0 if policy == "one" else float("nan")
            values = {q: instead if nothing[q] else v for q, v in values.items()}
        assert ev.per_query(name) == pytest.approx(values, rel=1e-13, nan_ok=True), name
