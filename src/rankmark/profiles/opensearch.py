"""OpenSearch's Search Relevance Workbench."""

from __future__ import annotations

from rankmark.measures import AP, DCG, RR, Judged, P, R, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_BINARY = ("Precision", "MAP", "Recall", "MRR")
_LATER = "by its source of 2026; 3.1 does not have it"

PROFILE = Profile(
    name="opensearch",
    tool="OpenSearch Search Relevance Workbench",
    version="3.1.0",
    source="https://github.com/opensearch-project/search-relevance, metrics/calculator/"
    "Evaluation.java",
    summary="The metrics of its pointwise experiments, each of one query.",
    compared="a small collection, query by query",
    conventions={"ties": "input"},
    measures=(
        Meaning("NDCG@{k}", nDCG(gain="exp2")),
        Meaning("MAP@{k}", AP),
        Meaning(
            "Precision@{k}", P(norm="retrieved"), "divided by the length of a list shorter than k"
        ),
        Meaning("Coverage@{k}", Judged),
        Meaning("Recall@{k}", R, _LATER),
        Meaning("DCG@{k}", DCG(gain="exp2"), _LATER),
        Meaning("MRR@{k}", RR, f"{_LATER}; there it is MRR, to the size of the search"),
    ),
    digits=2,
    differences=(
        Difference(
            "since 2026, a document is relevant from half of its query's highest rating, or from "
            "the 90th percentile of its ratings if that is higher; here from label 1, or from rel",
            "graded labels",
            _BINARY,
        ),
        Difference(
            "ratings above 0 are relevant; here from 1, or from rel", "fractional labels", _BINARY
        ),
        Difference("the value of each query is rounded to two decimals; here none is"),
    ),
)
