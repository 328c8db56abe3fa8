"""The measures of ir_measures: what they are here, and under which conventions they are computed.

ir_measures leaves each measure to another tool, whose conventions are part of the number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ir_measures.providers.base import NOT_PROVIDED

from rankmark.conventions import Conventions
from rankmark.errors import MeasureError
from rankmark.measures import (
    ERR,
    RBP,
    RR,
    SDCG,
    Compat,
    F,
    IPrec,
    Measure,
    NumRelRet,
    NumRet,
    P,
    R,
    nDCG,
)
from rankmark.profiles.ir_measures import PROFILE

if TYPE_CHECKING:
    import ir_measures

_TREC_EVAL = Conventions(precision="float32")  # pytrec_eval
_IDS_UP = Conventions(ties="docid-asc")  # the provider's own Python
_AS_GIVEN = Conventions(ties="input")  # cwl_eval
_GDEVAL = Conventions()

_DEEPER_THAN_ANY_RANKING = 10**9


class Meaning(NamedTuple):
    """What a measure of ir_measures is here.

    Parameters
    ----------
    measure
        The measure that gives its numbers.
    conventions
        Those of the tool to which ir_measures leaves the measure.
    highest
        Higher labels count as this one; None if there is no limit.
    gains
        Gains of labels; other labels are their own gains. None if labels are not mapped.
    to_the_end
        Its cutoff is the end of the ranking or of the ideal ranking, whichever is longer.
    """

    measure: Measure
    conventions: Conventions
    highest: float | None = None
    gains: Mapping[float, float] | None = None
    to_the_end: bool = False


def meaning_of(asked: ir_measures.Measure) -> Meaning | None:
    """Return what a measure of ir_measures is here; None if there is no such measure here."""
    given = {
        name: asked[name] for name in asked.SUPPORTED_PARAMS if asked[name] is not NOT_PROVIDED
    }
    judged_only = given.pop("judged_only", False)
    if "cutoff" in given:
        given["k"] = given.pop("cutoff")
    try:
        meaning = _meaning(str(asked.NAME), given)
    except MeasureError:  # a parameter that is not allowed here
        return None
    if meaning is None or not judged_only:
        return meaning
    return meaning._replace(conventions=replace(meaning.conventions, judged_only=True))


def _meaning(name: str, given: dict[str, Any]) -> Meaning | None:
    if special := _SPECIAL.get(name):
        return special(given)
    declared = _DECLARED.get(name)
    if declared is None or not isinstance(declared.measure, Measure):
        return None
    chosen = {**PROFILE.conventions, **declared.conventions}
    chosen.pop("queries", None)  # ir_measures gives numbers of queries in both, of all measures
    return Meaning(
        _with(declared.measure, given), Conventions(**chosen), highest=given.get("max_rel")
    )


def _with(measure: Measure, given: Mapping[str, Any]) -> Measure:
    return measure(**given) if given else measure


def _rr(given: dict[str, Any]) -> Meaning:
    """Break ties as MS MARCO's script if there is a cutoff, and as trec_eval without one."""
    return Meaning(_with(RR, given), _IDS_UP if "k" in given else _TREC_EVAL)


def _ndcg(given: dict[str, Any]) -> Meaning:
    exponential = given.pop("dcg") == "exp-log2"
    gains = given.pop("gains", None)
    if exponential:
        if gains is not None:
            raise MeasureError("gains are mapped before they are exponential", "leave out one")
        return Meaning(nDCG(gain="exp2", **given), _GDEVAL)
    return Meaning(_with(nDCG, given), _TREC_EVAL, gains=gains)


def _err(given: dict[str, Any]) -> Meaning:
    return Meaning(_with(ERR, given), _GDEVAL)


def _set_p(given: dict[str, Any]) -> Meaning:
    relative = given.pop("relative")
    return Meaning((R(norm="min") if relative else P)(**given), _TREC_EVAL)


def _set_f(given: dict[str, Any]) -> Meaning:
    """Take the root of beta, which is trec_eval's, the square of van Rijsbergen's."""
    return Meaning(F(beta=given.pop("beta") ** 0.5, **given), _TREC_EVAL)


def _num_ret(given: dict[str, Any]) -> Meaning:
    return Meaning(NumRelRet(**given) if given else NumRet, _TREC_EVAL)


def _iprec(given: dict[str, Any]) -> Meaning:
    """Round recall to two decimals, as it does; trec_eval 9 rounds up from a tenth on."""
    recall = float(f"{given.pop('recall'):.2f}")
    return Meaning(IPrec(recall=recall, rounding="tenth", **given), _TREC_EVAL)


def _sdcg(given: dict[str, Any]) -> Meaning:
    del given["dcg"]  # it has one value
    return Meaning(SDCG(**given), _AS_GIVEN, highest=given["max_rel"])


def _rbp(given: dict[str, Any]) -> Meaning | None:
    """Refuse a cutoff and graded relevance, which no tool computes for ir_measures."""
    if "rel" not in given or "k" in given:
        return None
    return Meaning(RBP(norm="k", k=1000, **given), _AS_GIVEN)


def _compat(given: dict[str, Any]) -> Meaning | None:
    if not given.pop("normalize"):
        return None
    return Meaning(Compat(k=_DEEPER_THAN_ANY_RANKING, **given), _IDS_UP, to_the_end=True)


_SPECIAL = {
    "RR": _rr,
    "nDCG": _ndcg,
    "ERR": _err,
    "SetP": _set_p,
    "SetF": _set_f,
    "NumRet": _num_ret,
    "IPrec": _iprec,
    "SDCG": _sdcg,
    "RBP": _rbp,
    "Compat": _compat,
}
"""Measures whose parameters have other meanings here."""

_DECLARED = {row.name: row for row in PROFILE.measures}
"""What the profile says of every measure; unless special, it takes the same parameters here."""
