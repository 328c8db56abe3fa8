"""The measures of trec_eval 9 and 10: what they are called there, and what they are here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.alignment.alignment import ratio
from rankmark.errors import MeasureError
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
from rankmark.scoring.aggregates import LEAST_IN_GMEAN
from rankmark.scoring.over_groups import score

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenth / 10 for tenth in range(11))
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))


class Column(NamedTuple):
    """A number that trec_eval prints for a query.

    Parameters
    ----------
    name
        Under which it is printed, such as ``ndcg_cut_10``.
    measure
        What it is here; None for text, such as the name of the run, whose number is 0.
    printed
        ``"as it is"``; ``"log"``, the logarithm, as of measures averaged geometrically;
        ``"relevant"``, 0 for queries without a document of the relevance level; ``"ideal"``, of the
        ideal ranking; or ``"residual"``, 0 for queries of which every document is judged.
    family
        The name without parameters.
    gains
        The gains by label that were given, if any.
    length
        Of text, how many documents it is about.
    """

    name: str
    measure: Measure | None
    printed: str = "as it is"
    family: str = ""
    gains: tuple[tuple[int, float], ...] = ()
    length: int = 10


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
        As of a column.
    has_level
        Whether it depends on the relevance level.
    version
        The first version of trec_eval that has it, of 9 and 10.
    judged
        The judgments that it is computed from: ``"qrels"``; ``"prefs"``; ``"qrels_jg"``, qrels of
        several judges; or ``"any"``.
    """

    measure: Measure | None
    parameter: str | None = None
    defaults: tuple[float, ...] = ()
    printed: str = "as it is"
    has_level: bool = True
    version: int = 9
    judged: str = "qrels"


def _cut(measure: Measure, defaults: tuple[float, ...] = _CUTOFFS, **others: Any) -> Family:
    return Family(measure, "k", defaults, **others)


def _graded(measure: Measure, **others: Any) -> Family:
    return Family(measure, "gains", has_level=False, **others)


def _prefs(measure: Measure) -> Family:
    return Family(measure, has_level=False, judged="prefs")


_BY_GROUP = Prefs(average="groups")
_BALANCED = _BY_GROUP(nonrelevant="balanced")

