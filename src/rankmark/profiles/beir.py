"""BEIR."""

from __future__ import annotations

from rankmark.measures import AP, RR, Hole, P, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_OWN_PYTHON = {"queries": "judged", "ties": "input", "precision": "double"}

PROFILE = Profile(
    name="beir",
    tool="BEIR",
    version="2.2.0",
    source="https://github.com/beir-cellar/beir, beir/retrieval/evaluation.py",
    summary="EvaluateRetrieval: evaluate, then evaluate_custom on the same results.",
    compared="random collections, with ties, missing queries and documents with the id of "
    "their query, and public data",
    conventions={"queries": "both", "drop_self": True, "precision": "float32"},
    measures=(
        Meaning("NDCG@{k}", nDCG),
        Meaning("MAP@{k}", AP),
        Meaning("Recall@{k}", R),
        Meaning("P@{k}", P),
        Meaning("MRR@{k}", RR, "", _OWN_PYTHON),
        Meaning("R_cap@{k}", R(norm="min"), "", _OWN_PYTHON),
        Meaning("Accuracy@{k}", Success, "", _OWN_PYTHON),
        Meaning("Hole@{k}", Hole, "", _OWN_PYTHON),
    ),
    digits=5,
    differences=(
        Difference(
            "R_cap fails if nothing is relevant; here it is 0", "nothing relevant", ("R_cap",)
        ),
        Difference(
            "the numbers of a query whose labels are all below 0 depend on the previous query",
            "only negative labels",
        ),
        Difference(
            "evaluate_custom on results that evaluate has not seen keeps documents with the id of "
            "their query"
        ),
    ),
)
