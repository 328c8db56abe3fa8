"""scikit-learn."""

from __future__ import annotations

from rankmark.measures import AP, AUC, DCG, CoverageError, RankingLoss, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="sklearn",
    tool="scikit-learn",
    version="1.9.1",
    source="https://scikit-learn.org, sklearn.metrics",
    summary="Its ranking metrics, with a row for each query; it sees only documents with a score.",
    compared="random rows, with ties, in each test run",
    conventions={"ties": "mean"},
    measures=(
        Meaning("ndcg_score | ndcg_score(k={k}) | ndcg_score@{k}", nDCG(ideal="retrieved")),
        Meaning("dcg_score | dcg_score(k={k}) | dcg_score@{k}", DCG),
        Meaning(
            "average_precision_score",
            AP(norm="hits", ties="together"),
            "documents with equal scores have the last rank of their tie",
        ),
        Meaning(
            "label_ranking_average_precision_score | LRAP",
            AP(ties="together"),
            "1 for a query without relevant documents",
            {"no_relevant": "one"},
        ),
        Meaning("roc_auc_score", AUC(norm="hits")),
        Meaning("label_ranking_loss", RankingLoss),
        Meaning("coverage_error", CoverageError),
    ),
    differences=(
        Difference(
            "relevant documents without a score are unknown to it; here they count as not found",
            "relevant documents not retrieved",
            ("label_ranking_average_precision_score", "label_ranking_loss", "coverage_error"),
        ),
        Difference(
            "dcg_score counts a label below 0 as a negative gain, and ndcg_score refuses it; here "
            "its gain is 0",
            "negative labels",
            ("dcg_score", "ndcg_score"),
        ),
        Difference(
            "roc_auc_score is undefined, with a warning, if no document of a query is relevant; "
            "here it is 0, and left out with no_relevant=skip",
            "nothing relevant",
            ("roc_auc_score",),
        ),
        Difference(
            "roc_auc_score is undefined, with a warning, if all documents of a query are relevant; "
            "here it is 1",
            "everything relevant",
            ("roc_auc_score",),
        ),
    ),
)
