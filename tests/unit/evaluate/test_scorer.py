"""rankmark.scorer in scikit-learn's cross-validation."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    cross_validate,
)

import rankmark as rm

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 3))
Y = np.clip(np.round(X[:, 0] + RNG.normal(size=120)), 0, 3).astype(int)
QUERIES = np.repeat(np.arange(20), 6)
FOLDS = GroupKFold(3)


def by_hand(name="nDCG@3", model=Ridge, **choices):
    """Return the score of each fold."""
    found = []
    for train, test in FOLDS.split(X, Y, QUERIES):
        predicted = model().fit(X[train], Y[train]).predict(X[test])
        groups = QUERIES[test].astype(str)
        found.append(rm.evaluate(Y[test], predicted, name, groups=groups, **choices)[name])
    return found


def test_routing_passes_the_groups_of_each_fold():
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_validate(
            Ridge(), X, Y, params={"groups": QUERIES}, cv=FOLDS, scoring=rm.scorer("nDCG@3")
        )
        renamed = rm.scorer("nDCG@3").set_score_request(groups="qid")
        again = cross_validate(
            Ridge(), X, Y, params={"groups": QUERIES, "qid": QUERIES}, cv=FOLDS, scoring=renamed
        )
        search = GridSearchCV(Ridge(), {"alpha": [1.0, 1e9]}, cv=FOLDS, scoring=rm.scorer("AP"))
        search.fit(X, Y, groups=QUERIES)
        whole = search.score(X, Y, groups=QUERIES)
    assert scores["test_score"].tolist() == again["test_score"].tolist() == by_hand()
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(by_hand("AP")))
    assert 0 < whole <= 1


@pytest.mark.slow
def test_groups_that_the_scorer_knows_need_no_routing():
    frame, labels = pd.DataFrame(X, columns=list("abc")), pd.Series(Y)
    shuffled = RNG.permutation(120)
    queries = pd.Series(QUERIES)[shuffled]  # found by index
    series = rm.scorer("nDCG@3", groups=queries)
    column = rm.scorer("nDCG@3", groups="qid")
    for x, y in ((frame, Y), (X, labels)):
        given = {"groups": QUERIES, "cv": FOLDS, "scoring": series}
        assert cross_val_score(Ridge(), x, y, **given).tolist() == by_hand()
    model = Ridge().fit(X, Y)
    assert column(_Without("qid", model), frame.assign(qid=QUERIES), Y) == pytest.approx(
        rm.scorer("nDCG@3")(model, X, Y, groups=QUERIES)
    )


class _Without:
    def __init__(self, column, model):
        self.column, self.model = column, model

    def predict(self, frame):
        return self.model.predict(frame.drop(columns=self.column).to_numpy())


def test_several_measures_and_measures_that_should_be_low():
    several = rm.scorer(["nDCG@3", "CoverageError"], groups=pd.Series(QUERIES), ties="mean")
    scores = cross_validate(Ridge(), X, pd.Series(Y), groups=QUERIES, cv=FOLDS, scoring=several)
    assert scores["test_nDCG@3"].tolist() == by_hand(ties="mean")
    assert (-scores["test_CoverageError"]).tolist() == by_hand("CoverageError", ties="mean")
    single = rm.scorer("CoverageError")(Ridge().fit(X, Y), X, Y, groups=QUERIES)
    assert single < 0


def test_a_profile_gives_the_conventions_of_a_tool():
    model, tied = Ridge().fit(X, Y), (lambda fitted, x: fitted.predict(x).round())
    averaged = rm.scorer("ndcg_score@3", profile="sklearn", response=tied)
    expected = rm.scorer('nDCG(ideal="retrieved")@3', ties="mean", response=tied)
    assert averaged(model, X, Y, groups=QUERIES) == expected(model, X, Y, groups=QUERIES)


def test_a_classifier_is_scored_by_its_decision_function():
    model, labels = LogisticRegression().fit(X, Y > 1), (Y > 1).astype(int)
    groups = QUERIES.astype(str)
    decided = rm.evaluate(labels, model.decision_function(X), "AP", groups=groups)["AP"]
    assert rm.scorer("AP")(model, X, labels, groups=QUERIES) == decided
    likely = rm.scorer("AP", response="predict_proba")
    assert likely(model, X, labels, groups=QUERIES) == decided
    own = rm.scorer("AP", response=lambda fitted, x: -fitted.decision_function(x))
    assert own(model, X, labels, groups=QUERIES) < decided


def test_rows_of_several_labels_are_queries():
    many = RNG.integers(0, 2, (120, 4))
    given = {"cv": KFold(3), "scoring": rm.scorer("nDCG", ties="mean")}
    theirs = sklearn.metrics.make_scorer(sklearn.metrics.ndcg_score)
    expected = cross_val_score(Ridge(), X, many, cv=KFold(3), scoring=theirs)
    assert cross_val_score(Ridge(), X, many, **given) == pytest.approx(expected)


def test_a_scorer_is_pickled_and_shown():
    scorer = rm.scorer("ndcg_cut_3")
    model = Ridge().fit(X, Y)
    again = pickle.loads(pickle.dumps(scorer))
    assert repr(again) == repr(scorer) == "<scorer of nDCG@3>"
    assert again(model, X, Y, groups=QUERIES) == scorer(model, X, Y, groups=QUERIES)


@pytest.mark.slow
def test_misuse_is_refused_with_what_to_do():
    model = Ridge().fit(X, Y)
    with pytest.raises(rm.InputError, match=r"no groups.*metadata routing"):
        rm.scorer("nDCG@3")(model, X, Y)
    with pytest.raises(rm.InputError, match="no column 'qid'"):
        rm.scorer("nDCG@3", groups="qid")(model, X, Y)
    with pytest.raises(rm.InputError, match="neither X nor y has an index"):
        rm.scorer("nDCG@3", groups=pd.Series(QUERIES))(model, X, Y)
    with pytest.raises(rm.SchemaError, match=r"shape \(120, 4\).*response"):
        rm.scorer("nDCG@3")(LogisticRegression().fit(X, Y), X, Y, groups=QUERIES)
    elsewhere = pd.Series(QUERIES, index=np.arange(len(Y)) + 500)
    with pytest.raises(rm.InputError, match="lacks rows of the index"):
        rm.scorer("nDCG@3", groups=elsewhere)(model, X, pd.Series(Y))
    # Cross-validation would only warn, and give NaN.
    with pytest.raises(rm.InputError, match="ties is 'meen'"):
        rm.scorer("nDCG@3", ties="meen")
    with pytest.raises(rm.InputError, match="groups is 5; need the name of a column"):
        rm.scorer("nDCG@3", groups=5)
    with pytest.raises(rm.MeasureError):
        rm.scorer("nope")
