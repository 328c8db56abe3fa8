"""Spark."""

from __future__ import annotations

from rankmark.measures import AP, P, R, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="spark",
    tool="Spark MLlib's RankingMetrics",
    version="4.3.0",
    source="https://github.com/apache/spark, mllib/.../evaluation/RankingMetrics.scala",
    summary="Its metrics of recommendation: lists in rank order against sets of relevant items.",
    compared="random collections, without relevance values",
    conventions={"ties": "input"},
    measures=(
        Meaning("meanAveragePrecision", AP),
        Meaning("meanAveragePrecisionAt({k})", AP(norm="min")),
        Meaning("precisionAt({k})", P),
        Meaning("recallAt({k})", R),
        Meaning(
            "ndcgAt({k})",
            nDCG(gain="binary"),
            "without relevance values; with them, the gain is 2^label - 1, and the ideal ranking "
            "is in the order in which labels are given, which cannot be computed here",
        ),
    ),
    differences=(Difference("an item that is recommended twice counts twice; here it is refused"),),
)
