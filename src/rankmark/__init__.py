"""rankmark measures how good a ranking is, fast, and says why the number is what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark import similarity
    from rankmark.errors import (
        DuplicateError,
        InputError,
        MeasureError,
        MismatchError,
        MissingDependencyError,
        ParseError,
        RankmarkError,
        RankmarkWarning,
        SchemaError,
    )
    from rankmark.evaluation import Evaluation
    from rankmark.measures import (
        AP,
        CG,
        DCG,
        RR,
        Bpref,
        F,
        G,
        IPrec,
        Judged,
        Measure,
        NumNonrelJudgedRet,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        R,
        Rndcg,
        Rprec,
        Success,
        Unjudged,
        Utility,
        binG,
        infAP,
        nDCG,
        nDCGrel,
        yaAP,
    )
    from rankmark.measures.names import measure
    from rankmark.report.convert import convert
    from rankmark.sources import Qrels, Run
    from rankmark.verbs.check import check
    from rankmark.verbs.evaluate import evaluate
    from rankmark.verbs.findings.finding import CheckReport

__all__ = [
    "AP",
    "CG",
    "DCG",
    "RR",
    "Bpref",
    "CheckReport",
    "DuplicateError",
    "Evaluation",
    "F",
    "G",
    "IPrec",
    "InputError",
    "Judged",
    "Measure",
    "MeasureError",
    "MismatchError",
    "MissingDependencyError",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "ParseError",
    "Qrels",
    "R",
    "RankmarkError",
    "RankmarkWarning",
    "Rndcg",
    "Rprec",
    "Run",
    "SchemaError",
    "Success",
    "Unjudged",
    "Utility",
    "__version__",
    "binG",
    "check",
    "convert",
    "evaluate",
    "infAP",
    "measure",
    "nDCG",
    "nDCGrel",
    "similarity",
    "yaAP",
]

# Where each name lives. It is fetched when it is asked for, so that `import rankmark` stays light
# and `rankmark --help` never waits for NumPy; a type checker sees the imports above.
_HOMES = {
    "DuplicateError": "rankmark.errors",
    "InputError": "rankmark.errors",
    "MeasureError": "rankmark.errors",
    "MismatchError": "rankmark.errors",
    "MissingDependencyError": "rankmark.errors",
    "ParseError": "rankmark.errors",
    "RankmarkError": "rankmark.errors",
    "RankmarkWarning": "rankmark.errors",
    "SchemaError": "rankmark.errors",
    "check": "rankmark.verbs.check",
    "CheckReport": "rankmark.verbs.findings.finding",
    "evaluate": "rankmark.verbs.evaluate",
    "Evaluation": "rankmark.evaluation",
    "AP": "rankmark.measures",
    "infAP": "rankmark.measures",
    "yaAP": "rankmark.measures",
    "Bpref": "rankmark.measures",
    "CG": "rankmark.measures",
    "DCG": "rankmark.measures",
    "RR": "rankmark.measures",
    "F": "rankmark.measures",
    "Judged": "rankmark.measures",
    "Unjudged": "rankmark.measures",
    "Measure": "rankmark.measures",
    "NumQ": "rankmark.measures",
    "NumRel": "rankmark.measures",
    "NumRelRet": "rankmark.measures",
    "NumNonrelJudgedRet": "rankmark.measures",
    "NumRet": "rankmark.measures",
    "P": "rankmark.measures",
    "R": "rankmark.measures",
    "Rprec": "rankmark.measures",
    "IPrec": "rankmark.measures",
    "Utility": "rankmark.measures",
    "Success": "rankmark.measures",
    "nDCG": "rankmark.measures",
    "nDCGrel": "rankmark.measures",
    "Rndcg": "rankmark.measures",
    "G": "rankmark.measures",
    "binG": "rankmark.measures",
    "measure": "rankmark.measures.names",
    "convert": "rankmark.report.convert",
    "Qrels": "rankmark.sources",
    "Run": "rankmark.sources",
    "similarity": "rankmark.similarity",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankmark' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    home = import_module(_HOMES[name])
    value = globals()[name] = home if home.__name__ == f"rankmark.{name}" else getattr(home, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
