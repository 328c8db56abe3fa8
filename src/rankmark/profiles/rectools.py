"""RecTools."""

from __future__ import annotations

from rankmark.measures import (
    AP,
    ARP,
    ILD,
    MIUF,
    RR,
    F,
    ItemCoverage,
    P,
    R,
    Serendipity,
    Success,
    nDCG,
)
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
        Meaning("MeanInvUserFreq(k={k})", MIUF),
        Meaning("AvgRecPopularity(k={k})", ARP, 'choose popularity="interactions"'),
        Meaning("AvgRecPopularity(k={k}, normalize=True)", ARP(scale="share")),
        Meaning(
            "IntraListDiversity(k={k})",
            ILD(distance="hamming", one_item="zero"),
            "with PairwiseHammingDistanceCalculator",
        ),
        Meaning("Serendipity(k={k})", Serendipity, "its catalogue is given as catalogue"),
        Meaning("CatalogCoverage(k={k})", ItemCoverage(norm="count")),
        Meaning("CatalogCoverage(k={k}, normalize=True)", ItemCoverage),
        Meaning(
            "Intersection(k={k})",
            None,
            "of the most popular items it is 1 - Unexpectedness(norm='k'); of other lists use "
            "similarity",
        ),
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
        Difference(
            "CatalogCoverage counts items that are not in the catalogue, too, and may exceed 1; "
            "here they count nowhere",
            None,
            ("CatalogCoverage",),
        ),
    ),
)
