"""Whatever someone holds becomes Qrels and Run, and the two become an Alignment."""

from rankmark.sources.forms import ForBoth
from rankmark.sources.matching import RunFacts, match
from rankmark.sources.qrels import Qrels, as_qrels, cores
from rankmark.sources.run import Run, as_run

__all__ = ["ForBoth", "Qrels", "Run", "RunFacts", "as_qrels", "as_run", "cores", "match"]
