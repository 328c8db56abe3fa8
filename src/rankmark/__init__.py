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
        AP_IA,
        CG,
        DCG,
        ERR_IA,
        NRBP,
        P_IA,
        RR,
        F,
        Judged,
        Measure,
        NumPrefs,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        P,
        Prefs,
        R,
        Rprec,
        StRecall,
        Success,
        alpha_DCG,
        alpha_nDCG,
        nDCG,
        nERR_IA,
        nNRBP,
    )
    from rankmark.measures.names import measure
    from rankmark.report.convert import convert
    from rankmark.sources import Qrels, Run
    from rankmark.verbs.check import check
    from rankmark.verbs.compare_leaderboards import compare_leaderboards
    from rankmark.verbs.compare_rankings import compare_rankings
    from rankmark.verbs.evaluate import evaluate
    from rankmark.verbs.findings.finding import CheckReport

__all__ = [
    "AP",
    "AP_IA",
    "CG",
    "DCG",
    "ERR_IA",
    "NRBP",
    "P_IA",
    "RR",
    "CheckReport",
    "DuplicateError",
    "Evaluation",
    "F",
    "InputError",
    "Judged",
    "Measure",
    "MeasureError",
    "MismatchError",
    "MissingDependencyError",
    "NumPrefs",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "ParseError",
    "Prefs",
    "Qrels",
    "R",
    "RankmarkError",
    "RankmarkWarning",
    "Rprec",
    "Run",
    "SchemaError",
    "StRecall",
    "Success",
    "__version__",
    "alpha_DCG",
    "alpha_nDCG",
    "check",
    "compare_leaderboards",
    "compare_rankings",
    "convert",
    "evaluate",
    "measure",
    "nDCG",
    "nERR_IA",
    "nNRBP",
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
    "compare_leaderboards": "rankmark.verbs.compare_leaderboards",
    "compare_rankings": "rankmark.verbs.compare_rankings",
    "evaluate": "rankmark.verbs.evaluate",
    "Evaluation": "rankmark.evaluation",
    "AP": "rankmark.measures",
    "CG": "rankmark.measures",
    "DCG": "rankmark.measures",
    "RR": "rankmark.measures",
    "F": "rankmark.measures",
    "Judged": "rankmark.measures",
    "Measure": "rankmark.measures",
    "NumPrefs": "rankmark.measures",
    "NumQ": "rankmark.measures",
    "NumRel": "rankmark.measures",
    "NumRelRet": "rankmark.measures",
    "NumRet": "rankmark.measures",
    "P": "rankmark.measures",
    "Prefs": "rankmark.measures",
    "R": "rankmark.measures",
    "Rprec": "rankmark.measures",
    "Success": "rankmark.measures",
    "nDCG": "rankmark.measures",
    "alpha_DCG": "rankmark.measures",
    "alpha_nDCG": "rankmark.measures",
    "ERR_IA": "rankmark.measures",
    "nERR_IA": "rankmark.measures",
    "NRBP": "rankmark.measures",
    "nNRBP": "rankmark.measures",
    "AP_IA": "rankmark.measures",
    "P_IA": "rankmark.measures",
    "StRecall": "rankmark.measures",
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
