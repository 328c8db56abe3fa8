"""XGBoost."""

from __future__ import annotations

from rankmark.measures import AP, P, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_MINUS = (
    "queries without relevant documents count 0; write the name without the minus, and choose "
    'profile="xgboost(no_relevant=zero)"'
)

PROFILE = Profile(
    name="xgboost",
    tool="XGBoost",
    version="3.2.0",
    source="https://github.com/dmlc/xgboost, src/metric/rank_metric.cc",
    summary="Its metrics of learning to rank; it sees only the rows that it is given.",
    compared="random groups, with ties, in each test run",
    conventions={
        "queries": "both",
        "ties": "input",
        "no_relevant": "one",
        "precision": "float32",
    },
    measures=(
        Meaning(
            "ndcg[@{k}]",
            nDCG(gain="exp2", ideal="retrieved"),
            "with ndcg_exp_gain=false, write nDCG(ideal=retrieved)",
        ),
        Meaning("map[@{k}]", AP(norm="min"), "labels must be 0 or 1"),
        Meaning(
            "pre[@{k}]",
            P(norm="retrieved"),
            "labels must be 0 or 1; divided by the length of a group shorter than k",
            {"no_relevant": "zero"},
        ),
        Meaning("ndcg[@{k}]- | map[@{k}]- | pre[@{k}]-", None, _MINUS),
    ),
    digits=5,
    differences=(
        Difference(
            "map does not know relevant documents that were not retrieved; here it divides by "
            "them, too",
            "relevant documents not retrieved",
            ("map",),
        ),
        Difference(
            "a query counts 1 if none of its relevant documents were retrieved; here 0",
            "nothing relevant retrieved",
            ("ndcg", "map"),
        ),
        Difference("it refuses labels below 0", "negative labels"),
        Difference("map and pre refuse labels above 1", "graded labels", ("map", "pre")),
        Difference("some sums are in single precision, so the sixth digit may differ"),
    ),
)
