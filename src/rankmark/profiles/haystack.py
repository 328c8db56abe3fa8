"""Haystack."""

from __future__ import annotations

from rankmark.measures import AP, RR, R, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="haystack",
    tool="Haystack",
    version="3.4.1",
    source="https://github.com/deepset-ai/haystack, haystack/components/evaluators",
    summary="Its evaluators of retrieved documents, of the whole list.",
    compared="random collections",
    conventions={"ties": "input"},
    measures=(
        Meaning("DocumentMRREvaluator", RR),
        Meaning("DocumentMAPEvaluator", AP),
        Meaning(
            'DocumentRecallEvaluator | DocumentRecallEvaluator(mode="single_hit")',
            Success,
            "recall is by default whether any relevant document is retrieved",
        ),
        Meaning('DocumentRecallEvaluator(mode="multi_hit")', R),
        Meaning(
            "DocumentNDCGEvaluator",
            nDCG,
            "labels are the scores of the ground truth, or 1",
        ),
    ),
    differences=(
        Difference(
            "a document that is retrieved again holds its rank and counts once; earlier versions "
            "counted it again in DocumentNDCGEvaluator, whose values then exceed 1. "
            'Here it is refused, or with duplicates="first" left out, so that those below it move '
            "up",
        ),
    ),
)
