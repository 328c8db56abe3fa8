"""trec_eval 9."""

from __future__ import annotations

from rankmark.profiles.profile import Profile
from rankmark.profiles.trec_eval10 import SHARED_DIFFERENCES, rows_of

PROFILE = Profile(
    name="trec_eval9",
    tool="trec_eval",
    version="9.0.8",
    source="https://github.com/usnistgov/trec_eval/tree/v9.0.8",
    summary="TREC's evaluation tool until 2026, run without -c: it averages queries in both files.",
    compared="published outputs of version 9, and pytrec_eval's numbers, in each test run",
    conventions={"queries": "both", "precision": "float32"},
    measures=rows_of(9),
    digits=4,
    differences=SHARED_DIFFERENCES,
)
