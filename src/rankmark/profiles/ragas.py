"""ragas."""

from __future__ import annotations

from rankmark.measures import AP, P, R
from rankmark.profiles.profile import Difference, Meaning, Profile

_ASKS = "it asks a language model, or compares texts; write R for recall by judgments"

PROFILE = Profile(
    name="ragas",
    tool="ragas",
    version="0.4.3",
    source="https://github.com/vibrantlabsai/ragas, src/ragas/metrics/_context_precision.py",
    summary="Its metrics of retrieved contexts; judgments say which contexts are useful.",
    compared="the formulas in its code on random collections, without the language model",
    conventions={"ties": "input"},
    measures=(
        Meaning(
            "context_precision | llm_context_precision_with_reference | "
            "llm_context_precision_without_reference | non_llm_context_precision_with_reference",
            AP(norm="hits"),
            "the judgments are the verdicts, which ragas gets from a language model or by "
            "comparing texts",
        ),
        Meaning("id_based_context_precision", P(norm="retrieved")),
        Meaning("id_based_context_recall", R),
        Meaning("context_recall | context_entity_recall | non_llm_context_recall", None, _ASKS),
    ),
    digits=4,
    differences=(
        Difference(
            "context precision adds 1e-10 to the number by which it divides, so that a perfect "
            "ranking has 0.9999999999",
            None,
            ("context_precision",),
        ),
        Difference(
            "precision by ids has no value where nothing is retrieved, and recall by ids where "
            "nothing is relevant; here it is 0",
            None,
            ("id_based_context_precision", "id_based_context_recall"),
        ),
    ),
)
