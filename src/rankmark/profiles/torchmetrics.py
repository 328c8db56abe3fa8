"""torchmetrics."""

from __future__ import annotations

from rankmark.measures import AP, AUC, RR, FallOut, P, R, Rprec, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

OF_POSITIVE_SCORES = (
    "RetrievalMAP", "RetrievalMRR", "RetrievalPrecision", "RetrievalRecall",
)  # fmt: skip
_IN_ORDER = (*OF_POSITIVE_SCORES, "RetrievalHitRate", "RetrievalRPrecision", "RetrievalFallOut")

PROFILE = Profile(
    name="torchmetrics",
    tool="torchmetrics",
    version="1.9.0",
    source="https://github.com/Lightning-AI/torchmetrics, src/torchmetrics/functional/retrieval",
    summary="Its retrieval metrics, with their defaults; it sees only documents with a score.",
    compared="random collections",
    conventions={"queries": "both", "ties": "input", "precision": "float32"},
    measures=(
        Meaning(
            "RetrievalMAP[(top_k={k})] | RetrievalMAP@{k} | retrieval_average_precision",
            AP(norm="hits"),
        ),
        Meaning("RetrievalMRR[(top_k={k})] | RetrievalMRR@{k} | retrieval_reciprocal_rank", RR),
        Meaning(
            "RetrievalPrecision[(top_k={k})] | RetrievalPrecision@{k} | retrieval_precision", P
        ),
        Meaning(
            "RetrievalPrecision([top_k={k}, ]adaptive_k=True) | "
            "RetrievalPrecision(adaptive_k=True, top_k={k})",
            P(norm="retrieved"),
        ),
        Meaning("RetrievalRecall[(top_k={k})] | RetrievalRecall@{k} | retrieval_recall", R),
        Meaning(
            "RetrievalHitRate[(top_k={k})] | RetrievalHitRate@{k} | retrieval_hit_rate", Success
        ),
        Meaning(
            "RetrievalFallOut[(top_k={k})] | RetrievalFallOut@{k} | retrieval_fall_out", FallOut
        ),
        Meaning("RetrievalRPrecision | retrieval_r_precision", Rprec),
        Meaning(
            "RetrievalNormalizedDCG[(top_k={k})] | RetrievalNormalizedDCG@{k} | "
            "retrieval_normalized_dcg",
            nDCG(ideal="retrieved"),
            "the mean over the orders of documents with equal scores",
            {"ties": "mean"},
        ),
        Meaning(
            "RetrievalAUROC[(top_k={k})] | RetrievalAUROC@{k} | retrieval_auroc", AUC(norm="hits")
        ),
    ),
    differences=(
        Difference(
            "a document with a score of 0 or below counts as not relevant in MAP, MRR, precision "
            "and recall; here scores only order documents. Logits are often below 0",
            "relevant documents with a score of 0 or below",
            OF_POSITIVE_SCORES,
        ),
        Difference(
            "documents with equal scores are in an unspecified order; here in that of the input",
            "ties",
            _IN_ORDER,
        ),
        Difference(
            "a relevant document that was not retrieved is unknown to it",
            "relevant documents not retrieved",
            ("RetrievalRecall", "RetrievalRPrecision"),
        ),
        Difference(
            "fall-out is 1 for a query in which every document is relevant; here 0",
            "everything relevant",
            ("RetrievalFallOut",),
        ),
        Difference(
            "the area under the ROC curve is 0 where the first k are all relevant; here 1",
            "only relevant documents among the first k",
            ("RetrievalAUROC",),
        ),
        Difference(
            "labels above 1 are refused, except in nDCG",
            "graded labels",
            (*_IN_ORDER, "RetrievalAUROC"),
        ),
        Difference(
            "a label below 0 is a negative gain there",
            "negative labels",
            ("RetrievalNormalizedDCG",),
        ),
    ),
)
