"""The measures, one file each; ALL lists them, and names of any tool find them."""

from rankmark.measures.alpha_dcg import alpha_DCG
from rankmark.measures.alpha_ndcg import alpha_nDCG
from rankmark.measures.ap import AP
from rankmark.measures.ap_ia import AP_IA
from rankmark.measures.cg import CG
from rankmark.measures.dcg import DCG
from rankmark.measures.err_ia import ERR_IA
from rankmark.measures.f import F
from rankmark.measures.judged import Judged
from rankmark.measures.measure import Measure
from rankmark.measures.ndcg import nDCG
from rankmark.measures.nerr_ia import nERR_IA
from rankmark.measures.nnrbp import nNRBP
from rankmark.measures.nrbp import NRBP
from rankmark.measures.num_prefs import NumPrefs
from rankmark.measures.num_q import NumQ
from rankmark.measures.num_rel import NumRel
from rankmark.measures.num_rel_ret import NumRelRet
from rankmark.measures.num_ret import NumRet
from rankmark.measures.p import P
from rankmark.measures.p_ia import P_IA
from rankmark.measures.prefs import Prefs
from rankmark.measures.r import R
from rankmark.measures.rprec import Rprec
from rankmark.measures.rr import RR
from rankmark.measures.strecall import StRecall
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
    Prefs,
    NumPrefs,
    Judged,
    alpha_DCG,
    alpha_nDCG,
    ERR_IA,
    nERR_IA,
    NRBP,
    nNRBP,
    AP_IA,
    P_IA,
    StRecall,
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
    "AP_IA",
    "CG",
    "DCG",
    "DEFAULT",
    "ERR_IA",
    "NRBP",
    "P_IA",
    "RR",
    "F",
    "Judged",
    "Measure",
    "NumPrefs",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "Prefs",
    "R",
    "Rprec",
    "StRecall",
    "Success",
    "alpha_DCG",
    "alpha_nDCG",
    "nDCG",
    "nERR_IA",
    "nNRBP",
]
