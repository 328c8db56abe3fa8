"""Arrays as learning to rank holds them score as scikit-learn and LightGBM score them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

import rankmark as rm

cutoffs = st.sampled_from([1, 3, 5, 10])
seeds = st.integers(0, 2**32)


def ranked_groups(seed: int, *, largest: int) -> tuple[Any, Any, Any]:
    """Give sizes of groups, labels from 0 to 4, and scores without ties."""
    dice = np.random.default_rng(seed)
    sizes = dice.integers(2, largest + 1, size=20)
    rows = int(sizes.sum())
    return sizes, dice.integers(0, 5, size=rows), dice.permutation(rows) / 8


@given(seed=seeds, k=cutoffs)
def test_flat_groups_score_as_scikit_learn_scores_each(seed: int, k: int) -> None:
    sizes, labels, scores = ranked_groups(seed, largest=12)
    ends = np.cumsum(sizes)[:-1]
    groups = zip(np.split(labels, ends), np.split(scores, ends), strict=True)
    theirs = [ndcg_score([label], [score], k=k, ignore_ties=True) for label, score in groups]
    ours = rm.evaluate(labels, scores, rm.nDCG @ k, groups=sizes).scores[:, 0]
    assert ours == pytest.approx(theirs, abs=1e-12)
    queries = np.repeat(np.arange(len(sizes)), sizes).astype(str)
    mixed = np.random.default_rng(seed).permutation(len(labels))
    ev = rm.evaluate(labels[mixed], scores[mixed], rm.nDCG @ k, groups=queries[mixed])
    by_query = ev.per_query(rm.nDCG @ k)
    assert [by_query[str(q)] for q in range(len(sizes))] == pytest.approx(theirs, abs=1e-12)


@given(seed=seeds, k=cutoffs)
def test_dense_arrays_score_as_scikit_learn_scores_them(seed: int, k: int) -> None:
    dice = np.random.default_rng(seed)
    labels = dice.integers(0, 5, size=(8, 15))
    scores = dice.permutation(labels.size).reshape(labels.shape) / 8
    ours = rm.evaluate(labels, scores, rm.nDCG @ k)[rm.nDCG @ k]
    assert ours == pytest.approx(ndcg_score(labels, scores, k=k, ignore_ties=True), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_labels_with_groups_score_as_lightgbm_scores_them(seed: int) -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    sizes, labels, _ = ranked_groups(seed, largest=12)
    features = np.random.default_rng(seed).normal(size=(len(labels), 3)).round(1)
    data = lightgbm.Dataset(features, labels, group=sizes, free_raw_data=False)
    said: dict[str, Any] = {}
    settings = {
        "objective": "lambdarank", "metric": "ndcg", "eval_at": [3, 5],
        "verbose": -1, "min_data_in_leaf": 5, "num_leaves": 4, "num_threads": 1,
    }  # fmt: skip
    booster = lightgbm.train(
        settings, data, 3, valid_sets=[data], callbacks=[lightgbm.record_evaluation(said)]
    )
    ev = rm.evaluate(
        data.get_label(),
        booster.predict(features),
        ['nDCG(gain="exp2")@3', 'nDCG(gain="exp2")@5'],
        groups=data.get_group(),
        ties="input",
        no_relevant="one",
    )
    theirs = [said["training"][f"ndcg@{k}"][-1] for k in (3, 5)]
    assert ev.means == pytest.approx(theirs, abs=1e-12)
    assert ev.audit.tied_share > 0
