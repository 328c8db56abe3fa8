"""Functions as people and programs write them are identified."""

from __future__ import annotations

import warnings

import pytest

from rankmark.identifying.ways import parameters
from rankmark.testing import which_convention
from unit.identifying.in_the_wild import EXPECTED


def words(family, name, value):
    """Return how a way that is not usual is described."""
    ways = parameters(family, has_k=True, has_scores=name == "order")[name]
    (way,) = [way for way in ways if way.value == value]
    return way.words


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
    found = which_convention(function)
    assert found.identified, found
    assert found.measure == measure
    assert found.conventions == {name: words(found.family, name, one) for name, one in ways.items()}
    assert found.function == function.__name__


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "arguments", "measure", "tool"),
    [
        ("ndcg_score", "labels[], scores[], k as k=", 'nDCG(ideal="retrieved")', "ndcg_score"),
        ("dcg_score", "labels[], scores[], k as k=", "DCG", "dcg_score"),
        ("average_precision_score", "hits, scores", "AP", "average_precision_score"),
    ],
)
def test_functions_of_scikit_learn_are_identified(function, arguments, measure, tool):
    metrics = pytest.importorskip("sklearn.metrics")
    found = which_convention(getattr(metrics, function))
    assert found.arguments == arguments
    assert found.measure == measure
    ties = next(edge for edge in found.edges if edge.aspect == "ties")
    assert ties.does == ("together" if function.startswith("average") else "mean")
    agreeing = {one.profile: one for one in found.tools}
    assert agreeing["sklearn"].theirs.startswith(tool)
    assert not {"formula", "ties"} & set(agreeing["sklearn"].differs)


@pytest.mark.slow
def test_pytrec_eval_is_identified():
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def evaluated(qrels, run):
        values = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"}).evaluate(run)
        return sum(one["ndcg_cut_10"] for one in values.values()) / len(values)

    found = which_convention(evaluated)
    assert found.measure == "nDCG@10"
    does = {edge.aspect: edge.does for edge in found.edges}
    assert does["ties"] == "docid"
    assert does["queries"] == "both"
    assert does["negative"] == "zero"
    assert does["averaged_no_relevant"] == "zero"
    assert ("pytrec_eval", ()) in {(one.profile, one.differs) for one in found.tools}
