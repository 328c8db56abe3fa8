"""RecTools."""

from __future__ import annotations

from rankmark.measures import AP, RR, F, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="rectools",
    tool="RecTools",
    version="0.19.0",
    source="https://github.com/MTSWebServices/RecTools, rectools/metrics",
    summary="Its metrics of the first k items by rank, averaged over users with interactions.",
    compared="random collections",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=(
        Meaning("Precision(k={k})", P),
        Meaning("Recall(k={k})", R),
        Meaning(
            "Precision(k={k}, r_precision=True)",
            R(norm="min"),
            "despite the name, it is not R-precision",
        ),
        Meaning("F1Beta(k={k}[, beta={beta}])", F),
        Meaning("HitRate(k={k})", Success),
        Meaning("MRR(k={k})", RR),
        Meaning("MAP(k={k}) | MAP(k={k}, divide_by_k=False)", AP),
        Meaning("MAP(k={k}, divide_by_k=True)", AP(norm="k")),
        Meaning(
            "NDCG(k={k}) | NDCG(k={k}, divide_by_achievable=False)",
            nDCG(gain="binary", ideal="k"),
            "ratings are ignored, and the ideal ranking has k relevant items, even if a user has "
            "fewer",
        ),
        Meaning("NDCG(k={k}, divide_by_achievable=True)", nDCG(gain="binary")),
        Meaning(
            "Accuracy(k={k}) | MCC(k={k}) | PAP(k={k}) | PartialAUC(k={k})",
            None,
            "it is over all items of the catalogue; write AUC or P",
        ),
    ),
    differences=(
        Difference(
            "ranks are used as given, even with gaps; here gaps are closed, and rankings without "
            "ranks are in the order of scores. For files and frames with a rank column, choose "
            'ties="rank"'
        ),
    ),
)
