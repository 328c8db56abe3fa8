"""deepeval."""

from __future__ import annotations

from rankmark.measures import AP
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="deepeval",
    tool="deepeval",
    version="4.3.1",
    source="https://github.com/confident-ai/deepeval, "
    "deepeval/metrics/contextual_precision/contextual_precision.py",
    summary="Its metric of the order of retrieved contexts; judgments say which are useful.",
    compared="the formula in its code on random collections, without the language model",
    conventions={"ties": "input"},
    measures=(
        Meaning(
            "contextual_precision | ContextualPrecisionMetric",
            AP(norm="hits"),
            "the judgments are the verdicts, which deepeval gets from a language model",
        ),
        Meaning(
            "contextual_recall | ContextualRecallMetric",
            None,
            "it is a share of the sentences of the expected answer; write R for recall by "
            "judgments, or use rm.citations for a table of sentences",
        ),
        Meaning(
            "contextual_relevancy | ContextualRelevancyMetric",
            None,
            "it is a share of the statements in the contexts; write P for the share of documents",
        ),
    ),
    differences=(
        Difference(
            "with strict_mode, a score below the threshold is 0",
            None,
            ("contextual_precision",),
        ),
    ),
)
