"""LensKit."""

from __future__ import annotations

from rankmark.measures import AP, ARP, DCG, RBP, RR, CategoryEntropy, Gini, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

MEASURES = (
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
)
OF_LISTS = (
    Meaning("MeanPopRank[@{k}]", ARP(scale="rank")),
    Meaning("ListGini[@{k}]", Gini, "items outside the catalogue are an error there"),
    Meaning("Entropy[@{k}]", CategoryEntropy(smoothing=1e-6)),
    Meaning("RankBiasedEntropy[@{k}]", CategoryEntropy(smoothing=1e-6, weights=0.85)),
    Meaning("ILS[@{k}]", None, "it is a similarity: 1 - ILD(one_item='zero')"),
    Meaning("ExposureGini[@{k}]", None, "ranks have no weights in Gini"),
)
SHORT_LISTS = Difference(
    "AveragePrecision divides by the length of a list that is shorter than both k and the number "
    "of relevant items; here by the smaller of these two",
    None,
    ("AveragePrecision",),
)
"""What the versions of LensKit have in common."""
EMPTY_LISTS = Difference(
    "Precision and AveragePrecision have no value for an empty list, and its user is left out; "
    "here it is 0",
    "empty rankings",
    ("Precision", "AveragePrecision"),
)

PROFILE = Profile(
    name="lenskit",
    tool="LensKit for Python",
    version="2026.4.0",
    source="https://github.com/lenskit/lkpy, src/lenskit/metrics",
    summary="Its metrics of ranked lists, averaged over the users with test items and a list.",
    compared="a small collection, and random collections where LensKit is installed",
    conventions={"queries": "both", "ties": "input", "no_relevant": "skip"},
    measures=(*MEASURES, *OF_LISTS),
    differences=(
        SHORT_LISTS,
        EMPTY_LISTS,
        Difference(
            "Precision counts 0 for users with a list and without test items, and "
            "AveragePrecision fails; here they are left out",
            "nothing relevant",
            ("Precision", "AveragePrecision"),
        ),
    ),
)
