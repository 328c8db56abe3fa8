"""rankmark measures how good a ranking is, fast, and says why the number is what it is."""

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
from rankmark.evaluate import evaluate
from rankmark.evaluation import Evaluation
from rankmark.measures import (
    AP,
    CG,
    DCG,
    RR,
    F,
    Judged,
    Measure,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    Success,
    nDCG,
)
from rankmark.measures.names import measure
from rankmark.sources import Qrels, Run
from rankmark.version import __version__

__all__ = [
    "AP",
    "CG",
    "DCG",
    "RR",
    "DuplicateError",
    "Evaluation",
    "F",
    "InputError",
    "Judged",
    "Measure",
    "MeasureError",
    "MismatchError",
    "MissingDependencyError",
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
    "Rprec",
    "Run",
    "SchemaError",
    "Success",
    "__version__",
    "evaluate",
    "measure",
    "nDCG",
]
