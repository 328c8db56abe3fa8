"""The measures, one file each; ALL lists them, and names of any tool find them."""

from rankmark.measures.ap import AP
from rankmark.measures.cg import CG
from rankmark.measures.dcg import DCG
from rankmark.measures.f import F
from rankmark.measures.judged import Judged
from rankmark.measures.measure import Measure
from rankmark.measures.ndcg import nDCG
from rankmark.measures.num_q import NumQ
from rankmark.measures.num_rel import NumRel
from rankmark.measures.num_rel_ret import NumRelRet
from rankmark.measures.num_ret import NumRet
from rankmark.measures.p import P
from rankmark.measures.r import R
from rankmark.measures.rprec import Rprec
from rankmark.measures.rr import RR
from rankmark.measures.success import Success

ALL: tuple[Measure, ...] = (
    P,
    R,
    F,
    Success,
    Rprec,
    RR,
    AP,
    CG,
    DCG,
    nDCG,
    Judged,
    NumQ,
    NumRet,
    NumRel,
    NumRelRet,
)

DEFAULT: tuple[Measure, ...] = (nDCG @ 10, AP, RR @ 10, R @ 100, P @ 10, Judged @ 10)
"""What is measured where nothing is asked for."""

__all__ = [
    "ALL",
    "AP",
    "CG",
    "DCG",
    "DEFAULT",
    "RR",
    "F",
    "Judged",
    "Measure",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "Rprec",
    "Success",
    "nDCG",
]
