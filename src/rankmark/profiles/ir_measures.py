"""ir_measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankmark.measures import (
    AP,
    AP_IA,
    BPM,
    ERR,
    ERR_IA,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    NRBP,
    P_IA,
    RBP,
    RR,
    SDCG,
    Bpref,
    F,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    StRecall,
    Success,
    alpha_DCG,
    alpha_nDCG,
    infAP,
    nDCG,
    nERR_IA,
    nNRBP,
)
from rankmark.profiles.conditions import JUDGED_ONLY
from rankmark.profiles.profile import Difference, Meaning, Profile

# It has each measure computed by another tool, with the rules of that tool.
OWN_PYTHON: Mapping[str, Any] = {"ties": "docid-asc", "precision": "double"}
_CWL = {"ties": "input", "precision": "double"}
_GDEVAL = {"precision": "double"}
_NDEVAL = {"ties": "docid-asc", "precision": "double"}
_ANSWERED = {"queries": "both"}

PROFILE = Profile(
    name="ir_measures",
    tool="ir_measures",
    version="0.4.3",
    source="https://github.com/terrierteam/ir_measures, its default providers",
    summary="One interface to pytrec_eval, cwl_eval, pyndeval, gdeval and measures of its own.",
    compared="random collections, in each test run",
    conventions={"precision": "float32"},
    measures=(
        Meaning("P[{parameters}]@{k} | Precision[{parameters}]@{k} | P(cutoff={k})", P),
        Meaning("R[{parameters}]@{k} | Recall[{parameters}]@{k}", R),
        Meaning("AP[{parameters}][@{k}] | MAP[{parameters}][@{k}]", AP),
        Meaning("RR[{parameters}] | MRR[{parameters}]", RR),
        Meaning("RR[{parameters}]@{k} | MRR[{parameters}]@{k}", RR, "", OWN_PYTHON),
        Meaning("Rprec[{parameters}] | RPrec[{parameters}]", Rprec),
        Meaning(
            "nDCG(dcg=\"exp-log2\")[@{k}] | nDCG(dcg='exp-log2')[@{k}]",
            nDCG(gain="exp2"),
            "",
            _GDEVAL,
        ),
        Meaning("nDCG[{parameters}][@{k}] | NDCG[{parameters}][@{k}]", nDCG),
        Meaning("Success[{parameters}]@{k}", Success),
        Meaning("Bpref[{parameters}] | BPref[{parameters}]", Bpref),
        Meaning("infAP[{parameters}]", infAP),
        Meaning(
            "IPrec[{parameters}][@{hundredths}]",
            IPrec(rounding="tenth"),
            "the recall is rounded to two decimals",
        ),
        Meaning("SetP[{parameters}]", P),
        Meaning("SetR[{parameters}]", R),
        Meaning("SetRelP[{parameters}]", R(norm="min")),
        Meaning("SetAP[{parameters}]", AP(precision="set")),
        Meaning("SetF[{parameters}]", F, "beta there is the square of beta here"),
        Meaning("NumRet[{parameters}]", NumRet),
        Meaning("NumRelRet[{parameters}]", NumRelRet),
        Meaning("NumQ", NumQ, "", _ANSWERED),
        Meaning("NumRel[{parameters}]", NumRel, "", _ANSWERED),
        Meaning("Judged[@{k}]", Judged, "", OWN_PYTHON),
        Meaning("RBP[{parameters}]", RBP(p=0.8, norm="k") @ 1000, "", _CWL),
        Meaning("SDCG[{parameters}]@{k}", SDCG, "", _CWL),
        Meaning("BPM[{parameters}]@{k}", BPM, "", _CWL),
        Meaning("INST[{parameters}]", INST, "", _CWL),
        Meaning("INSQ[{parameters}]", INSQ, "", _CWL),
        Meaning("NERR8[{parameters}]@{k}", NERR8, "", _CWL),
        Meaning("NERR9[{parameters}]@{k}", NERR9, "", _CWL),
        Meaning("NERR10[{parameters}]", NERR10, "", _CWL),
        Meaning("NERR11[{parameters}]", NERR11, "", _CWL),
        Meaning("ERR@{k}", ERR, "rounded to five decimals there", _GDEVAL),
        Meaning("alpha_nDCG[{parameters}][@{k}]", alpha_nDCG, "", _NDEVAL),
        Meaning("alpha_DCG[{parameters}][@{k}]", alpha_DCG, "", _NDEVAL),
        Meaning("ERR_IA[{parameters}][@{k}]", ERR_IA, "", _NDEVAL),
        Meaning("nERR_IA[{parameters}][@{k}]", nERR_IA, "", _NDEVAL),
        Meaning("NRBP[{parameters}]", NRBP, "", _NDEVAL),
        Meaning("nNRBP[{parameters}]", nNRBP, "", _NDEVAL),
        Meaning("AP_IA[{parameters}] | MAP_IA[{parameters}]", AP_IA, "", _NDEVAL),
        Meaning("P_IA[{parameters}][@{k}]", P_IA, "", _NDEVAL),
        Meaning("StRecall[{parameters}][@{k}]", StRecall, "", _NDEVAL),
        Meaning(
            "Compat[{parameters}]",
            None,
            "it sums only to the end of the longer of the two lists; write the parameters and a "
            "cutoff, as in Compat(p=0.95)@1000, which gives the number of the authors' script",
        ),
        Meaning(
            "Accuracy[{parameters}][@{k}]",
            None,
            "it leaves out queries for which nothing relevant was retrieved; write "
            'AUC(norm="hits"), in which they count 0',
        ),
    ),
    differences=(
        Difference(
            "Judged fails for a query without documents; here it is 0",
            "empty rankings",
            ("Judged",),
        ),
        Difference(
            "the numbers of a query whose labels are all below 0 depend on the previous query",
            "only negative labels",
        ),
        Difference(
            "judged_only also removes documents with labels below 0",
            "negative labels",
            (JUDGED_ONLY,),
        ),
        Difference("ERR and nDCG with exp-log2 are rounded to five decimals for each query"),
        Difference("at cutoff 1, alpha_DCG and ERR_IA are not normalised; here they are"),
        Difference("labels above max_rel are clipped; here they are refused"),
    ),
)
