"""Turn judgments and runs in any form into Qrels and Run, and the two into an Alignment."""

from typing import TYPE_CHECKING

# The module of each name. Names are imported on first use, since files are read before NumPy, which
# these modules need, is imported; see files/reading_ahead.py.
_MODULES = {
    "PairOptions": "prepared",
    "Qrels": "qrels",
    "Run": "run",
    "RunFacts": "matching",
    "as_both": "prepared",
    "as_qrels": "prepared",
    "as_run": "prepared",
    "match": "matching",
}

if TYPE_CHECKING:
    from rankmark.sources.contract.cores import cores as cores
    from rankmark.sources.prepared.matching import RunFacts as RunFacts
    from rankmark.sources.prepared.matching import match as match
    from rankmark.sources.prepared.prepared import PairOptions as PairOptions
    from rankmark.sources.prepared.prepared import as_both as as_both
    from rankmark.sources.prepared.prepared import as_qrels as as_qrels
    from rankmark.sources.prepared.prepared import as_run as as_run
    from rankmark.sources.prepared.qrels import Qrels as Qrels
    from rankmark.sources.prepared.run import Run as Run
else:
    from rankmark.sources.contract.cores import cores as cores

    def __getattr__(name: str) -> object:
        from importlib import import_module  # noqa: PLC0415

        if name not in _MODULES:
            raise AttributeError(f"module 'rankmark.sources' has no attribute {name!r}")
        value = getattr(import_module(f"rankmark.sources.prepared.{_MODULES[name]}"), name)
        globals()[name] = value
        return value
