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
        AUC,
        BPM,
        CG,
        DCG,
        ERR,
        INSQ,
        INST,
        NERR8,
        NERR9,
        NERR10,
        NERR11,
        OPA,
        RBP,
        RR,
        SDCG,
        Compat,
        CoverageError,
        F,
        FallOut,
        Judged,
        MeanRank,
        Measure,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        Q,
        R,
        RankingLoss,
        RBPResidual,
        Rprec,
        Success,
        nDCG,
        nERR,
    )
    from rankmark.measures.names import measure
    from rankmark.measures.own import Own
    from rankmark.report.convert import convert
    from rankmark.sources import Qrels, Run
    from rankmark.verbs.check import check
    from rankmark.verbs.evaluate import evaluate
    from rankmark.verbs.findings.finding import CheckReport

__all__ = [
    "AP",
    "AUC",
    "BPM",
    "CG",
    "DCG",
    "ERR",
    "INSQ",
    "INST",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "OPA",
    "RBP",
    "RR",
    "SDCG",
    "CheckReport",
    "Compat",
    "CoverageError",
    "DuplicateError",
    "Evaluation",
    "F",
    "FallOut",
    "InputError",
    "Judged",
    "MeanRank",
    "Measure",
    "MeasureError",
    "MismatchError",
    "MissingDependencyError",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "Own",
    "P",
    "ParseError",
    "Q",
    "Qrels",
    "R",
    "RBPResidual",
    "RankingLoss",
    "RankmarkError",
    "RankmarkWarning",
    "Rprec",
    "Run",
    "SchemaError",
    "Success",
    "__version__",
    "check",
    "convert",
    "evaluate",
    "measure",
    "nDCG",
    "nERR",
    "similarity",
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
    "CG": "rankmark.measures",
    "DCG": "rankmark.measures",
    "RR": "rankmark.measures",
    "F": "rankmark.measures",
    "Judged": "rankmark.measures",
    "Measure": "rankmark.measures",
    "NumQ": "rankmark.measures",
    "NumRel": "rankmark.measures",
    "NumRelRet": "rankmark.measures",
    "NumRet": "rankmark.measures",
    "Own": "rankmark.measures.own",
    "P": "rankmark.measures",
    "R": "rankmark.measures",
    "Rprec": "rankmark.measures",
    "Success": "rankmark.measures",
    "nDCG": "rankmark.measures",
    "Q": "rankmark.measures",
    "RBP": "rankmark.measures",
    "RBPResidual": "rankmark.measures",
    "ERR": "rankmark.measures",
    "nERR": "rankmark.measures",
    "INST": "rankmark.measures",
    "INSQ": "rankmark.measures",
    "SDCG": "rankmark.measures",
    "BPM": "rankmark.measures",
    "NERR8": "rankmark.measures",
    "NERR9": "rankmark.measures",
    "NERR10": "rankmark.measures",
    "NERR11": "rankmark.measures",
    "AUC": "rankmark.measures",
    "OPA": "rankmark.measures",
    "RankingLoss": "rankmark.measures",
    "Compat": "rankmark.measures",
    "CoverageError": "rankmark.measures",
    "MeanRank": "rankmark.measures",
    "FallOut": "rankmark.measures",
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
