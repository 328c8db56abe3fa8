"""MTEB."""

from __future__ import annotations

from rankmark.measures import AP, RR, Hole, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="mteb",
    tool="MTEB",
    version="2.26.24",
    source="https://github.com/embeddings-benchmark/mteb, mteb/_evaluators/retrieval_metrics.py",
    summary="Its retrieval tasks, from version 2.18.19 (2026-08-13) on; choose drop_self=True for "
    "tasks that ignore identical ids.",
    compared="random collections, with ties, missing queries and documents with the id of "
    "their query, and public data",
    conventions={"queries": "both", "precision": "float32"},
    measures=(
        Meaning("ndcg_at_{k} | NDCG@{k}", nDCG),
        Meaning("map_at_{k} | MAP@{k}", AP),
        Meaning("recall_at_{k} | Recall@{k}", R),
        Meaning("precision_at_{k} | P@{k}", P),
        Meaning("mrr_at_{k} | MRR@{k}", RR, "", {"precision": "double"}),
        Meaning("hit_rate_at_{k} | HitRate@{k}", Success),
        Meaning("accuracy", R @ 1, "recall at 1"),
        Meaning(
            "R_cap_at_{k} | R_cap@{k}",
            R(norm="min"),
            "of LMEB's tasks, which leave out queries without relevant documents",
            {"precision": "double", "no_relevant": "skip"},
        ),
        Meaning("Hole_at_{k} | Hole@{k}", Hole, "", {"precision": "double"}),
    ),
    digits=5,
    differences=(
        Difference(
            "the numbers of a query whose labels are all below 0 depend on the previous query",
            "only negative labels",
        ),
        Difference(
            "nAUC and the maximum over subqueries are not computed here; p-MRR, which compares two "
            "runs, is rankmark.p_mrr"
        ),
        Difference(
            "tasks that skip the first result drop it in the order of the input if it is tied, and "
            "p-MRR broke ties in that order before version 2.19.5"
        ),
    ),
)
