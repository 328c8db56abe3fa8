"""rankmark.compat.ranx against ranx, where it is installed; its first call takes a minute."""

import numpy as np
import pytest

from rankmark.compat import ranx as face

theirs = pytest.importorskip("ranx")
pytestmark = pytest.mark.filterwarnings("ignore")  # numba's, of unsafe casts

CUT = ("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map")
CUT += ("dcg", "dcg_burges", "ndcg", "ndcg_burges")
METRICS = [*CUT, "r-precision", "rbp.9", *(f"{name}@{k}" for name in CUT for k in (1, 10))]
METRICS += [f"{name}-l2" for name in METRICS] + ["ndcg-l3", "map-l0"]


def collection(rng):
    """Judgments and a run with ties of all sizes, unjudged documents, and nothing relevant."""
    documents, levels = rng.integers(1, 120), rng.choice([1, 2, 6, 50, 10**9])
    qrels, run = {}, {}
    for query in map(str, rng.permutation(rng.integers(1, 8))):
        judged, found = (rng.permutation(documents)[: rng.integers(1, documents + 1)] for _ in "12")
        labels = rng.integers(-1, rng.integers(1, 5), len(judged))
        qrels[query] = {f"d{i}": int(label) for i, label in zip(judged, labels, strict=True)}
        scores = rng.integers(0, levels, len(found)) - levels / 2
        run[query] = {f"d{i}": float(score) for i, score in zip(found, scores, strict=True)}
    return qrels, run


def agree(qrels, run, **options):
    expected = theirs.evaluate(*of(theirs, qrels, run), METRICS, return_mean=False, **options)
    found = face.evaluate(*of(face, qrels, run), METRICS, return_mean=False, **options)
    for name in METRICS:
        assert found[name] == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name


def of(module, qrels, run):
    return (module.Qrels(qrels), module.Run(run)) if run is not None else qrels


@pytest.mark.parametrize("seed", range(20))
def test_numbers_and_orders_are_the_same(seed):
    rng = np.random.default_rng(seed)
    qrels, run = collection(rng)
    agree(qrels, run)
    agree((qrels, run), None)
    fewer = dict(list(run.items())[1:]) or run
    agree(qrels, {**fewer, "unjudged": run[next(iter(run))]}, make_comparable=True)
    mine, others = (
        module.Run(run).make_comparable(module.Qrels(qrels)) for module in (face, theirs)
    )
    assert [*mine.to_dict()] == [*others.to_dict()]
    for query in mine.get_query_ids():
        assert list(mine[query].items()) == list(others[query].items())


def test_comparisons_are_the_same():
    rng = np.random.default_rng(3)
    qrels, run = {str(q): {f"d{i}": int(i % 7 == q % 7) for i in range(30)} for q in range(12)}, []
    for _ in range(3):
        noise = rng.normal(size=(12, 30))
        run.append(
            {q: {d: noise[int(q), i] for i, d in enumerate(docs)} for q, docs in qrels.items()}
        )
    mine, others = (
        module.compare(
            module.Qrels(qrels),
            [module.Run(one, name=f"m_{i}" if i else None) for i, one in enumerate(run)],
            ["map", "ndcg@10", "hit_rate@1", "rbp.9-l1"],
            max_p=0.4,
        )
        for module in (face, theirs)
    )
    for one in mine.differences:
        other = others.comparisons[one.run, one.baseline][one.measure]
        assert one.p == pytest.approx(other["p_value"], rel=1e-9)
        assert one.significant == other["significant"]
