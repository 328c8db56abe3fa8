"""rankmark.compat.sklearn gives scikit-learn's numbers and refuses what it refuses."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics

from conformance.agreement import agrees
from rankmark import RankmarkWarning
from rankmark.compat import sklearn as face

RANKING = ("label_ranking_average_precision_score", "label_ranking_loss", "coverage_error")
MEASURES = {
    "ndcg_score": "nDCG",
    "dcg_score": "DCG",
    "average_precision_score": "AP",
    "label_ranking_average_precision_score": "AP",
    "label_ranking_loss": "RankingLoss",
    "coverage_error": "CoverageError",
}
AVERAGES = ("macro", "micro", "weighted", "samples", None)
# Both warn of labels without positives.
pytestmark = pytest.mark.filterwarnings("ignore:.*[Nn]o positive")


def outcome(module, name, *args, **options):
    """Return the value, or ValueError if that is how it was refused."""
    try:
        return getattr(module, name)(*args, **options)
    except ValueError:
        return ValueError


def agree(name, *args, **options):
    theirs = outcome(sklearn.metrics, name, *args, **options)
    ours = outcome(face, name, *args, **options)
    if theirs is ValueError or ours is ValueError:
        assert ours is theirs, (name, options, args)
    else:
        agrees("scikit-learn", MEASURES[name], ours, theirs, rel=1e-12, abs=1e-12)


def random_scores(rng, shape):
    """Scores without ties, with some, and all tied."""
    kinds = (rng.random(shape), rng.integers(-3, 3, shape), np.full(shape, 0.5))
    return kinds[rng.integers(len(kinds))]


@pytest.mark.parametrize("seed", range(60))
def test_gains_agree_with_ties_weights_cutoffs_and_degenerate_rows(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 6), rng.integers(1, 40)
    labels = (
        rng.integers(0, 4, shape),
        rng.random(shape),
        rng.integers(-2, 3, shape),
        np.zeros(shape),
    )[rng.integers(4)]
    scores = random_scores(rng, shape)
    options = {
        "k": (None, 1, 10)[rng.integers(3)],
        "sample_weight": (None, rng.random(shape[0]))[rng.integers(2)],
        "ignore_ties": bool(rng.integers(2)),
    }
    agree("ndcg_score", labels, scores, **options)
    agree("dcg_score", labels, scores, log_base=(2, np.e, 10)[rng.integers(3)], **options)


@pytest.mark.parametrize("seed", range(60))
def test_binary_scores_agree_with_ties_weights_and_degenerate_rows(seed):
    rng = np.random.default_rng(seed)
    shape = queries, _ = rng.integers(1, 6), rng.integers(1, 30)
    labels = (rng.random(shape) < rng.random((queries, 1))).astype((int, float, bool)[seed % 3])
    labels[0] = seed % 2  # nothing or everything relevant
    scores = random_scores(rng, shape)
    weights = (None, rng.random(queries))[rng.integers(2)]
    for name in RANKING:
        agree(name, labels, scores, sample_weight=weights)
    for average in AVERAGES:
        agree("average_precision_score", labels, scores, average=average, sample_weight=weights)
    flat = labels.ravel(), scores.ravel()
    agree("average_precision_score", *flat)
    agree("average_precision_score", *flat, sample_weight=rng.integers(0, 3, len(flat[0])))
    words = np.array(["no", "yes"])[flat[0].astype(int)]
    agree("average_precision_score", words, flat[1], pos_label="yes")
    grades = rng.integers(0, 4, queries)
    by_class = rng.random((queries, len(set(grades.tolist()))))
    agree("average_precision_score", grades, by_class, average=AVERAGES[seed % 3])


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("name", RANKING[:2])
def test_labels_may_be_sparse(name, form):
    labels, scores = np.array([[1, 0, 0], [0, 1, 1]]), [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    assert getattr(face, name)(form(labels), scores) == getattr(face, name)(labels, scores)


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("ndcg_score", ([1, 0], [0.1, 0.2]), {}),
        ("ndcg_score", ([[1, -1]], [[0.1, 0.2]]), {}),
        ("ndcg_score", ([[1]], [[0.1]]), {}),
        ("ndcg_score", ([[1, 0]], [[0.1, 0.2]]), {"k": 0}),
        ("ndcg_score", ([[1, 0]], [[0.1, np.nan]]), {}),
        ("dcg_score", ([[1, 0]], [[0.1, 0.2]]), {"log_base": 0}),
        ("dcg_score", ([[1, 0]], [[0.1, 0.2]]), {"sample_weight": [1, 2]}),
        ("dcg_score", ([[1, 0]], [[0.1, 0.2, 0.3]]), {}),
        ("coverage_error", ([[2, 0, 1]], [[0.1, 0.2, 0.3]]), {}),
        ("label_ranking_loss", ([[0.5, 0]], [[0.1, 0.2]]), {}),
        ("average_precision_score", ([[1, 0]], [[0.1, 0.2]]), {"average": "mean"}),
        ("average_precision_score", ([0, 1], [0.1, 0.2]), {"pos_label": 2}),
        ("average_precision_score", ([0.5, 0.7], [0.1, 0.2]), {}),
        ("average_precision_score", ([0, 1, 2], np.array([0.1, 0.2, 0.3])), {}),
    ],
)
def test_what_it_refuses_is_refused(name, args, options):
    for module in (sklearn.metrics, face):
        with pytest.raises(ValueError, match=r"\S"):
            getattr(module, name)(*args, **options)


def test_a_query_without_relevant_documents_is_warned_of():
    with pytest.warns(
        RankmarkWarning, match="^No positive class found in y_true, recall is set to one"
    ):
        assert face.average_precision_score([0, 0], [0.1, 0.2]) == 0.0


@pytest.mark.filterwarnings("ignore:invalid value")  # scikit-learn's own 0 / 0
def test_weights_that_are_all_0_have_no_score():
    labels, scores, none = [[1, 0, 1], [0, 1, 0]], [[0.1, 0.4, 0.3], [0.2, 0.9, 0.5]], [0, 0]
    for average in ("macro", "micro", "weighted", None):
        agree("average_precision_score", labels, scores, average=average, sample_weight=none)
    agree("average_precision_score", [1, 0], [0.1, 0.4], sample_weight=none)
    theirs, ours = (
        outcome(module, RANKING[0], labels, scores, sample_weight=none)
        for module in (sklearn.metrics, face)
    )
    assert np.isnan(theirs)
    assert np.isnan(ours)


def test_weights_below_0_are_refused():
    given = [1, 1, 0], [0.1, 0.4, 0.4]
    with pytest.raises(ValueError, match="sample_weight contains -1; need numbers from 0"):
        face.average_precision_score(*given, sample_weight=[1, 1, -1])
