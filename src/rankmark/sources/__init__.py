"""Whatever someone holds becomes Qrels and Run, and the two become an Alignment."""

from rankmark.sources.matching import RunFacts, match
from rankmark.sources.options import ForBoth
from rankmark.sources.prepared import Said, as_both, as_qrels, as_run
from rankmark.sources.qrels import Qrels, cores
from rankmark.sources.run import Run

__all__ = [
    "ForBoth",
    "Qrels",
    "Run",
    "RunFacts",
    "Said",
    "as_both",
    "as_qrels",
    "as_run",
    "cores",
    "match",
]
