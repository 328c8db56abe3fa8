"""Sets of measures that others report together, each with a name."""

from __future__ import annotations

from typing import NamedTuple


class MeasureSet(NamedTuple):
    """A set of measures.

    Parameters
    ----------
    measures
        Their names, separated by commas, as the grammar reads them.
    meaning
        Who reports them.
    """

    measures: str
    meaning: str


_BEIR = "1,3,5,10,100,1000"
_TREC = "5,10,15,20,30,100,200,500,1000"
_TENTHS = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"
_FIFTHS = "0.2,0.4,0.6,0.8,1,1.2,1.4,1.6,1.8,2"
_OFFICIAL = (
    "NumQ, NumRet, NumRel, NumRelRet, AP, AP(aggregate=gmean), Rprec, Bpref, RR, "
    f"iprec_at_recall.{_TENTHS}, P@{_TREC}"
)

FAMILY_OF_P = f"P@{_TREC}"
"""What trec_eval computes under P alone, which is the name of one measure here."""

FAMILIES: dict[str, str] = {
    "ndcg_cut": f"nDCG@{_TREC}",
    "map_cut": f"AP@{_TREC}",
    "relative_P": f"relative_P@{_TREC}",
    "P_avgjg": FAMILY_OF_P,
    "unj": "Unjudged@5,10,20",
    "iprec_at_recall": f"iprec_at_recall.{_TENTHS}",
    "Rprec_mult": f"Rprec_mult.{_FIFTHS}",
    "Rprec_mult_avgjg": f"Rprec_mult.{_FIFTHS}",
}
"""What trec_eval computes under a name alone, without a number."""

FAMILIES_AS_WRITTEN: dict[str, str] = {"success": "Success@1,5,10"}
"""The same for names that differ from the name of a measure here only by case."""

SETS: dict[str, MeasureSet] = {
    "official": MeasureSet(
        _OFFICIAL,
        "what trec_eval prints by default",
    ),
    "all_trec": MeasureSet(
        f"{_OFFICIAL}, R@{_TREC}, infAP, gm_bpref, "
        f"Rprec_mult.{_FIFTHS}, Utility, IPrec, binG, G, nDCG, nDCGrel, "
        f"Rndcg, nDCG@{_TREC}, AP@{_TREC}, relative_P@{_TREC}, Success@1,5,10, P, R(norm=min), R, "
        "AP(precision=set), F, NumNonrelJudgedRet, Unjudged@5,10,20",
        "what trec_eval prints with -m all_trec, but rbp and rbp_resid",
    ),
    "all_prefs": MeasureSet(
        "prefs_num_prefs_poss, prefs_num_prefs_ful, prefs_num_prefs_ful_ret, prefs_simp, "
        "prefs_pair, prefs_avgjg, prefs_avgjg_Rnonrel, prefs_simp_ret, prefs_pair_ret, "
        "prefs_avgjg_ret, prefs_avgjg_Rnonrel_ret, prefs_simp_imp, prefs_pair_imp, prefs_avgjg_imp",
        "what trec_eval prints with -m all_prefs, but num_q",
    ),
    "qrels_jg": MeasureSet(
        f"map_avgjg, P_avgjg@{_TREC}, Rprec_mult_avgjg.{_FIFTHS}",
        "what trec_eval prints with -m qrels_jg, but num_q",
    ),
    "beir": MeasureSet(
        f"nDCG@{_BEIR}, AP@{_BEIR}, R@{_BEIR}, P@{_BEIR}",
        "what BEIR's EvaluateRetrieval prints: NDCG, MAP, Recall and P",
    ),
    "msmarco": MeasureSet("RR@10", "the measure of the MS MARCO leaderboards, MRR@10"),
    "trec-dl": MeasureSet(
        "nDCG@10, AP(rel=2), RR(rel=2), R(rel=2)@100,1000",
        "passage ranking in the TREC Deep Learning track, where labels from 2 on are relevant",
    ),
}
"""The sets by name; case and hyphens do not matter."""


def is_set(name: str) -> bool:
    """Return whether a name is that of a set."""
    spelled = {one.lower().replace("-", "_") for one in SETS}
    return name.strip().lower().replace("-", "_") in spelled
