"""pytrec_eval."""

from __future__ import annotations

from rankmark.measures.trec_eval_names import ALL_TREC
from rankmark.profiles.profile import Difference, Profile
from rankmark.profiles.trec_eval10 import SHARED_DIFFERENCES, rows_of

PROFILE = Profile(
    name="pytrec_eval",
    tool="pytrec_eval",
    version="terrier 0.5.11",
    source="https://github.com/terrierteam/pytrec_eval",
    summary="Python's interface to trec_eval 9.0.8, in the fork pytrec_eval-terrier.",
    compared="random collections, with ties, missing queries and labels below 0, in each test run",
    conventions={"queries": "both", "precision": "float32"},
    measures=rows_of(9, ALL_TREC[9]),
    differences=(
        *SHARED_DIFFERENCES,
        Difference(
            "the numbers of a query whose labels are all below 0 depend on the previous query",
            "only negative labels",
        ),
        Difference("documents with NaN scores can be anywhere in the ranking; here NaN is refused"),
        Difference("it refuses labels that are not whole numbers", "fractional labels"),
        Difference(
            "judged_docs_only_flag also removes documents with labels below 0; judged_only does not"
        ),
    ),
)
