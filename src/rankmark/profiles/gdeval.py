"""gdeval."""

from __future__ import annotations

from rankmark.measures import ERR, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="gdeval",
    tool="gdeval",
    version="1.2a",
    source="https://trec.nist.gov/data/web/10/gdeval.pl",
    summary="The script of TREC's Web tracks; topics without relevant documents are left out.",
    compared="random collections, in each test run where there is Perl",
    conventions={"queries": "both", "no_relevant": "skip"},
    measures=(
        Meaning("ndcg@{k}", nDCG(gain="exp2")),
        Meaning("err@{k}", ERR, "the highest label is 4, whatever the judgments are"),
    ),
    digits=5,
    differences=(
        Difference("it stops at a label above 4", "labels above 4"),
        Difference("it stops at topic ids that are not numbers, except for a prefix with a hyphen"),
        Difference("values of topics are rounded to five decimals before they are averaged"),
    ),
)
