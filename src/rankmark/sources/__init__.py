"""Whatever someone holds becomes Qrels and Run, and the two become an Alignment."""

from rankmark.sources.prepared.matching import RunFacts, match
from rankmark.sources.prepared.prepared import PairOptions, as_both, as_qrels, as_run
from rankmark.sources.prepared.qrels import Qrels, cores
from rankmark.sources.prepared.run import Run

__all__ = [
    "PairOptions",
    "Qrels",
    "Run",
    "RunFacts",
    "as_both",
    "as_qrels",
    "as_run",
    "cores",
    "match",
]
