"""LlamaIndex."""

from __future__ import annotations

from rankmark.measures import AP, RR, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="llamaindex",
    tool="LlamaIndex",
    version="0.14.25",
    source="https://github.com/run-llama/llama_index, "
    "llama_index/core/evaluation/retrieval/metrics.py",
    summary="Its metrics of retrieved ids, of the whole list, whose length the retriever sets.",
    compared="random collections",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=(
        Meaning("hit_rate | HitRate | HitRate(use_granular_hit_rate=False)", Success),
        Meaning("HitRate(use_granular_hit_rate=True)", R),
        Meaning("mrr | MRR | MRR(use_granular_mrr=False)", RR),
        Meaning("precision | Precision", P(norm="retrieved")),
        Meaning("recall | Recall", R),
        Meaning("ap | AveragePrecision", AP),
        Meaning(
            'ndcg | NDCG | NDCG(mode="linear") | NDCG(mode="exponential")',
            nDCG(gain="binary"),
            "relevance is binary in both modes; older versions took as many relevant documents for "
            "the ideal ranking as were retrieved",
        ),
        Meaning(
            "MRR(use_granular_mrr=True)",
            None,
            "it is the mean reciprocal rank of the relevant documents retrieved, which is below 1 "
            "if there are several, all at the top; write AP",
        ),
    ),
    differences=(
        Difference(
            "it stops at a query for which nothing is retrieved; here it counts 0",
        ),
        Difference(
            "an id that is retrieved again counts again in HitRate(use_granular_hit_rate=True), "
            "ap and ndcg, whose values then exceed 1; here it is refused, or with "
            'duplicates="first" counts once',
            None,
            ("HitRate", "ap", "ndcg"),
        ),
    ),
)
