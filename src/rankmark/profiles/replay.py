"""RePlay."""

from __future__ import annotations

from rankmark.measures import (
    AP,
    AUC,
    MIUF,
    RR,
    CategoryCoverage,
    ItemCoverage,
    P,
    R,
    Success,
    Unexpectedness,
    nDCG,
)
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="replay",
    tool="RePlay",
    version="0.22.0",
    source="https://github.com/sb-ai-lab/RePlay, replay/metrics",
    summary="Its metrics of the first k items, averaged over users in the ground truth.",
    compared="random collections, given as dicts",
    conventions={"ties": "input"},
    measures=(
        Meaning("Precision@{k} | Precision({k})", P),
        Meaning("Recall@{k} | Recall({k})", R),
        Meaning("HitRate@{k} | HitRate({k})", Success),
        Meaning("MRR@{k} | MRR({k})", RR),
        Meaning("MAP@{k} | MAP({k})", AP(norm="min")),
        Meaning("NDCG@{k} | NDCG({k})", nDCG(gain="binary"), "ratings are ignored"),
        Meaning(
            "RocAuc@{k} | RocAuc({k})",
            AUC(norm="hits"),
            "of the first k items alone; 1 if they are all relevant",
        ),
        Meaning("Surprisal@{k} | Surprisal({k})", MIUF(scaled=True, norm="k")),
        Meaning(
            "Novelty@{k} | Novelty({k})",
            Unexpectedness(base="history"),
            "the share of items that the user did not have, not how rare they are",
        ),
        Meaning(
            "Unexpectedness@{k} | Unexpectedness({k})",
            Unexpectedness(norm="k"),
            "against the most popular items; a common base list is given as popularity",
        ),
        Meaning("Coverage@{k} | Coverage({k})", ItemCoverage, 'with catalogue="history"'),
        Meaning(
            "CategoricalDiversity@{k} | CategoricalDiversity({k})",
            CategoryCoverage(norm="k"),
            "an item has one category there",
        ),
    ),
    differences=(
        Difference(
            "Novelty counts 1 for users of the history without a list; here they have no value",
            "empty rankings",
            ("Novelty",),
        ),
        Difference(
            "in data frames, items with equal scores are in the order of ids, the highest "
            "first (as numbers if ids are numbers); in dicts as given, as here",
            "ties",
        ),
        Difference(
            "RocAuc counts pairs of items with equal scores as being in order", "ties", ("RocAuc",)
        ),
    ),
)
