"""We agree with pytrec_eval, up to the ledger of known differences."""

import math
import statistics
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.trec_eval_names import case_of
from conformance.oracles.voices import (
    bearable_collections,
    bearable_long_collections,
    pytrec_eval_says,
)
from generators.random_collections import SCORES, Collection

NAMES = (
    "map", "Rprec", "recip_rank", "ndcg", "set_P", "set_recall", "set_relative_P", "set_F",
    "num_q", "num_ret", "num_rel_ret", "num_rel", "num_nonrel_judged_ret", "set_map", "bpref",
    "infAP", "11pt_avg", "utility", "binG", "G", "ndcg_rel", "Rndcg",
    *(
        f"{name}_{k}"
        for name in ("P", "recall", "relative_P", "map_cut", "ndcg_cut", "success")
        for k in (1, 2, 3, 5, 10, 1000)
    ),
    *(f"iprec_at_recall_{tenths / 10:.2f}" for tenths in range(11)),
    *(f"Rprec_mult_{fifths / 5:.2f}" for fifths in range(1, 11)),
)  # fmt: skip
COUNTS = ("NumRet", "NumRel")


def assert_agreement(
    collection: Collection, level: int, ours: dict[str, Any], **theirs: Any
) -> None:
    """Compare every measure of every query that was judged and answered."""
    said = pytrec_eval_says(*collection, NAMES, relevance_level=level, **theirs)
    cases = {name: case for name in NAMES if (case := case_of(name, level, 9)) is not None}
    ev = rm.evaluate(*collection, [case.ours for case in cases.values()], queries="both", **ours)
    assert set(cases) == set(NAMES)
    # Rndcg: see the ledger for a ranking of one document more than have a gain; and it is 0 where
    # nothing reaches the level, though the level plays no other part in it (m_Rndcg.c).
    counts = rm.evaluate(*collection, COUNTS, queries="both", **ours)
    retrieved, gained = (counts.per_query(name) for name in COUNTS)
    relevant = ev.per_query(str(cases["num_rel"].ours))
    comparable = [q for q in relevant if relevant[q] and retrieved[q] != gained[q] + 1]
    for name, case in cases.items():
        found = ev.per_query(str(case.ours))
        expected = said[name]
        if case.stem == "iprec":  # 0 divided by 0 where nothing is left of a ranking
            expected = {q: value if retrieved[q] else 0.0 for q, value in expected.items()}
        if name == "Rndcg":
            found = {query_id: found[query_id] for query_id in comparable}
            expected = {query_id: expected[query_id] for query_id in comparable}
        agrees("pytrec_eval", case.ours, found, expected, rel=1e-9, abs=1e-9)


@given(collection=bearable_collections(), level=st.sampled_from([1, 2, 4]))
def test_every_measure_agrees_at_every_level(collection: Collection, level: int) -> None:
    assert_agreement(collection, level, {})


@given(collection=bearable_collections(scores=SCORES))
def test_scores_of_any_precision_agree_where_ours_are_rounded_as_theirs(
    collection: Collection,
) -> None:
    assert_agreement(collection, 1, {"precision": "float32"})


@given(collection=bearable_long_collections())
def test_long_rankings_agree(collection: Collection) -> None:
    assert_agreement(collection, 1, {})


@given(collection=bearable_collections(labels=(0.0, 1.0, 2.0)))
def test_condensed_rankings_agree_where_no_label_is_negative(collection: Collection) -> None:
    assert_agreement(collection, 1, {"judged_only": True}, judged_docs_only_flag=True)


@given(collection=bearable_collections(), level=st.sampled_from([1, 2]))
def test_geometric_means_agree(collection: Collection, level: int) -> None:
    # Its figure of a query is the logarithm; trec_eval prints e to the power of their mean.
    said = pytrec_eval_says(*collection, ["gm_map", "gm_bpref"], relevance_level=level)
    cases = {name: case_of(name, level).ours for name in said}
    ev = rm.evaluate(*collection, list(cases.values()), queries="both")
    for name, ours in cases.items():
        theirs = math.exp(statistics.fmean(said[name].values()))
        agrees("pytrec_eval", ours, ev[ours], theirs, rel=1e-9)
