"""sentence-transformers."""

from __future__ import annotations

from rankmark.measures import AP, RR, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="sentence-transformers",
    tool="sentence-transformers",
    version="6.2.0",
    source="https://github.com/huggingface/sentence-transformers, InformationRetrievalEvaluator",
    summary="Its InformationRetrievalEvaluator, which searches a corpus and ignores grades.",
    compared="random collections, with ties",
    conventions={"ties": "docid-asc", "no_relevant": "skip"},
    measures=(
        Meaning("accuracy@{k} | cosine_accuracy@{k} | dot_accuracy@{k}", Success),
        Meaning("precision@{k} | cosine_precision@{k} | dot_precision@{k}", P),
        Meaning("recall@{k} | cosine_recall@{k} | dot_recall@{k}", R),
        Meaning("mrr@{k} | cosine_mrr@{k} | dot_mrr@{k}", RR),
        Meaning("ndcg@{k} | cosine_ndcg@{k} | dot_ndcg@{k}", nDCG(gain="binary")),
        Meaning("map@{k} | cosine_map@{k} | dot_map@{k}", AP(norm="min")),
    ),
    digits=4,
    differences=(
        Difference(
            "its search keeps as many documents as the greatest cutoff, and among equal "
            "scores those with the highest ids; before version 6, ties stay in the order of "
            "that search",
            "ties",
        ),
    ),
)
