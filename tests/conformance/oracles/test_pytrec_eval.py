"""We agree with pytrec_eval, up to the ledger of known differences."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.oracles.trec_eval_names import case_of
from conformance.oracles.voices import (
    bearable_collections,
    bearable_long_collections,
    pytrec_eval_says,
)
from conformance.random_collections import SCORES, Collection

NAMES = (
    "map", "Rprec", "recip_rank", "ndcg", "set_P", "set_recall", "set_relative_P", "set_F",
    "num_q", "num_ret", "num_rel_ret", "num_rel",
    *(
        f"{name}_{k}"
        for name in ("P", "recall", "relative_P", "map_cut", "ndcg_cut", "success")
        for k in (1, 2, 3, 5, 10, 1000)
    ),
)  # fmt: skip


def assert_agreement(
    collection: Collection, level: int, ours: dict[str, Any], **theirs: Any
) -> None:
    """Compare every measure of every query that was judged and answered."""
    said = pytrec_eval_says(*collection, NAMES, relevance_level=level, **theirs)
    cases = {name: case for name in NAMES if (case := case_of(name, level)) is not None}
    ev = rm.evaluate(*collection, [case.ours for case in cases.values()], queries="both", **ours)
    assert set(cases) == set(NAMES)
    for name, case in cases.items():
        assert ev.per_query(str(case.ours)) == pytest.approx(said[name], rel=1e-9, abs=1e-9), name


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
