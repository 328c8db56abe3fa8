"""CatBoost."""

from __future__ import annotations

from rankmark.measures import AP, AUC, DCG, RR, P, PFound, R, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_ONE = {"no_relevant": "one"}
_BASE = "{0}[:top={{k}}] | {0}:type=Base[;top={{k}}] | {0}:top={{k}};type=Base"
_EXP = "{0}:type=Exp[;top={{k}}] | {0}:top={{k}};type=Exp"
_POSITION = "{0}:denominator=Position[;top={{k}}] | {0}:top={{k}};denominator=Position"
_BOTH = (
    "{0}:type=Exp;denominator=Position[;top={{k}}] | {0}:top={{k}};type=Exp;denominator=Position"
)
_ROWS = "it does not know relevant documents outside the rows that it is given"

PROFILE = Profile(
    name="catboost",
    tool="CatBoost",
    version="1.2.10",
    source="https://github.com/catboost/catboost, catboost/libs/metrics",
    summary="Its metrics of learning to rank; it sees only the rows that it is given.",
    compared="a small collection with ties, and random groups where CatBoost is installed",
    conventions={"queries": "both", "ties": "worst"},
    measures=(
        Meaning(_BASE.format("NDCG"), nDCG(ideal="retrieved"), _ROWS, _ONE),
        Meaning(_EXP.format("NDCG"), nDCG(gain="exp2", ideal="retrieved"), "", _ONE),
        Meaning(
            _POSITION.format("NDCG"),
            nDCG(discount="rank", ideal="retrieved"),
            "gains are divided by the rank",
            _ONE,
        ),
        Meaning(
            _BOTH.format("NDCG"), nDCG(gain="exp2", discount="rank", ideal="retrieved"), "", _ONE
        ),
        Meaning(_BASE.format("DCG"), DCG),
        Meaning(_EXP.format("DCG"), DCG(gain="exp2")),
        Meaning(_POSITION.format("DCG"), DCG(discount="rank")),
        Meaning(_BOTH.format("DCG"), DCG(gain="exp2", discount="rank")),
        Meaning("MAP[:top={k}]", AP(norm="min")),
        Meaning("MRR[:top={k}]", RR),
        Meaning("PrecisionAt[:top={k}]", P(norm="retrieved")),
        Meaning("RecallAt[:top={k}]", R, _ROWS, _ONE),
        Meaning("PFound[:top={k}] | PFound:decay={decay} | PFound:top={k};decay={decay}", PFound),
        Meaning("QueryAUC", AUC(norm="hits"), "labels must be 0 or 1"),
        Meaning(
            "ERR[:top={k}]",
            None,
            "labels are the probabilities to be satisfied; write RR for labels of 0 and 1, or ERR, "
            "which makes probabilities of grades",
        ),
        Meaning("AUC", None, "it is over the rows of all queries together; write QueryAUC"),
    ),
    differences=(
        Difference(
            "MAP and RecallAt do not know relevant documents that were not retrieved; here they "
            "divide by them, too",
            "relevant documents not retrieved",
            ("MAP", "RecallAt"),
        ),
        Difference(
            "NDCG and RecallAt of a query are 1 if none of its relevant documents were retrieved; "
            "here 0",
            "nothing relevant retrieved",
            ("NDCG", "RecallAt"),
        ),
        Difference(
            "PFound takes labels above 1 as they are, and can exceed 1; here they count as 1",
            "graded labels",
            ("PFound",),
        ),
        Difference(
            "NDCG and DCG subtract labels below 0; here these have no gain",
            "negative labels",
            ("NDCG", "DCG"),
        ),
        Difference(
            "labels above 0.5 are relevant, or above border; here from 1, or from rel",
            "fractional labels",
            ("MAP", "MRR", "PrecisionAt", "RecallAt"),
        ),
        Difference("labels are in single precision, so the eighth digit may differ"),
        Difference("queries may have weights (group_weight); here they are given by weights="),
    ),
)
