"""Names with numbers as other tools write them, which the grammar of names here does not cover."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import sqrt

from rankmark.arguments import COSTS
from rankmark.formulas import NotationError
from rankmark.measures.base.suggestions import (
    IN_RANX_NO_CUTOFF,
    MULTIPLIED,
    MULTIPLIED_FROM,
    REFUSED_AS_WRITTEN,
)

_MAYBE = re.compile(
    "utility|11pt|iprec_at|r?n?dcg|g[_.]|set_f|map|pre|rbp|hits|inst-|insq-|bpm-|nerr-|tbg-|u-l"
    rf"|(?:{'|'.join(COSTS)})\s",
    re.IGNORECASE,
)
_NUMBER = r"-?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})"
_END = r"(?=\s*(?:,|$))"
_LABELS_LISTED = 10
"""Of those without a gain, in what is to be written; scales of labels are shorter."""
_LEVEL = r"(?:-l(?P<level>\d{1,9}))?"
_AT = r"(?:@(?P<k>\d{1,18}))?"

_UTILITY = re.compile(rf"utility[_.]{','.join([f'({_NUMBER})'] * 4)}{_END}", re.IGNORECASE)
_POINTS = re.compile(
    rf"(?P<name>11pt_avg|iprec_at_recall)[_.](?P<points>{_NUMBER}(?:,{_NUMBER})*){_END}",
    re.IGNORECASE,
)
_GAINS = re.compile(
    rf"(?P<name>n?dcg|ndcg_rel|rndcg|g)[_.](?P<gains>{_NUMBER}={_NUMBER}(?:,{_NUMBER}={_NUMBER})*)"
    rf"{_END}",
    re.IGNORECASE,
)
_SET_F = re.compile(rf"set_f[_.](?P<squares>{_NUMBER}(?:,{_NUMBER})*){_END}", re.IGNORECASE)
_MINUS = re.compile(rf"(?P<name>ndcg|map|pre){_AT}-{_END}", re.IGNORECASE)
_RANX_GAIN = re.compile(
    rf"(?P<name>n?dcg)(?P<burges>_burges)?{_AT}-l(?P<level>\d{{1,2}}){_END}", re.IGNORECASE
)
_RANX_RBP = re.compile(rf"rbp\.(?P<p>\d{{1,40}})(?:@\d+)?{_LEVEL}", re.IGNORECASE)
_RANX_RBP_AT = re.compile(r"rbp@(?P<p>\d{1,40})-l(?P<level>\d{1,9})", re.IGNORECASE)
_RANX_RBP_CUT = re.compile(r"rbp@(?P<p>\d{1,40})" + _END)  # as ranx writes it, in lower case
_RANX_HITS = re.compile(rf"hits{_LEVEL}(?:@|$|-l|\s*,)")  # as ranx writes it, in lower case
_TREC_EVAL_RBP = re.compile(rf"rbp[_.]p=(?P<p>{_NUMBER})", re.IGNORECASE)
_UNTIL = re.compile(rf"({'|'.join(COSTS)}) until r ?>= ?({_NUMBER}){_END}", re.IGNORECASE)

# The names that cwl_eval prints, and the names here. Its gains are labels from 0 to 1.
_CWL = {
    r"RBP@(0?\.\d{1,40})": 'RBP(p={0}, max_rel=1, norm="k")@1000',
    r"NDCG-k@(\d{1,18})": "SDCG(max_rel=1)@{0}",
    rf"INST-T=({_NUMBER})": "INST(T={0}, max_rel=1)",
    rf"INSQ-T=({_NUMBER})": "INSQ(T={0}, max_rel=1)",
    rf"BPM-Static-T=({_NUMBER})-K=(\d{{1,18}})": "BPM(T={0}, max_rel=1)@{1}",
    r"NERR-EQ8@k=(\d{1,18})": "NERR8(max_rel=1)@{0}",
    r"NERR-EQ9@k=(\d{1,18})": "NERR9(max_rel=1)@{0}",
    rf"NERR-EQ10@phi=({_NUMBER})": "NERR10(p={0}, max_rel=1)",
    rf"TBG-H@({_NUMBER})": "TBG(halflife={0}, max_rel=1)",
    rf"U-L@({_NUMBER})": "U(L={0}, max_rel=1)",
    rf"NERR-EQ11@T=({_NUMBER})": "NERR11(T={0}, max_rel=1)",
}

_XGBOOST = {
    "ndcg": 'nDCG(gain="exp2", ideal="retrieved")',
    "map": 'AP(norm="min")',
    "pre": 'P(norm="retrieved")',
}


def read(text: str, at: int) -> tuple[str, int] | None:
    """Read a name in the notation of another tool, from a position.

    Returns
    -------
    tuple
        The name here of the measure with the same number, and the position after theirs; None if
        the text is in the notation of this library, or in none.

    Raises
    ------
    NotationError
        If the number of the measure with this name here differs from that of the other tool.
    """
    if not _MAYBE.match(text, at):
        return None
    _refuse(text, at)
    for pattern, name_here in _READ:
        if found := pattern.match(text, at):
            return name_here(found, at), found.end()
    return None


def _refuse(text: str, at: int) -> None:
    """Refuse names of other tools whose number has no name here."""
    if found := _RANX_RBP.match(text, at) or _RANX_RBP_AT.match(text, at):
        level = int(found["level"] or 1)
        texts = MULTIPLIED if level <= 1 else MULTIPLIED_FROM
        multiplied, remedy = (
            said.format(name=found[0], p=found["p"], level=level) for said in texts
        )
        raise NotationError(multiplied, at, remedy)
    if found := _RANX_RBP_CUT.match(text, at):
        said, remedy = (text.format(p=found["p"]) for text in IN_RANX_NO_CUTOFF)
        raise NotationError(said, at, remedy)
    if _RANX_HITS.match(text, at):
        raise NotationError(REFUSED_AS_WRITTEN["hits"][0], at, REFUSED_AS_WRITTEN["hits"][1])
    if found := _TREC_EVAL_RBP.match(text, at):
        remedy = REFUSED_AS_WRITTEN["rbp"][1].replace("RBP ", f"RBP(p={found['p']}) ", 1)
        remedy = remedy.replace("RBP(max", f"RBP(p={found['p']}, max")
        raise NotationError(REFUSED_AS_WRITTEN["rbp"][0], at, remedy)


def _utility(found: re.Match[str], at: int) -> str:
    """Name trec_eval's utility with its four weights."""
    hit, noise, miss, rest = found.groups()
    weights = f"Utility(hit={hit}, noise={noise}, miss={miss}"
    if float(rest):
        raise NotationError(
            f"{found[0]} weighs all other documents of the collection, and trec_eval takes their "
            "number from its option -N",
            at,
            f"write {weights}, rest={rest}, collection=N)",
        )
    return f"{weights})"


