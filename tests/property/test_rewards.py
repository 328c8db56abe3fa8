"""A reward is what evaluate gives for the query, to the last bit: any measure, any judgments."""

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import Case, all_cases
from generators.forms import WITH_IDS
from generators.random_collections import DOC_IDS, Collection, collections, long_collections
from property.test_diversity import OVER_SUBTOPICS, subtopic
from rankmark.conventions import DECLARED

some_collections = st.one_of(collections(), long_collections())
some_cases = st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=25)
orders = st.sampled_from(["docid", "docid-asc", "input"])
rules = st.sampled_from(["docid", "docid-asc", "input", "mean", "best", "worst"])
conventions = st.fixed_dictionaries(
    {},
    optional={
        "no_relevant": st.sampled_from(DECLARED["no_relevant"].words),
        "depth": st.sampled_from([1, 2, 5]),
        "judged_only": st.booleans(),
        "drop_self": st.booleans(),
        "precision": st.sampled_from(["double", "float32"]),
    },
)
sums = st.sampled_from([case for case in all_cases() if case.ours.term_of is not None])
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning"),
]


def check(qrels: Any, run: Any, measures: Any, given: Any = None, **chosen: Any) -> None:
    """Compare the rewards of a run's rankings, one by one and in a batch, with its evaluation.

    ``given`` are the same judgments in another form.
    """
    run_of_pairs = {query: [*documents.items()] for query, documents in run.items()}
    reward = rm.reward(qrels if given is None else given, measures, **chosen)
    qrels = qrels if isinstance(qrels, rm.Qrels) else rm.Qrels(qrels)
    # Distances are refused by evaluate, and whoever rewards pairs knows what they are.
    held = rm.Run(run_of_pairs, contents="scores")
    ev = rm.evaluate(qrels, held, measures, duplicates="first", **chosen)
    wanted = dict(zip(ev.queries, ev.scores.tolist(), strict=True))
    asked = [query for query in run if query in qrels.query_ids]
    for documents_of in (lambda query: run[query], lambda query: run_of_pairs[query]):
        together = reward.batch(asked, [documents_of(query) for query in asked])
        for query, row in zip(asked, together.tolist(), strict=True):
            for _ in range(2):  # the second one is remembered
                one = reward(query, documents_of(query)).tolist()
                assert_same(one, wanted.get(query, [math.nan] * len(one)))
            assert_same(row, one)


def assert_same(found: list[float], wanted: list[float]) -> None:
    assert np.array(found).tobytes() == np.array(wanted).tobytes()


@given(collection=some_collections, cases=some_cases, ties=orders)
def test_a_reward_has_the_bits_of_evaluate_for_any_measure(
    collection: Collection, cases: list[Case], ties: Any
) -> None:
    check(*collection, [case.ours for case in cases], ties=ties)


@given(
    collection=some_collections,
    cases=st.lists(sums, unique_by=str, min_size=1, max_size=3),
    ties=orders,
    others=st.lists(st.permutations(DOC_IDS), max_size=5),
)
def test_terms_that_are_looked_up_add_up_to_the_bits_of_evaluate(
    collection: Collection, cases: list[Case], ties: Any, others: list[list[str]]
) -> None:
    measures = [case.ours for case in cases]
    check(*collection, measures, ties=ties)
    qrels = rm.Qrels(collection.qrels)
    reward = rm.reward(qrels, measures)
    for query in collection.qrels:
        # The first of as many documents tells the divisors.
        for ranking in [DOC_IDS, *others]:
            wanted = rm.evaluate(qrels, {query: ranking}, measures, queries=[query]).scores[0]
            assert_same(reward(query, ranking).tolist(), wanted.tolist())


@given(collection=collections(), cases=some_cases, ties=rules, chosen=conventions)
def test_a_reward_has_the_bits_of_evaluate_under_any_conventions(
    collection: Collection, cases: list[Case], ties: Any, chosen: Any
) -> None:
    assume(chosen.get("no_relevant") != "skip" or any(map(len, collection.qrels.values())))
    check(*collection, [case.ours for case in cases], ties=ties, **chosen)


@given(
    collection=some_collections,
    cases=some_cases,
    listed=st.lists(st.sampled_from(DOC_IDS), max_size=12),
)
def test_a_list_is_rewarded_as_in_a_run_whatever_it_repeats(
    collection: Collection, cases: list[Case], listed: list[str]
) -> None:
    measures = [case.ours for case in cases]
    reward = rm.reward(collection.qrels, measures)
    for query in collection.qrels:
        once = [*dict.fromkeys(listed)]
        ev = rm.evaluate(collection.qrels, {query: once}, measures, queries=[query])
        assert_same(reward(query, listed).tolist(), ev.scores[0].tolist())
        assert_same(reward(query, tuple(once)).tolist(), ev.scores[0].tolist())


@given(collection=collections(least=1), form=st.sampled_from(sorted(WITH_IDS)))
def test_judgments_of_any_form_give_the_same_rewards(collection: Collection, form: str) -> None:
    collection = collection.without_empty_queries
    qrels, run = collection
    check(qrels, run, ["nDCG@3", "AP", "Judged@2"], WITH_IDS[form](qrels))


@given(
    judged=st.dictionaries(
        st.sampled_from(["q1", "q2"]),
        st.dictionaries(
            subtopic,
            st.dictionaries(st.sampled_from(DOC_IDS[:6]), st.integers(0, 2), min_size=1),
            min_size=1,
        ),
        min_size=1,
    ),
    ranked=st.permutations(DOC_IDS[:7]),
    size=st.integers(0, 7),
)
def test_a_reward_over_subtopics_has_the_bits_of_evaluate(
    judged: Any, ranked: list[str], size: int
) -> None:
    run = {query: {doc: float(-at) for at, doc in enumerate(ranked[:size])} for query in judged}
    run["q2"] = dict.fromkeys(ranked[:3], 1.0)
    qrels = rm.Qrels(judged, subtopics=True)
    check(qrels, run, [*OVER_SUBTOPICS, "nDCG@5", "RR"])


@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["q1", "q2"]),
            st.sampled_from("12"),
            st.sampled_from(["a", "b", "c", "d"]),
            st.integers(0, 3),
        ),
        unique_by=lambda row: row[:3],
        min_size=1,
    ),
    ranked=st.permutations(["a", "b", "c", "d", "e"]),
    judged_only=st.booleans(),
)
def test_a_reward_by_groups_of_judgments_has_the_bits_of_evaluate(
    rows: Any, ranked: list[str], judged_only: bool
) -> None:
    text = "".join(f"{query} {group} {doc} {label}\n" for query, group, doc, label in rows)
    qrels = rm.Qrels(io.BytesIO(text.encode()), format="qrels_jg")
    run = {
        query: {doc: float(-(at // 2)) for at, doc in enumerate(ranked)} for query in ("q1", "q2")
    }
    check(qrels, run, ["nDCG@3", "AP", "Prefs", "NumPrefs"], judged_only=judged_only)


@given(collection=some_collections, ties=rules)
def test_documents_judged_for_other_queries_count_as_in_evaluate(
    collection: Collection, ties: Any
) -> None:
    check(*collection, ["Hole@3", "RR", "RR(ties=mean)@2", "Hole(judged_only=True)@2"], ties=ties)
