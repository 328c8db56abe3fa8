"""Turn judgments and runs in any form into Qrels and Run, and the two into an Alignment."""

from rankmark.sources.contract.cores import cores as cores
from rankmark.sources.prepared.matching import RunFacts as RunFacts
from rankmark.sources.prepared.matching import match as match
from rankmark.sources.prepared.pair_options import PairOptions as PairOptions
from rankmark.sources.prepared.pair_options import as_both as as_both
from rankmark.sources.prepared.qrels import Qrels as Qrels
from rankmark.sources.prepared.run import Run as Run