def _from_level(found: re.Match[str], at: int) -> str:
    """Name DCG or nDCG from a level on; levels up to 1 leave out nothing that has a gain."""
    name = {"dcg": "DCG", "ndcg": "nDCG"}[found["name"].lower()]
    level, burges = int(found["level"]), found["burges"]
    if level <= 1:
        return f"{name}{'(gain=exp2)' if burges else ''}{_cutoff(found['k'])}"
    gains = [label if not burges else 2**label - 1 for label in (level, level + 1)]
    listed = ", ".join(
        [f"{label}: 0" for label in range(min(level, _LABELS_LISTED))]
        + [f"{label}: {gain}" for label, gain in zip((level, level + 1), gains, strict=True)]
    )
    raise NotationError(
        f"ranx's {found[0]} gives labels below {level} no gain, also in the ideal ranking",
        at,
        f"write {name}(gain={{{listed}}}){_cutoff(found['k'])}, with every label that occurs",
    )


def _of_squares(found: re.Match[str], at: int) -> str:
    """Name trec_eval's set_F, which takes the square of beta; ir_measures reads several."""
    squares = [float(square) for square in found["squares"].split(",")]
    if min(squares) <= 0:
        raise NotationError(f"{found[0]} has no weight", at, "need a number above 0")
    return ", ".join(f"F(beta={sqrt(square)!r})" for square in squares)


def _at_points(found: re.Match[str], _: int) -> str:
    """Name precision at points of recall, in which 25 can only be .25, after the dot."""
    listed = found["points"].split(",")
    points = [f".{point}" if point.isdecimal() and int(point) > 1 else point for point in listed]
    if found["name"].lower() == "11pt_avg":
        return f"IPrec(recall=[{', '.join(points)}])"
    return ", ".join(f"IPrec(recall={point})" for point in points)


def _with_gains(found: re.Match[str], _: int) -> str:
    """Name a measure with gains of labels; the other labels keep theirs in trec_eval."""
    named = {"dcg": "DCG", "ndcg": "nDCG", "ndcg_rel": "nDCGrel", "rndcg": "Rndcg", "g": "G"}
    gains = found["gains"].replace("=", ": ")
    return f'{named[found["name"].lower()]}(gain={{{gains}, "other": "linear"}})'


def _cutoff(k: str | None) -> str:
    return "" if k is None else f"@{k}"


_READ: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], int], str]], ...] = (
    (_UTILITY, _utility),
    (_POINTS, _at_points),
    (_GAINS, _with_gains),
    (_SET_F, _of_squares),
    (_MINUS, lambda found, _: _XGBOOST[found["name"].lower()] + _cutoff(found["k"])),
    (_RANX_GAIN, _from_level),
    (_UNTIL, lambda found, _: f'CostUntil(of="{found[1].lower()}", recall={found[2]})'),
    *(
        (
            re.compile(theirs + _END, re.IGNORECASE),
            lambda found, _, here=here: here.format(*found.groups()),
        )
        for theirs, here in _CWL.items()
    ),
)
