"""The names of trec_eval 9 and 10, and the measures here: one table for all that reads them.

The grammar of names, the sets of measures, the profiles of trec_eval and pytrec_eval, and their
interfaces in ``rankmark.compat`` are derived from it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rankmark.measures import (
    AP,
    DCG,
    RBP,
    RR,
    Bpref,
    F,
    G,
    IPrec,
    Measure,
    NumNonrelJudgedRet,
    NumPrefs,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    Prefs,
    R,
    RBPResidual,
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
from rankmark.measures.base.suggestions import REFUSED, REFUSED_AS_WRITTEN

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenth / 10 for tenth in range(11))
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))


class Family(NamedTuple):
    """What trec_eval computes under one name, for each of its parameters.

    Parameters
    ----------
    measure
        None for text.
    parameter
        What the numbers after the name set; None if they set nothing.
    defaults
        The numbers if none are given.
    printed
        What trec_eval prints for a query: the value ``"as it is"``; its logarithm (``"log"``), of
        measures that are averaged geometrically; the value, but 0 without a document of the
        relevance level (``"relevant"``); that of the ideal ranking (``"ideal"``); or the value, but
        0 if every document is judged (``"residual"``).
    version
        The first version of trec_eval that has it, of 9 and 10.
    judged
        The judgments that it is computed from: ``"qrels"``; ``"prefs"``; ``"qrels_jg"``, qrels of
        several judges; or ``"any"``.
    refused
        Why only the interfaces print it, and what to write in evaluations; empty for measures.
    """

    measure: Measure | None
    parameter: str | None = None
    defaults: tuple[float, ...] = ()
    printed: str = "as it is"
    version: int = 9
    judged: str = "qrels"
    refused: tuple[str, ...] = ()

    def of_version(self, version: int) -> Measure | None:
        """Return the measure of a version, 9 or 10; only interpolated precision differs."""
        if version == 9 and self.measure == IPrec:
            return IPrec(rounding="tenth")
        return self.measure

    def by_default(self, version: int = 10) -> tuple[Measure, ...]:
        """Return what is computed under the name alone; nothing for text."""
        measure = self.of_version(version)
        if measure is None or self.refused:
            return ()
        if self.printed == "log":
            return (measure(aggregate="gmean"),)
        if self.parameter is None or not self.defaults:
            return (measure,)
        return tuple(measure(**{self.parameter: number}) for number in self.defaults)


def _cut(measure: Measure, defaults: tuple[float, ...] = _CUTOFFS, **others: Any) -> Family:
    return Family(measure, "k", defaults, **others)


def _graded(measure: Measure, **others: Any) -> Family:
    return Family(measure, "gains", **others)


def _prefs(measure: Measure) -> Family:
    return Family(measure, judged="prefs")


_BY_GROUP = Prefs(average="groups")
_BALANCED = _BY_GROUP(nonrelevant="balanced")
# In trec_eval's order, which is that of its output.
FAMILIES: dict[str, Family] = {
    "runid": Family(None, judged="any", refused=REFUSED["runid"]),
    "num_q": Family(NumQ, judged="any"),
    "num_ret": Family(NumRet),
    "num_rel": Family(NumRel),
    "num_rel_ret": Family(NumRelRet),
    "map": Family(AP),
    "gm_map": Family(AP, printed="log"),
    "Rprec": Family(Rprec),
    "bpref": Family(Bpref),
    "recip_rank": Family(RR),
    "iprec_at_recall": Family(IPrec, "recall", _TENTHS),
    "P": _cut(P),
    "relstring": Family(None, "length", refused=REFUSED["relstring"]),
    "recall": _cut(R),
    "infAP": Family(infAP),
    "gm_bpref": Family(Bpref, printed="log"),
    "Rprec_mult": Family(Rprec, "multiple", _FIFTHS),
    "utility": Family(Utility, "coefficients"),
    "11pt_avg": Family(IPrec, "recalls"),
    "binG": Family(binG),
    "G": _graded(G),
    "dcg": _graded(DCG, version=10),
    "ideal_dcg": _graded(DCG, printed="ideal", version=10, refused=REFUSED["idcg"]),
    "ndcg": _graded(nDCG),
    "ndcg_rel": _graded(nDCGrel),
    "Rndcg": _graded(Rndcg, printed="relevant"),
    "ndcg_cut": _cut(nDCG),
    "map_cut": _cut(AP),
    "relative_P": _cut(R(norm="min")),
    "success": _cut(Success, (1, 5, 10)),
    "set_P": Family(P),
    "set_relative_P": Family(R(norm="min")),
    "set_recall": Family(R),
    "set_map": Family(AP(precision="set")),
    "set_F": Family(F, "square"),
    "num_nonrel_judged_ret": Family(NumNonrelJudgedRet),
    "prefs_num_prefs_poss": _prefs(NumPrefs),
    "prefs_num_prefs_ful": _prefs(NumPrefs(of="fulfilled")),
    "prefs_num_prefs_ful_ret": _prefs(NumPrefs(of="fulfilled", counted="retrieved")),
    "prefs_simp": _prefs(Prefs),
    "prefs_pair": _prefs(Prefs(average="pairs")),
    "prefs_avgjg": _prefs(_BY_GROUP),
    "prefs_avgjg_Rnonrel": _prefs(_BALANCED),
    "prefs_simp_ret": _prefs(Prefs(counted="retrieved")),
    "prefs_pair_ret": _prefs(Prefs(average="pairs", counted="retrieved")),
    "prefs_avgjg_ret": _prefs(_BY_GROUP(counted="retrieved")),
    "prefs_avgjg_Rnonrel_ret": _prefs(_BALANCED(counted="retrieved")),
    "prefs_simp_imp": _prefs(Prefs(counted="implied")),
    "prefs_pair_imp": _prefs(Prefs(average="pairs", counted="implied")),
    "prefs_avgjg_imp": _prefs(_BY_GROUP(counted="implied")),
    "map_avgjg": Family(AP, judged="qrels_jg"),
    "P_avgjg": _cut(P, judged="qrels_jg"),
    "Rprec_mult_avgjg": Family(Rprec, "multiple", _FIFTHS, judged="qrels_jg"),
    "yaap": Family(yaAP),
    "rbp": _graded(RBP(max_rel="query"), version=10, refused=REFUSED_AS_WRITTEN["rbp"]),
    "rbp_resid": _graded(RBPResidual, printed="residual", version=10, refused=REFUSED["rbp_resid"]),
    "unj": _cut(Unjudged, (5, 10, 20), version=10),
}

_UNLISTED = ("yaap", "dcg", "ideal_dcg")  # computed, but in no set
ALL_TREC = {
    version: frozenset(
        name
        for name, family in FAMILIES.items()
        if family.version <= version and family.judged in {"any", "qrels"} and name not in _UNLISTED
    )
    for version in (9, 10)
}
"""The names in trec_eval's set ``all_trec``, by version."""
_COUNTS = frozenset({"runid", "num_q", "num_ret", "num_rel", "num_rel_ret"})
NICKNAMES: dict[str, frozenset[str]] = {
    "official": _COUNTS | {"map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"},
    "set": _COUNTS | {"utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"},
    "all_trec": ALL_TREC[9],
    "all_prefs": frozenset(
        name for name, family in FAMILIES.items() if family.judged in {"any", "prefs"}
    ),
    "prefs": frozenset(
        {"runid", "num_q"}
        | {f"prefs_{what}" for what in ("simp", "pair", "avgjg")}
        | {f"prefs_num_prefs_{what}" for what in ("poss", "ful", "ful_ret")}
    ),
    "qrels_jg": frozenset(
        name for name, family in FAMILIES.items() if family.judged in {"any", "qrels_jg"}
    ),
}
"""trec_eval 9's sets of measures by name; in version 10, ``all_trec`` has some more."""


def measures_of_set(name: str) -> tuple[Measure, ...]:
    """Return the measures of a set, in trec_eval's order, as version 10 has them.

    Sets of preferences and of judgment groups are here without num_q, which counts no judgments.
    """
    names = ALL_TREC[10] if name == "all_trec" else NICKNAMES[name]
    alone = {"num_q"} if name in {"all_prefs", "qrels_jg"} else set()
    listed = [FAMILIES[one].by_default() for one in FAMILIES if one in names and one not in alone]
    return tuple(measure for several in listed for measure in several)
