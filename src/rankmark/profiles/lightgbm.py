"""LightGBM."""

from __future__ import annotations

from rankmark.measures import AP, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_NDCG = nDCG(gain="exp2", ideal="retrieved")
_AP = AP(norm="min")
_EVAL_AT = range(1, 6)
_POOLED = "it is over the rows of all queries together; write AUC or AP, which are by query"

PROFILE = Profile(
    name="lightgbm",
    tool="LightGBM",
    version="4.7.0",
    source="https://github.com/microsoft/LightGBM, src/metric/rank_metric.hpp, map_metric.hpp",
    summary="Its metrics of learning to rank; it sees only the rows that it is given.",
    compared="random groups, with ties, in each test run",
    conventions={"queries": "both", "ties": "input", "no_relevant": "one"},
    measures=(
        Meaning(
            "ndcg@{k} | lambdarank@{k} | rank_xendcg@{k}",
            _NDCG,
            "with another label_gain, write nDCG(gain=[...]), the gains of labels 0, 1, ...",
        ),
        Meaning(
            "ndcg | lambdarank | rank_xendcg",
            tuple(_NDCG @ k for k in _EVAL_AT),
            "eval_at is 1,2,3,4,5 by default",
        ),
        Meaning("map@{k} | mean_average_precision@{k}", _AP, "labels above 0 are relevant"),
        Meaning("map | mean_average_precision", tuple(_AP @ k for k in _EVAL_AT)),
        Meaning("auc | average_precision", None, _POOLED),
    ),
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
        ),
        Difference("it refuses labels below 0", "negative labels"),
        Difference("it refuses labels that are not whole numbers", "fractional labels"),
        Difference(
            "queries may have weights, by which ndcg does not multiply the 1 of a query without "
            "relevant documents, so that it can exceed 1; here all are weighed, by weights="
        ),
    ),
)
