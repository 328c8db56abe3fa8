"""RecBole."""

from __future__ import annotations

from rankmark.measures import (
    AP,
    ARP,
    RR,
    Entropy,
    Gini,
    ItemCoverage,
    P,
    R,
    Success,
    TailShare,
    nDCG,
)
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="recbole",
    tool="RecBole",
    version="1.2.1",
    source="https://github.com/RUCAIBox/RecBole, recbole/evaluator/metrics.py",
    summary="Its metrics of the first k items, averaged over users with an item in the test set.",
    compared="random collections, with numpy.float restored, which it needs",
    conventions={"ties": "input", "no_relevant": "skip", "precision": "float32"},
    measures=(
        Meaning("recall@{k} | Recall@{k}", R),
        Meaning("precision@{k} | Precision@{k}", P),
        Meaning("hit@{k} | Hit@{k}", Success),
        Meaning("mrr@{k} | MRR@{k}", RR),
        Meaning("map@{k} | MAP@{k}", AP(norm="min")),
        Meaning("ndcg@{k} | NDCG@{k}", nDCG(gain="binary"), "ratings are ignored"),
        Meaning("averagepopularity@{k} | AveragePopularity@{k}", ARP),
        Meaning(
            "tailpercentage@{k} | TailPercentage@{k}",
            TailShare(tail="items", cut=0.1, cold="head"),
            "with its default tail_ratio of 0.1",
        ),
        Meaning("itemcoverage@{k} | ItemCoverage@{k}", ItemCoverage),
        Meaning("giniindex@{k} | GiniIndex@{k}", Gini),
        Meaning("shannonentropy@{k} | ShannonEntropy@{k}", Entropy(base="e", norm="recommended")),
        Meaning(
            "gauc | GAUC | auc | AUC",
            None,
            "gauc weights users by their relevant items, and auc is over all users together; write "
            "AUC, in which all users weigh alike",
        ),
    ),
    digits=4,
    differences=(
        Difference(
            "items with equal scores are in whatever order torch.topk leaves them",
            "ties",
        ),
        Difference(
            "itemcoverage and giniindex count the padding item 0 as an item of the catalogue: of 5 "
            "items they divide by 6; here by 5",
            None,
            ("itemcoverage", "giniindex"),
        ),
        Difference(
            "items that a user already has are left out of rankings; here choose them by seen "
            "(--seen)"
        ),
    ),
)
