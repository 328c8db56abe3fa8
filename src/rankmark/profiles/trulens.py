"""TruLens."""

from __future__ import annotations

from rankmark.measures import RR, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="trulens",
    tool="TruLens",
    version="2.16.0",
    source="https://github.com/truera/trulens, src/feedback/trulens/feedback/groundtruth.py",
    summary="Its metrics of retrieved chunks against a ground truth, GroundTruthAgreement.",
    compared="random collections",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=(
        Meaning("precision_at_k[(k={k})]", P(norm="retrieved")),
        Meaning("recall_at_k[(k={k})]", R),
        Meaning("mrr", RR),
        Meaning("ir_hit_rate[(k={k})]", Success),
        Meaning(
            "ndcg_at_k(k={k})",
            nDCG,
            "labels are expect_score, or 1; without k, the ideal ranking is as long as the list",
        ),
    ),
    differences=(
        Difference(
            "all chunks of the ground truth are relevant, also those whose expect_score is below "
            "1; here those with a label from 1",
            "labels below 1",
            ("precision_at_k", "recall_at_k", "mrr", "ir_hit_rate"),
        ),
        Difference(
            "with relevance_scores, all chunks that are tied with the one at rank k count, too",
            "ties",
            ("precision_at_k", "recall_at_k"),
        ),
        Difference(
            "precision has no value where nothing is retrieved; here it is 0",
            None,
            ("precision_at_k",),
        ),
        Difference(
            "a chunk that is retrieved again counts again in precision_at_k, and in earlier "
            "versions also in recall_at_k and ndcg_at_k, whose values then exceed 1; "
            'here it is refused, or with duplicates="first" counts once',
            None,
            ("precision_at_k", "recall_at_k", "ndcg_at_k"),
        ),
    ),
)
