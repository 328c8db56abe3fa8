"""LensKit."""

from __future__ import annotations

from rankmark.measures import AP, DCG, RBP, RR, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="lenskit",
    tool="LensKit for Python",
    version="2025.8.1",
    source="https://github.com/lenskit/lkpy, src/lenskit/metrics/ranking",
    summary="Its metrics of ranked lists, averaged over the users with test items.",
    compared="random collections",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=(
        Meaning(
            "NDCG[@{k}]",
            nDCG(gain="binary", discount=2),
            "ranks 1 and 2 are not discounted; for gain=FIELD write nDCG(discount=2), for "
            "LogRankWeight(offset=1) nDCG",
        ),
        Meaning("DCG[@{k}]", DCG(gain="binary", discount=2), "as for NDCG"),
        Meaning(
            "Precision[@{k}]", P(norm="retrieved"), "divided by the length of a list shorter than k"
        ),
        Meaning("Recall@{k}", R(norm="min"), "at most k items can be found"),
        Meaning("Recall", R),
        Meaning("RecipRank[@{k}]", RR),
        Meaning("Hit[@{k}]", Success),
        Meaning("AveragePrecision[@{k}]", AP(norm="min")),
        Meaning("RBP[@{k}]", RBP(p=0.85), "normalize=True is RBP(p=0.85, norm=ideal)"),
    ),
    differences=(
        Difference(
            "RunAnalysis averages over the users with a list, and those without test items count "
            "0; here over the users with test items, and those without a list count 0"
        ),
        Difference(
            "AveragePrecision divides by the length of a list that is shorter than both k and "
            "the number of relevant items; here by the smaller of these two",
            None,
            ("AveragePrecision",),
        ),
        Difference(
            "Precision and AveragePrecision have no value for an empty list, which RunAnalysis "
            "counts as 0; here it is 0",
            None,
            ("Precision", "AveragePrecision"),
        ),
    ),
)
