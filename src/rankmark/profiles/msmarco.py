"""The evaluation script of MS MARCO."""

from __future__ import annotations

from rankmark.measures import RR
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="msmarco",
    tool="MS MARCO's script",
    version="2019",
    source="https://github.com/microsoft/MSMARCO-Passage-Ranking, ms_marco_eval.py",
    summary="MRR over all judged queries, by the ranks in the file.",
    compared="random collections, by a program that follows the script line by line, in each "
    "test run",
    conventions={"ties": "rank"},
    measures=(
        Meaning("MRR @10 | MRR@10", RR @ 10, "ranking of passages"),
        Meaning("MRR @100 | MRR@100", RR @ 100, "ranking of documents"),
    ),
    differences=(
        Difference(
            "every document in the judgments is relevant, whatever its label; here labels "
            "from rel on are",
            "labels below 1",
        ),
        Difference(
            "gaps between the ranks of a query stay open; here they are closed, so that the first "
            "document always has rank 1"
        ),
    ),
)
