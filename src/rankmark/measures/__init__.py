"""The measures, one file each."""

from rankmark.measures.alpha_dcg import alpha_DCG
from rankmark.measures.alpha_ndcg import alpha_nDCG
from rankmark.measures.ap import AP
from rankmark.measures.ap_ia import AP_IA
from rankmark.measures.auc import AUC
from rankmark.measures.base.measure import Measure
from rankmark.measures.bing import binG
from rankmark.measures.bpm import BPM
from rankmark.measures.bpref import Bpref
from rankmark.measures.cg import CG
from rankmark.measures.compat import Compat
from rankmark.measures.coverage_error import CoverageError
from rankmark.measures.dcg import DCG
from rankmark.measures.err import ERR
from rankmark.measures.err_ia import ERR_IA
from rankmark.measures.f import F
from rankmark.measures.fall_out import FallOut
from rankmark.measures.g import G
from rankmark.measures.hole import Hole
from rankmark.measures.infap import infAP
from rankmark.measures.insq import INSQ
from rankmark.measures.inst import INST
from rankmark.measures.iprec import IPrec
from rankmark.measures.judged import Judged
from rankmark.measures.mean_rank import MeanRank
from rankmark.measures.ncg import NCG
from rankmark.measures.ncu import NCU
from rankmark.measures.ndcg import nDCG
from rankmark.measures.ndcg_rel import nDCGrel
from rankmark.measures.nerr import nERR
from rankmark.measures.nerr8 import NERR8
from rankmark.measures.nerr9 import NERR9
from rankmark.measures.nerr10 import NERR10
from rankmark.measures.nerr11 import NERR11
from rankmark.measures.nerr_ia import nERR_IA
from rankmark.measures.nnrbp import nNRBP
from rankmark.measures.nrbp import NRBP
from rankmark.measures.num_nonrel_judged_ret import NumNonrelJudgedRet
from rankmark.measures.num_prefs import NumPrefs
from rankmark.measures.num_q import NumQ
from rankmark.measures.num_rel import NumRel
from rankmark.measures.num_rel_ret import NumRelRet
from rankmark.measures.num_ret import NumRet
from rankmark.measures.o_measure import OMeasure
from rankmark.measures.opa import OPA
from rankmark.measures.p import P
from rankmark.measures.p_ia import P_IA
from rankmark.measures.p_measure import PMeasure
from rankmark.measures.p_plus import PPlus
from rankmark.measures.prefs import Prefs
from rankmark.measures.q import Q
from rankmark.measures.r import R
from rankmark.measures.ranking_loss import RankingLoss
from rankmark.measures.rbp import RBP
from rankmark.measures.rbp_residual import RBPResidual
from rankmark.measures.recall_area import RecallArea
from rankmark.measures.recall_at_precision import RecallAtPrecision
from rankmark.measures.rndcg import Rndcg
from rankmark.measures.rprec import Rprec
from rankmark.measures.rr import RR
from rankmark.measures.sdcg import SDCG
from rankmark.measures.strecall import StRecall
from rankmark.measures.success import Success
from rankmark.measures.tbg import TBG
from rankmark.measures.u import U
from rankmark.measures.unjudged import Unjudged
from rankmark.measures.utility import Utility
from rankmark.measures.wss import WSS
from rankmark.measures.yaap import yaAP

ALL: tuple[Measure, ...] = (
    P, R, F, Success, Rprec, IPrec, RecallAtPrecision, Utility,
    RR, AP, infAP, yaAP, Bpref,
    CG, NCG, DCG, nDCG, nDCGrel, Rndcg, G, binG, Q, OMeasure, PMeasure, PPlus, NCU,
    RBP, RBPResidual, ERR, nERR, INST, INSQ, SDCG, BPM, NERR8, NERR9, NERR10, NERR11, TBG, U,
    Compat,
    AUC, OPA, Prefs, NumPrefs, RankingLoss, CoverageError, MeanRank, FallOut, Judged,
    WSS, RecallArea,
    alpha_DCG, alpha_nDCG, ERR_IA, nERR_IA, NRBP, nNRBP, AP_IA, P_IA, StRecall,
    Unjudged, Hole, NumQ, NumRet, NumRel, NumRelRet, NumNonrelJudgedRet,
)  # fmt: skip
"""All measures, in the order in which they are listed."""

DEFAULT: tuple[Measure, ...] = (nDCG @ 10, AP, RR @ 10, R @ 100, P @ 10, Judged @ 10)
"""The measures that are computed if none are chosen."""

__all__ = [
    "ALL", "AP", "AP_IA", "AUC", "BPM", "CG", "DCG", "DEFAULT", "ERR", "ERR_IA", "INSQ", "INST",
    "NCG", "NCU", "NERR8", "NERR9", "NERR10", "NERR11", "NRBP", "OPA", "P_IA", "RBP", "RR", "SDCG",
    "TBG", "WSS", "Bpref", "Compat", "CoverageError", "F", "FallOut", "G", "Hole", "IPrec",
    "Judged", "MeanRank", "Measure", "NumNonrelJudgedRet", "NumPrefs", "NumQ", "NumRel",
    "NumRelRet", "NumRet", "OMeasure", "P", "PMeasure", "PPlus", "Prefs", "Q", "R", "RBPResidual",
    "RankingLoss", "RecallArea", "RecallAtPrecision", "Rndcg", "Rprec", "StRecall", "Success", "U",
    "Unjudged", "Utility", "alpha_DCG", "alpha_nDCG", "binG", "infAP", "nDCG", "nDCGrel", "nERR",
    "nERR_IA", "nNRBP", "yaAP",
]  # fmt: skip
