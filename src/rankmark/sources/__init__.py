"""Turn judgments and runs in any form into Qrels and Run, and the two into an Alignment."""

from rankmark.sources.contract.cores import cores
from rankmark.sources.prepared.matching import RunFacts, match
from rankmark.sources.prepared.prepared import PairOptions, as_both, as_qrels, as_run
from rankmark.sources.prepared.qrels import Qrels
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