# In trec_eval's order, which is that of its output.
FAMILIES: dict[str, Family] = {
    "runid": Family(None, judged="any"),
    "num_q": Family(NumQ, has_level=False, judged="any"),
    "num_ret": Family(NumRet, has_level=False),
    "num_rel": Family(NumRel),
    "num_rel_ret": Family(NumRelRet),
    "map": Family(AP),
    "gm_map": Family(AP, printed="log"),
    "Rprec": Family(Rprec),
    "bpref": Family(Bpref),
    "recip_rank": Family(RR),
    "iprec_at_recall": Family(IPrec, "recall", _TENTHS),
    "P": _cut(P),
    "relstring": Family(None, "length"),
    "recall": _cut(R),
    "infAP": Family(infAP),
    "gm_bpref": Family(Bpref, printed="log"),
    "Rprec_mult": Family(Rprec, "multiple", _FIFTHS),
    "utility": Family(Utility, "coefficients"),
    "11pt_avg": Family(IPrec, "recalls"),
    "binG": Family(binG),
    "G": _graded(G),
    "dcg": _graded(DCG, version=10),
    "ideal_dcg": _graded(DCG, printed="ideal", version=10),
    "ndcg": _graded(nDCG),
    "ndcg_rel": _graded(nDCGrel),
    "Rndcg": _graded(Rndcg, printed="relevant"),
    "ndcg_cut": _cut(nDCG, has_level=False),
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
    "rbp": _graded(RBP(max_rel="query"), version=10),
    "rbp_resid": _graded(RBPResidual, printed="residual", version=10),
    "unj": _cut(Unjudged, (5, 10, 20), has_level=False, version=10),
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
_PREFS = frozenset(
    {"runid", "num_q"}
    | {f"prefs_{what}" for what in ("simp", "pair", "avgjg")}
    | {f"prefs_num_prefs_{what}" for what in ("poss", "ful", "ful_ret")}
)
NICKNAMES: dict[str, frozenset[str]] = {
    "official": _COUNTS | {"map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"},
    "set": _COUNTS | {"utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"},
    "all_trec": ALL_TREC[9],
    "all_prefs": frozenset(
        name for name, family in FAMILIES.items() if family.judged in {"any", "prefs"}
    ),
    "prefs": _PREFS,
    "qrels_jg": frozenset(
        name for name, family in FAMILIES.items() if family.judged in {"any", "qrels_jg"}
    ),
}
"""trec_eval 9's sets of measures by name; in version 10, ``all_trec`` has some more."""

NAMES = ALL_TREC[9]
"""The names that pytrec_eval knows, without parameters."""


def takes_parameters(name: str) -> bool:
    """Return whether numbers after a name mean anything."""
    return FAMILIES[name].parameter is not None


def columns_of(
    requested: Mapping[str, Iterable[float]], level: int
) -> tuple[tuple[Column, ...], tuple[Measure, ...]]:
    """Return what trec_eval 9 computes, in its order, and the measures that this needs.

    Parameters
    ----------
    requested
        The parameters by name; none for the defaults.
    level
        The lowest relevant label.

    Raises
    ------
    MeasureError
        If a parameter cannot be used.
    """
    columns = tuple(
        column
        for name in FAMILIES
        if name in requested
        for column in columns_with(name, sorted({*requested[name]}), level, 9)
    )
    return columns, needed_by(columns, level)


def needed_by(columns: Iterable[Column], level: int) -> tuple[Measure, ...]:
    """Return the measures that columns need, without duplicates."""
    columns = tuple(columns)
    needed = [column.measure for column in columns if column.measure is not None]
    if any(column.measure is None or column.printed == "relevant" for column in columns):
        needed.append(NumRel(rel=level))
    return tuple(dict.fromkeys(needed))


def columns_with(name: str, numbers: Sequence[float], level: int, version: int) -> list[Column]:
    """Return what trec_eval computes under a name for these parameters, or by default.

    Raises
    ------
    MeasureError
        If a parameter cannot be used.
    """
    family = FAMILIES[name]
    measure = family.measure
    if measure is None:
        return [Column(name, None, family=name)]
    if version == 9 and measure == IPrec:
        measure = measure(rounding="tenth")
    if family.has_level and level != 1:
        measure = measure(rel=level)
    if family.parameter == "k":
        cutoffs = sorted({int(number) for number in numbers or family.defaults})
        if cutoffs[0] < 1:
            raise MeasureError(f"{name} has cutoff {cutoffs[0]}", "need a cutoff from 1")
        return [Column(f"{name}_{k}", measure(k=k), family=name) for k in cutoffs]
    if family.defaults:
        assert family.parameter is not None  # noqa: S101
        return [
            Column(f"{name}_{number:.2f}", measure(**{family.parameter: number}), family=name)
            for number in numbers or family.defaults
        ]
    if numbers and family.parameter is not None:
        measure = _with_numbers(name, measure, family.parameter, numbers)
    return [Column(name, measure, family.printed, name)]


def scored(measure: Measure, a: Alignment) -> Floats:
    """Score each query as trec_eval does: (Q,) float64.

    Its Rndcg leaves a loop too late to see the last rank of rankings with one document more than
    there are gains (m_Rndcg.c). Its set_F multiplies precision and recall (m_set_F.c), whose last
    bit decides how a value between two decimals is printed.
    """
    if isinstance(measure, type(Rndcg)):
        gained = a.ideal_sum((a.ideal_label > 0).astype(np.float64)).astype(np.int64)
        a = a.with_columns(retrieved=np.where(a.retrieved == gained + 1, gained, a.retrieved))
    if isinstance(measure, type(F)):
        square = round(measure.beta**2, 12)
        precision, recall = score(P(rel=measure.rel), a), score(R(rel=measure.rel), a)
        return ratio((square + 1.0) * precision * recall, square * precision + recall)
    return score(measure, a)


def _with_numbers(name: str, measure: Measure, parameter: str, numbers: Sequence[float]) -> Measure:
    if parameter == "recalls":
        return measure(recall=tuple(numbers))
    if parameter == "square" and len(numbers) == 1 and numbers[0] == 0:
        return P(rel=getattr(measure, "rel", None))
    if parameter == "square" and len(numbers) == 1 and numbers[0] > 0:
        return measure(beta=numbers[0] ** 0.5)
    remedy = {
        "gains": f"leave it out; for a cutoff write {name}_cut_{numbers[0]:g}"
        if name == "ndcg"
        else "leave it out",
        "square": "give one number, the square of beta",
        "coefficients": "leave them out, or evaluate rankmark.Utility with hit= and the others",
    }[parameter]
    given = ",".join(f"{number:g}" for number in numbers)
    raise MeasureError(f"{name} cannot be computed with the parameters {given}", remedy)


def printed(
    column: Column, measures: Sequence[Measure], scores: Sequence[Floats], level: int
) -> Floats:
    """Return the numbers that trec_eval prints, from the scores of measures: (Q,) float64."""
    if column.measure is None:
        return np.zeros(len(scores[0]))
    values = scores[measures.index(column.measure)]
    if column.printed == "log":
        return np.log(np.maximum(values, LEAST_IN_GMEAN))
    if column.printed == "relevant":
        return np.where(scores[measures.index(NumRel(rel=level))] > 0, values, 0.0)
    return values
