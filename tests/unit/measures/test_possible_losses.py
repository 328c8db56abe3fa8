"""The most that a score can fall if one ranking replaces another, against all judgments."""

import json
from itertools import product

import numpy as np
import pytest

import rankmark as rm
from rankmark.measures.families import possible_losses

MEASURES = (
    *("nDCG@{k}", 'nDCG(gain="exp2")@{k}', 'nDCG(ideal="uncut")@{k}', 'nDCG(ideal="k")@{k}'),
    *("nDCG", "nDCG(discount=2)@{k}", "P@{k}", "R@{k}", 'R(norm="min")@{k}', "R", "Success@{k}"),
    *("F@{k}", "F(beta=2)@{k}", "Rprec", "RR@{k}", "RR", "AP@{k}", 'AP(norm="min")@{k}', "AP"),
    *("ERR(max_rel=2)@{k}", 'ERR(max_rel=2, gain="linear")@{k}', "ERR(max_rel=2)"),
    *("RBP(p=0.8)@{k}", 'RBP(p=0.8, norm="k")@{k}', 'RBP(p=0.8, norm="ideal")@{k}'),
    *("RBP(max_rel=2)@{k}", "RBP"),
)
DOCUMENTS = "abcdef"


def moved(old, new):
    """Return the new rank of each document of the old ranking: (1, ranks)."""
    ranks = {document: float(rank) for rank, document in enumerate(new, 1)}
    return np.array([[ranks.get(document, np.inf) for document in old]])


def largest_loss(old, new, measures):
    """Return the largest loss over all labels from 0 to 2 of six documents, by rankmark itself."""
    qrels, runs = {}, ({}, {})
    for number, labels in enumerate(product(range(3), repeat=len(DOCUMENTS))):
        qrels[str(number)] = dict(zip(DOCUMENTS, labels, strict=True))
        for run, ranking in zip(runs, (old, new), strict=True):
            run[str(number)] = {document: -float(at) for at, document in enumerate(ranking)}
    a, b = (rm.evaluate(qrels, run, measures).scores for run in runs)
    return (a - b).max(axis=0).clip(0)


def random_pair(dice):
    pool = [*dice.permutation([*DOCUMENTS])[: dice.integers(2, 7)]]
    old = [*dice.permutation(pool)[: dice.integers(1, len(pool) + 1)]]
    if dice.random() < 0.3:
        new = old.copy()
        i, j = dice.integers(0, len(old), 2)
        new[i], new[j] = new[j], new[i]
    else:
        new = [*dice.permutation(pool)[: dice.integers(1, len(pool) + 1)]]
    return old, new


def test_no_judgments_lose_more_and_some_lose_as_much():
    dice = np.random.default_rng(1)
    for _ in range(25):
        old, new = random_pair(dice)
        k = int(dice.integers(1, 5))
        measures = [rm.measure(name.format(k=k)) for name in MEASURES]
        found = [one.possible_loss(moved(old, new))[0] for one in measures]
        # Without a cutoff, ranks of both lists count.
        longer = np.full((1, max(len(old), len(new))), np.nan)
        longer[:, : len(old)] = moved(old, new)
        for at, one in enumerate(measures):
            if getattr(one, "k", None) is None:
                found[at] = one.possible_loss(longer)[0]
        np.testing.assert_allclose(
            found, largest_loss(old, new, measures), atol=1e-9, err_msg=f"{old} {new} {k}"
        )


def test_deep_ap_and_err_are_bounds(monkeypatch):
    dice = np.random.default_rng(2)
    measures = [rm.measure(name) for name in ("AP@6", "ERR@6", "RR@6")]
    slack = np.zeros(2)
    for _ in range(100):
        old, new = random_pair(dice)
        given = np.full((1, 6), np.nan)
        given[:, : len(old)] = moved(old, new)
        exact = np.array([one.possible_loss(given)[0] for one in measures])
        with monkeypatch.context() as patch:
            patch.setattr(possible_losses, "EXACT_DEPTH", 1)
            bound = np.array([one.possible_loss(given)[0] for one in measures])
        assert (bound >= exact - 1e-12).all()
        assert bound[1] <= exact[2] + 1e-12  # that of ERR is at most the loss of RR
        slack = np.maximum(slack, (bound - exact)[:2])
    assert (slack > 0).all()
    assert (slack < 0.5).all()


def test_deep_average_precision_by_its_definition():
    dice = np.random.default_rng(3)
    old = [*dice.permutation(30)]
    new = [*dice.permutation(40)]
    k = 30
    ranks = moved(old, new)
    lost = [len({*old[:t]} - {*new[:t]}) for t in range(1, k + 1)]
    assert possible_losses.lost_to_rank(ranks, k)[0].tolist() == lost
    best = 0.0
    for m in range(1, k + 1):
        total = 0.0
        for t in range(1, k + 1):
            v = 1 / k if t == k else 1 / (t * (t + 1))
            first = min(m, t)
            fewer = min(lost[t - 1], first)
            total += v * sum(first - i for i in range(fewer))
        best = max(best, total / m)
    assert rm.AP(k=k).possible_loss(ranks)[0] == pytest.approx(min(best, 1), abs=1e-12)


def test_large_batches_are_the_same_in_parts(monkeypatch):
    dice = np.random.default_rng(4)
    given = np.argsort(dice.random((50, 12)), axis=1)[:, :8] + 1.0
    measures = [rm.measure(name) for name in ("AP@8", "ERR@8")]
    whole = [one.possible_loss(given) for one in measures]
    monkeypatch.setattr(possible_losses, "_CELLS", 700)
    for one, expected in zip(measures, whole, strict=True):
        np.testing.assert_array_equal(one.possible_loss(given), expected)


@pytest.mark.parametrize(
    "name",
    [
        *('nDCG(ideal="retrieved")', "P", 'P(norm="retrieved")@5', "F", "DCG@10", "bpref"),
        *('AP(norm="hits")', 'AP(ties="together")', 'ERR(max_rel="query")', "Judged@10"),
        *("Rprec(multiple=0.5)", 'RBP(norm="k")', 'AP(precision="set")'),
    ],
)
def test_measures_without_one(name):
    assert rm.measure(name).possible_loss(np.array([[2.0, 1.0]])) is None


def test_figures_by_brute_force(shared_data):
    found = json.loads((shared_data.parent / "verdicts/possible_loss/golden.json").read_text())
    names = {
        **{"ndcg": "nDCG@{k}", "precision": "P@{k}", "recall": "R@{k}", "success": "Success@{k}"},
        **{"f1": "F@{k}", "rr": "RR@{k}", "ap": "AP@{k}", "err": "ERR(max_rel=3)@{k}"},
        **{"rbp": "RBP(p=0.8)@{k}", "rprec": "Rprec"},
    }
    for case in found["cases"]:
        old, new, k = case["old"], case["new"], case["k"]
        for way, (a, b) in (("largest_loss", (old, new)), ("largest_gain", (new, old))):
            for name, value in case[way].items():
                measure = rm.measure(names[name].format(k=k))
                given = np.full((1, max(len(a), len(b))), np.nan)
                given[:, : len(a)] = moved(a, b)
                assert measure.possible_loss(given)[0] == pytest.approx(value, abs=1e-9)
