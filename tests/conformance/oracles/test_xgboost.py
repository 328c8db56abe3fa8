"""XGBoost's map@k, pre@k and ndcg@k, under the names and conventions that the page maps them to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.voices import xgboost_says

pytest.importorskip("xgboost")

MAPPED = {
    "map": ('AP(norm="min")', "one"),
    "map-": ('AP(norm="min")', "zero"),
    "pre": ('P(norm="retrieved")', "zero"),
    "pre-": ('P(norm="retrieved")', "zero"),
    "ndcg": ('nDCG(gain="exp2")', "one"),
    "ndcg-": ('nDCG(gain="exp2")', "zero"),
}


@given(data=st.data(), name=st.sampled_from(sorted(MAPPED)), k=st.sampled_from([None, 1, 3, 5, 20]))
def test_groups_give_what_xgboost_says(data: st.DataObject, name: str, k: int | None) -> None:
    sizes = data.draw(st.lists(st.integers(2, 12), min_size=1, max_size=5))
    greatest = 3 if name.startswith("ndcg") else 1
    labels = data.draw(st.lists(st.integers(0, greatest), min_size=sum(sizes), max_size=sum(sizes)))
    scores = [n / 8 for n in data.draw(
        st.lists(st.integers(-500, 500), min_size=sum(sizes), max_size=sum(sizes), unique=True)
    )]  # fmt: skip
    stem, minus = name.rstrip("-"), "-" * name.endswith("-")
    said = xgboost_says(labels, scores, sizes, f"{stem}{'' if k is None else f'@{k}'}{minus}")
    ours, no_relevant = MAPPED[name]
    qrels = rm.Qrels(np.array(labels, dtype=float), groups=np.array(sizes))
    measure = rm.measure(ours if k is None else f"{ours}@{k}")
    ev = rm.evaluate(qrels, np.array(scores), measure, ties="input", no_relevant=no_relevant)
    agrees("XGBoost", measure, ev[measure], said, abs=2e-6)


def test_what_xgboost_calls_map_and_pre_at_k_is_not_what_trec_eval_does() -> None:
    labels, scores, sizes = [1, 1, 1], [3.0, 2.0, 1.0], [3]
    qrels = rm.Qrels(np.array(labels, dtype=float), groups=np.array(sizes))
    ev = rm.evaluate(qrels, np.array(scores), ["AP@2", "P@5", 'AP(norm="min")@2', "pre@5"])
    assert xgboost_says(labels, scores, sizes, "map@2") == 1 == ev['AP(norm="min")@2']
    assert ev["AP@2"] == pytest.approx(2 / 3)
    assert xgboost_says(labels, scores, sizes, "pre@5") == 1 == ev['P(norm="retrieved")@5']
    assert ev["P@5"] == 0.6
