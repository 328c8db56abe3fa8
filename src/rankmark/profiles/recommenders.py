"""Recommenders, formerly of Microsoft."""

from __future__ import annotations

from rankmark.measures import AP, ILD, MIUF, Entropy, ItemCoverage, P, R, Serendipity, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_ALL = {"queries": "judged"}

PROFILE = Profile(
    name="recommenders",
    tool="Recommenders",
    version="1.2.1",
    source="https://github.com/recommenders-team/recommenders, recommenders/evaluation/"
    "python_evaluation.py",
    summary="Its metrics of rankings, averaged over users with test items and recommendations, and "
    "those of whole lists, which it is given cut at k.",
    compared="a small collection",
    conventions={"queries": "both", "ties": "input"},
    measures=(
        Meaning("precision_at_k(k={k})", P),
        Meaning("recall_at_k(k={k})", R),
        Meaning("map(k={k})", AP),
        Meaning("map_at_k(k={k})", AP(norm="min")),
        Meaning(
            "ndcg_at_k(k={k})",
            nDCG(gain="binary"),
            "ratings are ignored, and users without recommendations count 0",
            _ALL,
        ),
        Meaning("ndcg_at_k(k={k}, score_type=raw)", nDCG, conventions=_ALL),
        Meaning("ndcg_at_k(k={k}, score_type=exp)", nDCG(gain="exp2"), conventions=_ALL),
        Meaning(
            "r_precision_at_k(k={k})",
            None,
            "it is a mean over the users for whom it is not 0; write Rprec",
        ),
        Meaning("novelty", MIUF(of="interactions", cold="zero"), "choose depth"),
        Meaning("diversity", ILD(distance="cooccurrence"), "choose depth"),
        Meaning(
            "diversity(item_sim_measure=item_feature_vector)", ILD, "vectors are given as items"
        ),
        Meaning(
            "serendipity",
            Serendipity(by="history", relevance="all"),
            "with col_relevance, Serendipity(by='history')",
        ),
        Meaning("catalog_coverage", ItemCoverage, 'with catalogue="history"'),
        Meaning("distributional_coverage", Entropy, 'with catalogue="union"'),
    ),
    differences=(
        Difference(
            "novelty is a mean over all recommendations together; here a mean over users, which is "
            "the same if all lists are equally long",
            None,
            ("novelty",),
        ),
        Difference(
            "catalog_coverage counts recommended items that the training data does not have, too, "
            "and may exceed 1; here they count nowhere",
            None,
            ("catalog_coverage",),
        ),
    ),
)
