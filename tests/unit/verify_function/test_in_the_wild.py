"""Functions as people and programs write them are identified."""

from __future__ import annotations

import warnings

import pytest

from rankmark.testing import which_convention
from rankmark.verbs.verify_function.formula_table import (
    BY_SCORES,
    CUT,
    ORDER,
    POOLED,
    SCALE,
    WAYS,
    missing,
)
from unit.verify_function.in_the_wild import EXPECTED, identified


def words(family, name, value):
    """Return what a value of a parameter, or of how rankings are read, means."""
    if name == "misses":
        return missing(value).words
    read = {"order": (BY_SCORES, *ORDER), "cut": CUT, "scale": SCALE, "average": [POOLED]}
    ways = read[name] if name in read else WAYS[family][name]
    return next(one.words for one in ways if one.value == value)


@pytest.fixture(autouse=True)
def _quiet():
    """Let functions divide by 0, and say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


@pytest.mark.parametrize(
    ("function", "measure", "ways"), EXPECTED, ids=[row[0].__name__ for row in EXPECTED]
)
def test_functions_in_the_wild_are_identified(function, measure, ways):
    found = identified(function)
    assert found.identified, found
    assert found.measure == measure
    assert found.conventions == {
        name: words(found.family, name, value) for name, value in ways.items()
    }
    assert found.function == function.__name__


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "arguments", "measure", "expect"),
    [
        ("ndcg_score", "labels[], scores[], k as k=", 'nDCG(ideal="retrieved")', "nDCG@10"),
        ("dcg_score", "labels[], scores[], k as k=", "DCG", "DCG@10"),
        ("average_precision_score", "hits, scores", "AP", "AP"),
    ],
)
def test_functions_of_scikit_learn_are_identified(function, arguments, measure, expect):
    metrics = pytest.importorskip("sklearn.metrics")
    found = which_convention(getattr(metrics, function))
    assert found.arguments == arguments
    assert found.measure == measure
    assert not which_convention(getattr(metrics, function), expect="R@5")
    theirs = {"nDCG@10": "ndcg_score@10", "DCG@10": "dcg_score@10", "AP": "average_precision_score"}
    found = which_convention(getattr(metrics, function), expect=theirs[expect], profile="sklearn")
    assert not {"formula", "ties"} & set(found.differs_in)


@pytest.mark.slow
def test_pytrec_eval_is_identified():
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def evaluated(qrels, run):
        values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(run)
        return sum(one["ndcg_cut_10"] for one in values.values()) / len(values)

    found = which_convention(evaluated)
    assert found.measure == "nDCG@10"
    does = {edge.aspect: edge.does for edge in found.edges}
    assert does["queries"] == "both"
    assert does["averaged_no_relevant"] == "zero"
    assert which_convention(evaluated, expect="ndcg_cut_10", profile="pytrec_eval")
