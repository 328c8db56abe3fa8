"""We agree with scikit-learn where tied scores are taken together, and on pairs and depth."""

import statistics
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import rankmark as rm
from conformance.agreement import agrees

Rows = list[tuple[bool, float]]

# Few scores, so that nearly all rows tie; both kinds of row are there.
scores = st.sampled_from([0.0, 0.5, 1.0, 2.5])
rows = st.lists(st.tuples(st.booleans(), scores), min_size=2, max_size=15)
mixed = rows.filter(lambda rows: len({relevant for relevant, _ in rows}) == 2)


def ours(rows: Rows, measure: Any, **conventions: Any) -> float:
    """Evaluate one query of these rows."""
    qrels = {"q": {f"d{n}": int(relevant) for n, (relevant, _) in enumerate(rows)}}
    run = {"q": {f"d{n}": score for n, (_, score) in enumerate(rows)}}
    return rm.evaluate(qrels, run, measure, **conventions)[measure]


def theirs(rows: Rows, name: str, *, of_rows: bool) -> float:
    """Ask scikit-learn, which takes one query, or a matrix of them."""
    relevant, score = (np.array(column) for column in zip(*rows, strict=True))
    relevant = relevant.astype(int)
    if of_rows:
        relevant, score = relevant[None], score[None]
    return float(getattr(metrics, name)(relevant, score))


@given(rows=mixed, ties=st.sampled_from(["docid", "docid-asc", "input"]))
def test_tied_scores_are_taken_together_as_scikit_learn_takes_them(rows: Rows, ties: Any) -> None:
    for measure, name, of_rows in (
        (rm.AP(ties="together"), "average_precision_score", False),
        (rm.AP(ties="together"), "label_ranking_average_precision_score", True),
        (rm.AUC, "roc_auc_score", False),
        (rm.RankingLoss, "label_ranking_loss", True),
        (rm.CoverageError, "coverage_error", True),
    ):
        said = theirs(rows, name, of_rows=of_rows)
        found = ours(rows, measure, ties=ties)
        agrees("scikit-learn", measure, found, said, rel=1e-12, abs=1e-12)


@given(relevant=st.booleans(), rows=rows)
def test_rows_of_one_kind_lose_nothing_in_scikit_learn_and_here(relevant: bool, rows: Rows) -> None:
    rows = [(relevant, score) for _, score in rows]
    assert theirs(rows, "label_ranking_loss", of_rows=True) == ours(rows, rm.RankingLoss) == 0
    assert theirs(rows, "coverage_error", of_rows=True) == ours(rows, rm.CoverageError)
    said = theirs(rows, "label_ranking_average_precision_score", of_rows=True)
    one = rm.AP(ties="together")
    assert said == ours(rows, one, no_relevant="one") == 1


@given(many=st.lists(mixed, min_size=1, max_size=5))
def test_the_mean_over_queries_is_the_mean_over_rows(many: list[Rows]) -> None:
    qrels = {
        f"q{q}": {f"d{n}": int(relevant) for n, (relevant, _) in enumerate(rows)}
        for q, rows in enumerate(many)
    }
    run = {
        f"q{q}": {f"d{n}": score for n, (_, score) in enumerate(rows)}
        for q, rows in enumerate(many)
    }
    said = statistics.fmean(theirs(rows, "roc_auc_score", of_rows=False) for rows in many)
    found = rm.evaluate(qrels, run, rm.AUC)[rm.AUC]
    agrees("scikit-learn", rm.AUC, found, said, rel=1e-12, abs=1e-12)
