"""The measures, one file each; ALL lists them, and names of any tool find them."""

from rankmark.measures.ap import AP
from rankmark.measures.bing import binG
from rankmark.measures.bpref import Bpref
from rankmark.measures.cg import CG
from rankmark.measures.dcg import DCG
from rankmark.measures.f import F
from rankmark.measures.g import G
from rankmark.measures.infap import infAP
from rankmark.measures.iprec import IPrec
from rankmark.measures.judged import Judged
from rankmark.measures.measure import Measure
from rankmark.measures.ndcg import nDCG
from rankmark.measures.ndcg_rel import nDCGrel
from rankmark.measures.num_nonrel_judged_ret import NumNonrelJudgedRet
from rankmark.measures.num_q import NumQ
from rankmark.measures.num_rel import NumRel
from rankmark.measures.num_rel_ret import NumRelRet
from rankmark.measures.num_ret import NumRet
from rankmark.measures.p import P
from rankmark.measures.r import R
from rankmark.measures.rndcg import Rndcg
from rankmark.measures.rprec import Rprec
from rankmark.measures.rr import RR
from rankmark.measures.success import Success
from rankmark.measures.unjudged import Unjudged
from rankmark.measures.utility import Utility
from rankmark.measures.yaap import yaAP

ALL: tuple[Measure, ...] = (
    P,
    R,
    F,
    Success,
    Rprec,
    IPrec,
    Utility,
    RR,
    AP,
    infAP,
    yaAP,
    Bpref,
    CG,
    DCG,
    nDCG,
    nDCGrel,
    Rndcg,
    G,
    binG,
    Judged,
    Unjudged,
    NumQ,
    NumRet,
    NumRel,
    NumRelRet,
    NumNonrelJudgedRet,
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
    "Bpref",
    "F",
    "G",
    "IPrec",
    "Judged",
    "Measure",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "Rndcg",
    "Rprec",
    "Success",
    "Unjudged",
    "Utility",
    "binG",
    "infAP",
    "nDCG",
    "nDCGrel",
    "yaAP",
]
