"""Train LightGBM's LambdaMART on synthetic data, and reproduce its own nDCG.

Labels and scores are flat arrays, and ``groups`` are the group sizes used by LightGBM.

    python examples/learning_to_rank.py
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import rankmark as rm

FEATURES = 6
MEASURES = ["nDCG@5", "RR(rel=3)", "AP(rel=2)"]
LIGHTGBM = 'nDCG(gain="exp2")@5'


class Data(NamedTuple):
    """Features, labels from 0 to 4, and group sizes, with the rows of all queries concatenated."""

    features: np.ndarray[Any, Any]
    labels: np.ndarray[Any, Any]
    groups: np.ndarray[Any, Any]


def make(queries: int, seed: int) -> Data:
    """Make queries with 5 to 40 documents, whose labels depend on two of the features."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(5, 41, queries)
    features = rng.normal(size=(groups.sum(), FEATURES))
    worth = features[:, 0] + np.abs(features[:, 1]) + rng.normal(scale=0.5, size=len(features))
    return Data(features, np.digitize(worth, [0.5, 1.5, 2.5, 3.5]), groups)


def train(training: Data, test: Data, k: int) -> tuple[Any, float]:
    """Fit LightGBM's ranker; return it with its own nDCG@k on the test data."""
    import lightgbm  # noqa: PLC0415  (optional)

    told: dict[str, Any] = {}
    chosen = {"objective": "lambdarank", "num_leaves": 15, "seed": 0, "deterministic": True}
    chosen |= {"metric": "ndcg", "eval_at": [k], "num_threads": 1, "verbose": -1}
    fitted, checked = (
        lightgbm.Dataset(data.features, data.labels, group=data.groups) for data in (training, test)
    )
    ranker = lightgbm.train(
        chosen,
        fitted,
        num_boost_round=60,
        valid_sets=[checked],
        valid_names=["test"],
        callbacks=[lightgbm.record_evaluation(told)],
    )
    return ranker, float(told["test"][f"ndcg@{k}"][-1])


def main() -> tuple[rm.Evaluation, rm.Evaluation]:
    """Compare the ranker with a single feature, and its nDCG with LightGBM's."""
    test = make(100, seed=2)
    ranker, own = train(make(300, seed=1), test, 5)
    # The labels do not change, so they are prepared once; scores use their groups.
    qrels = rm.Qrels(test.labels, groups=test.groups)
    alone = rm.evaluate(qrels, test.features[:, 0], MEASURES)
    learned = rm.evaluate(qrels, ranker.predict(test.features), MEASURES)
    for name, ev in (("feature 0", alone), ("LambdaMART", learned)):
        print(name, *(f"{measure} {ev[measure]:.4f}" for measure in MEASURES), sep="  ")
    # LightGBM's nDCG has gains 2^label - 1, counts a query without relevant documents as 1, and
    # keeps tied documents in the order given.
    same = rm.evaluate(
        qrels,
        ranker.predict(test.features),
        LIGHTGBM,
        no_relevant="one",
        ties="input",
    )
    print(f"ndcg@5 in LightGBM: {own:.6f}; {LIGHTGBM} in rankmark: {same[LIGHTGBM]:.6f}")
    return alone, learned


if __name__ == "__main__":
    main()
