"""Warnings about judges: each where its condition holds, and none where it does not."""

import random
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.conventions import Conventions
from rankmark.judges.agreement.judgment_warnings import likenesses

Judgments = dict[str, dict[str, float]]
QUERIES = [f"q{at}" for at in range(40)]
DOCS = [f"d{at:02d}" for at in range(20)]


def codes(found: Any) -> list[str]:
    return [doubt.code for doubt in found.doubts]


def drawn(seed: int, noise: float, truth: Judgments | None = None) -> Judgments:
    """Draw labels 0 to 2, or those of a truth with noise."""
    generator = random.Random(seed)
    return {
        query: {
            doc: generator.choice([0, 1, 2])
            if truth is None or generator.random() < noise
            else truth[query][doc]
            for doc in DOCS
        }
        for query in QUERIES
    }


PEOPLE = drawn(1, 0.0)
MODEL = drawn(2, 0.3, PEOPLE)


def run_of(labels: Judgments, seed: int, noise: float) -> Judgments:
    """Return a run that orders documents by labels with noise."""
    generator = random.Random(seed)
    return {
        query: {doc: label + generator.gauss(0, noise) for doc, label in of.items()}
        for query, of in labels.items()
    }


def test_judges_who_differ_by_chance_alone_raise_no_doubt() -> None:
    runs = {f"s{at}": run_of(PEOPLE, at, 1 + at / 4) for at in range(6)}
    found = rm.compare_judgments(PEOPLE, MODEL, runs=runs)
    assert codes(found) == []


def test_holes_are_told_from_one_in_a_hundred_on() -> None:
    many = {query: of | {f"x{at}": 0 for at in range(5)} for query, of in MODEL.items()}
    found = rm.compare_judgments(PEOPLE, many)
    assert codes(found) == ["holes"]
    assert found.warnings[0].startswith(
        "people did not judge 200 of the documents that model judged in the same queries (20%)"
    )
    few = MODEL | {"q0": MODEL["q0"] | {"x": 0}}
    assert codes(rm.compare_judgments(PEOPLE, few)) == []
    # Queries that only one has are no holes.
    assert codes(rm.compare_judgments(PEOPLE, MODEL | {"z": {"a": 1}})) == []


def test_drift_needs_size_and_certainty() -> None:
    raised = {
        q: {d: min(x + (x == 0 and d < "d08"), 2) for d, x in of.items()} for q, of in MODEL.items()
    }
    assert codes(rm.compare_judgments(PEOPLE, raised)) == ["label-drift"]
    slightly = {
        q: {d: x + (x == 0 and d < "d01") for d, x in of.items()} for q, of in MODEL.items()
    }
    assert codes(rm.compare_judgments(PEOPLE, slightly)) == []  # certain, but small
    people = {"q1": {"a": 0, "b": 1}, "q2": {"a": 0, "b": 1}, "q3": {"a": 0, "b": 0}}
    model = {"q1": {"a": 0, "b": 1}, "q2": {"a": 1, "b": 1}, "q3": {"a": 0, "b": 0}}
    assert "label-drift" not in codes(rm.compare_judgments(people, model))  # large, but uncertain


def test_few_queries_are_told() -> None:
    def of_first(queries: int) -> Any:
        return rm.compare_judgments({q: PEOPLE[q] for q in QUERIES[:queries]}, MODEL)

    assert codes(of_first(20)) == []
    assert codes(of_first(19)) == ["few-queries"]
    assert "have 19 queries in common; with fewer than 20" in of_first(19).warnings[0]
    assert "have one query in common" in of_first(1).warnings[0]


def test_a_judge_that_is_the_ranker_is_named() -> None:
    ranker = run_of(PEOPLE, 3, 1.2)
    cut = {q: np.quantile([*of.values()], [0.5, 0.8]) for q, of in ranker.items()}
    judge = {
        q: {d: float(np.searchsorted(cut[q], x)) for d, x in of.items()} for q, of in ranker.items()
    }
    runs = {"own": ranker, "other": run_of(PEOPLE, 4, 1.2)}
    found = rm.compare_judgments(PEOPLE, judge, runs=runs)
    named = [one.text for one in found.doubts if one.code == "judge-may-be-ranker"]
    assert len(named) == 1
    assert named[0].startswith("the order of own agrees far more with the labels of model (rho ")
    # An independent judge follows the run no more than people do.
    fair = rm.compare_judgments(PEOPLE, MODEL, runs=runs)
    assert "judge-may-be-ranker" not in codes(fair)


def test_correlations_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    run = run_of(PEOPLE, 5, 1.0)
    run["q1"] = {doc: score for doc, score in run["q1"].items() if doc < "d10"}
    people = PEOPLE | {"q2": {d: x for d, x in PEOPLE["q2"].items() if d > "d05"}}
    (found,) = likenesses(
        (rm.Qrels(people), rm.Qrels(MODEL)), {"s": rm.Run(run)}, Conventions(), 0.95
    )
    wanted = []
    for judge in (people, MODEL):
        rhos = []
        for query in QUERIES:
            docs = [doc for doc in run[query] if doc in people[query]]
            scores, labels = ([of[query][doc] for doc in docs] for of in (run, judge))
            rhos.append(stats.spearmanr(scores, labels).statistic)
        wanted.append(float(np.mean(rhos)))
    assert (found.first, found.second) == pytest.approx(tuple(wanted), abs=1e-12)
    assert found.difference.estimate == pytest.approx(wanted[1] - wanted[0], abs=1e-12)


def test_a_judge_that_favours_a_system_is_told() -> None:
    runs = {f"s{at}": run_of(PEOPLE, at, 2.0) for at in range(6)}
    best = {q: sorted(of, key=of.__getitem__, reverse=True)[:10] for q, of in runs["s0"].items()}
    biased = {q: {d: 2.0 if d in best[q] else x for d, x in of.items()} for q, of in MODEL.items()}
    found = rm.compare_judgments(PEOPLE, biased, runs=runs)
    told = {doubt.code: doubt.text for doubt in found.doubts}
    assert "compared with the mean change, s0 by +" in told["unequal-inflation"]
    # All labels higher: inflated, and equally so.
    equal = {q: {d: min(x + 1, 2.0) for d, x in of.items()} for q, of in MODEL.items()}
    assert "unequal-inflation" not in codes(rm.compare_judgments(PEOPLE, equal, runs=runs))


def test_a_top_of_equal_systems_is_not_resolved() -> None:
    runs = {f"s{at}": run_of(PEOPLE, at, 1.0) for at in range(8)}
    found = rm.compare_judgments(PEOPLE, MODEL, runs=runs)
    assert "top-not-resolved" in codes(found)
    apart = {f"s{at}": run_of(PEOPLE, at, 0.3 + 0.9 * at) for at in range(8)}
    assert "top-not-resolved" not in codes(rm.compare_judgments(PEOPLE, MODEL, runs=apart))


def test_unequal_pools_are_told_unless_only_common_pairs_count() -> None:
    runs = {f"s{at}": run_of(PEOPLE, at, 1 + at / 4) for at in range(4)}
    half = {q: {d: x for d, x in of.items() if d < "d10"} for q, of in PEOPLE.items()}
    found = rm.compare_judgments(half, MODEL, runs=runs)
    assert "judged-apart" in codes(found)
    common = rm.compare_judgments(half, MODEL, runs=runs, pairs="common")
    assert "judged-apart" not in codes(common)
    assert common.leaderboards is not None
    shares = common.leaderboards.judged_shares
    assert shares is not None
    assert all(one.share_a == one.share_b for one in shares)
