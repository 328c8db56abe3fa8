"""implicit."""

from __future__ import annotations

from rankmark.measures import AP, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="implicit",
    tool="implicit",
    version="0.7.3",
    source="https://github.com/benfred/implicit, implicit/evaluation.pyx",
    summary="ranking_metrics_at_k, averaged over the users with test items.",
    compared="a small collection, and random collections where implicit is installed",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=(
        Meaning("map@{k} | mean_average_precision_at_k(K={k})", AP(norm="min")),
        Meaning("ndcg@{k} | ndcg_at_k(K={k})", nDCG(gain="binary"), "values are ignored"),
        Meaning(
            "precision@{k} | precision_at_k(K={k})",
            None,
            "it is the hits of all users over the sum of min(k, test items); write "
            "R(norm=min)@k, and weight each user by min(k, test items), as with weights=",
        ),
        Meaning(
            "auc@{k} | AUC_at_k(K={k})",
            None,
            "relevant items below rank k count as found halfway down the catalogue; write AUC "
            "for the whole ranking",
        ),
    ),
    differences=(
        Difference(
            "every entry stored in the test matrix is relevant, also one of 0 or below; here from "
            "label 1"
        ),
        Difference("it asks a model for its rankings; here give those that it recommended"),
    ),
)
