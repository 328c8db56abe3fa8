"""RePlay."""

from __future__ import annotations

from rankmark.measures import AP, AUC, RR, P, R, Success, nDCG
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
    ),
    differences=(
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
