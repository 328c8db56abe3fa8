"""The table of what functions compute: sums, what they are divided by, and their names.

A measure is a sum over the ranking divided by a number, such as the DCG by that of an ideal
ranking, or hits by relevant documents. ``FORMULAS`` has these by measure, each with the
conventions and mistakes under which it is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Any, Literal, NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures import AP, DCG, RBP, RR, F, P, R, Rprec, Success, nDCG
from rankmark.measures.counts import NumRelRet

CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
"""Cutoffs of their own that functions may have."""


class Way(NamedTuple):
    """One value of a parameter of a measure, or of how a ranking is read or a number written.

    Parameters
    ----------
    value
        As the measures here take it, if they have it.
    words
        What it means, to be read after the name of the measure and a colon.
    of
        What it computes of its part of the formula.
    kind
        Whether trec_eval computes so ("usual"), another tool does or may ("convention"), or it is
        taken for a mistake ("bug").
    advice
        Of a bug: what is wrong with it, and what to write.
    """

    value: Any
    words: str
    of: Callable[..., Any] = str
    kind: Literal["usual", "convention", "bug"] = "convention"
    advice: str = ""


Fraction = tuple[float, float]


class View(NamedTuple):
    """Labels up to the cutoff, of the whole ranking, and of all judged documents; the cutoff."""

    first: tuple[float, ...]
    ranked: tuple[float, ...]
    judged: tuple[float, ...]
    k: int


def bug(value: Any, words: str, advice: str, of: Callable[..., Any] = str) -> Way:
    """Return a way that is taken for a mistake."""
    return Way(value, words, of, "bug", advice)


def _count(labels: Sequence[float], rel: Way) -> float:
    return float(sum(map(rel.of, labels)))


def _falling(labels: Sequence[float]) -> list[float]:
    return sorted(labels, reverse=True)


_MOST_WITH_IDEAL = 2  # ways that are not the first


def _inverse(rank: int) -> float:
    return 1 / rank if rank else math.inf


_OFF_BY_ONE = "ranks are counted from 1, and the discount of rank i is log2(i + 1)"
_GAINS_1 = "a document with label 0 gains 1; write "
_NOT_RELEVANT = "documents with label 0 are not relevant; count the labels from 1 on"
_HIGHEST_FIRST = "the ideal ranking has the highest labels first; sort the labels descending"
_RELEVANT = Way(1.0, "labels from 1 on as relevant", lambda x: x >= 1, "usual")
_REL = (
    _RELEVANT,
    Way(2.0, "labels from 2 on as relevant", lambda x: x >= 2),
    Way(3.0, "labels from 3 on as relevant", lambda x: x >= 3),
    bug(0.0, "documents judged as not relevant counted as relevant", _NOT_RELEVANT, lambda x: 1),  # noqa: ARG005
    bug("sum", "labels added up instead of relevant documents counted", "count labels from 1 on",
        lambda x: x),
)  # fmt: skip
_GAIN = (
    Way("linear", "gain label", lambda x: x),
    Way("exp2", "gain 2^label - 1", lambda x: 2.0**x - 1),
    Way("binary", "gain 1 for labels above 0", lambda x: (x > 0) * 1.0),
    Way("from 2", "gain 1 for labels from 2 on", lambda x: (x >= 2) * 1.0),
    bug("2^label", "gain 2^label, without the - 1", f"{_GAINS_1}2**label - 1", lambda x: 2.0**x),
    Way("label^2", "gain label^2", lambda x: x**2),
    bug("label^2-1", "gain label^2 - 1", "2**label - 1 was meant", lambda x: x**2 - 1),
    bug("label+1", "gain label + 1", f"{_GAINS_1}the label itself", lambda x: x + 1),
)
_DISCOUNT = (
    Way("log2", "discount log2(rank + 1)", lambda i: np.log2(i + 1)),
    Way(2.0, "ranks 1 and 2 undiscounted, then log2(rank)", lambda i: np.maximum(1, np.log2(i))),
    Way(10.0, "ranks up to 10 undiscounted, then log10(rank)",
        lambda i: np.maximum(1, np.log10(i))),
    bug("log2+2", "discount log2(rank + 2)", _OFF_BY_ONE, lambda i: np.log2(i + 2)),
    bug("1+log2", "discount 1 + log2(rank)", _OFF_BY_ONE, lambda i: 1 + np.log2(i)),
    Way("rank", "discount 1/rank", lambda i: i),
    bug("rank+1", "discount 1/(rank + 1)", "1 is added once too often", lambda i: i + 1),
    Way("root", "discount 1/sqrt(rank)", np.sqrt),
    Way("none", "no discount", np.ones_like),
    Way("ln", "discount ln(rank + 1)", lambda i: np.log(i + 1)),
    Way("log10", "discount log10(rank + 1)", lambda i: np.log10(i + 1)),
)  # fmt: skip
_IDEAL = (
    Way("judged", "ideal ranking of all judged documents", lambda v: _falling(v.judged)[: v.k]),
    bug("retrieved@k", "ideal ranking of only the first k documents",
        "relevant documents below rank k, or not retrieved, cost nothing: a ranking whose first k "
        "documents are in the best order gets 1; sort all judged labels, then cut at k",
        lambda v: _falling(v.first)),
    Way("retrieved", "ideal ranking of the retrieved documents",
        lambda v: _falling(v.ranked)[: v.k]),
    Way("uncut", "ideal ranking of all judged documents, not cut at k",
        lambda v: _falling(v.judged)),
    Way("retrieved-uncut", "ideal ranking of all retrieved documents, not cut at k",
        lambda v: _falling(v.ranked)),
    Way("k", "ideal ranking of k documents with the highest gain",
        lambda v: [max(v.judged, default=0.0)] * v.k),
    Way("ones", "ideal ranking of k documents with gain 1", lambda v: v.k),
    bug("n-ones", "ideal ranking of as many relevant documents as were retrieved",
        "a perfect ranking gets less than 1 where fewer are relevant; use min(R, k)",
        lambda v: len(v.first)),
    Way("r-ones", "ideal ranking of min(R, k) documents with gain 1",
        lambda v: min(v.k, _count(v.judged, _RELEVANT))),
    Way("found-ones", "ideal ranking of the relevant documents found, with gain 1",
        lambda v: _count(v.first, _RELEVANT)),
    bug("given", "ideal ranking of the labels in the order given, not sorted", _HIGHEST_FIRST,
        lambda v: v.judged[: v.k]),
    bug("rising", "ideal ranking with the lowest labels first", _HIGHEST_FIRST,
        lambda v: sorted(v.judged)[: v.k]),
)  # fmt: skip
_NORM = {
    "k": Way("k", "divided by the cutoff", lambda v, _: v.k),
    "retrieved": Way("retrieved", "divided by the documents retrieved",
                     lambda v, _: len(v.first)),
    "relevant": Way("relevant", "divided by all relevant documents",
                    lambda v, rel: _count(v.judged, rel)),
    "min": Way("min", "divided by min(R, k)", lambda v, rel: min(_count(v.judged, rel), v.k)),
    "hits": Way("hits", "divided by the relevant documents found",
                lambda v, rel: _count(v.first, rel)),
    "min(R,n)": Way("min(R,n)", "divided by min(R, retrieved)",
                    lambda v, rel: min(_count(v.judged, rel), len(v.first))),
    "found": Way("found", "divided by the relevant documents of the whole list, not all relevant "
                 "documents", lambda v, rel: _count(v.ranked, rel)),
    "judged": bug("judged", "divided by all judged documents, relevant or not", _NOT_RELEVANT,
                  lambda v, _: len(v.judged)),
    "all": bug("all", "divided by all documents retrieved, also those below k",
               "a longer list lowers the precision at the same k; divide by k",
               lambda v, _: len(v.ranked)),
    "cost nothing": bug(
        "retrieved", "divided by the documents retrieved up to k",
        "a relevant document that was not retrieved must cost something; divide by R",
        lambda v, _: len(v.first)),
}  # fmt: skip
_RANKS = (
    Way(0, ""),
    bug(-1, "ranks counted from 0", "the first rank is 1; enumerate(..., 1) counts so"),
    bug(1, "ranks counted from 2", "the first rank is 1; 1 is added once too often"),
)


def _norms(*names: str) -> tuple[Way, ...]:
    return tuple(_NORM[name] for name in names)


def _in_the_ideal_only(several: tuple[Way, ...]) -> tuple[Way, ...]:
    advice = "an ideal ranking does not get 1; use one function for both"
    words = "{} in the ideal DCG only"
    return Way(None, ""), *(bug(w.value, words.format(w.words), advice, w.of) for w in several)


_TRIED: dict[str, dict[str, tuple[Way, ...]]] = {
    "nDCG": {
        "gain": _GAIN,
        "discount": _DISCOUNT,
        "ideal": _IDEAL,
        "ideal_gain": _in_the_ideal_only(_GAIN),
        "ideal_discount": _in_the_ideal_only(_DISCOUNT),
    },
    "DCG": {"gain": _GAIN, "discount": _DISCOUNT},
    "AP": {
        "norm": _norms(
            "relevant", "min", "hits", "k", "min(R,n)", "found", "judged", "cost nothing"
        ),
        "at": (Way("hits", ""), bug(
            "all", "the precision at every rank added up, not only at relevant ones",
            "only the ranks of relevant documents count")),
        "hits": (Way("through", ""), bug(
            "before", "the hits before each relevant document counted, without itself",
            "the relevant document at rank i counts in the precision at i; count it first")),
        "ranks": _RANKS,
        "rel": _REL[:4],
    },
    "RR": {
        "of": (
            Way("first", "", lambda ranks: [_inverse(i) for i in ranks[:1]]),
            bug("last", "the last relevant document instead of the first", "stop at the first hit",
                lambda ranks: [_inverse(i) for i in ranks[-1:]]),
            Way("mean", "the mean of 1/rank over the relevant documents found",
                lambda ranks: [_inverse(i) / len(ranks) for i in ranks]),
            Way("sum", "the sum of 1/rank over the relevant documents found",
                lambda ranks: [_inverse(i) for i in ranks]),
            Way("rank", "the rank itself, not its reciprocal", lambda ranks: ranks[:1]),
            Way("mean rank", "the mean rank of the relevant documents found",
                lambda ranks: [i / len(ranks) for i in ranks]),
        ),
        "ranks": _RANKS,
        "rel": _REL[:4],
    },
    "R": {"norm": _norms("relevant", "min", "min(R,n)", "found", "judged"), "rel": _REL},
    "P": {"norm": _norms("k", "retrieved", "all"), "rel": _REL},
    "F": {
        "norm": _norms("k", "retrieved"),
        "beta": tuple(Way(beta, f"beta {beta}") for beta in (1, 0.5, 2)),
        "rel": _REL[:4],
    },
    "Jaccard": {"rel": _REL[:4]},
    "Success": {
        "of": (Way("any", "", lambda _: 1),
               Way("every", "1 only if all relevant documents are found", lambda every: every)),
        "rel": _REL[:4],
    },
    "Rprec": {"rel": _REL[:4]},
    "NumRelRet": {"rel": _REL},
    "RBP": {
        "p": tuple(Way(p, f"p={p}", kind="usual") for p in (0.8, 0.9, 0.85, 0.5, 0.95)),
        "gain": (_GAIN[2], _GAIN[0], _GAIN[1]),
        "norm": (
            Way("endless", "", lambda p, _: 1 / (1 - p)),
            bug("none", "without the factor 1 - p", "values above 1 come out; multiply by 1 - p",
                lambda _, n: 1),  # noqa: ARG005
            Way("reached", "divided by its greatest value at this depth",
                lambda p, n: (1 - p**n) / (1 - p)),
        ),
        "ranks": _RANKS[::2],
    },
}  # fmt: skip
WAYS = {
    family: {name: (few[0]._replace(kind="usual"), *few[1:]) for name, few in tried.items()}
    for family, tried in _TRIED.items()
}
"""The parameters of each measure with their ways, the usual one first."""
ORDER = (
    Way("ranked", "", lambda seen: seen.ranked, "usual"),
    bug("reversed", "the ranking read backwards", "the best document comes first",
        lambda seen: seen.ranked[::-1]),
    bug("sorted", "the relevant documents sorted to the front",
        "any order gets the same: sorts the labels; rank by the scores instead",
        lambda seen: tuple(_falling(seen.ranked))),
    bug("input", "the documents in the order given, without regard to their scores",
        "the scores change nothing; sort the labels by them first", lambda seen: seen.given),
)  # fmt: skip
"""How a ranking is read."""
BY_SCORES = bug(
    "reversed", "the lowest scores first",
    "higher scores are better; sort descending, as by np.argsort(-scores)", ORDER[1].of,
)  # fmt: skip
"""Reading it backwards, of functions that are given scores."""
_CUT_AT_K = "one document too {} is used; cut with [:k]".format
CUT = (
    Way("k", "", lambda k, _: (k, k), "usual"),
    bug("all", "the cutoff ignored", "documents below rank k count; cut the list at k",
        lambda k, n: (n, k)),
    bug("k + 1", "k + 1 documents", _CUT_AT_K("many"), lambda k, _: (k + 1, k + 1)),
    bug("k - 1", "k - 1 documents", _CUT_AT_K("few"), lambda k, _: (k - 1, k - 1)),
    bug("k + 1 above", "k + 1 documents, though divided as for k", _CUT_AT_K("many"),
        lambda k, _: (k + 1, k)),
    bug("k - 1 above", "k - 1 documents, though divided as for k", _CUT_AT_K("few"),
        lambda k, _: (k - 1, k)),
)  # fmt: skip
"""Where it is cut, and the cutoff that divides."""
OWN_CUT = tuple(
    Way(at, "", lambda _, n, at=at: (at or n, at or n), "usual") for at in (None, *CUTOFFS)
)
"""The same of functions that are given no cutoff."""
SCALE = (
    Way("value", "", lambda x: x, "usual"),
    Way("complement", "subtracted from 1", lambda x: 1 - x),
    Way("percent", "in percent", lambda x: x / 100),
    Way("rounded", "rounded to 3 to 6 decimals", lambda x: x),
)
"""How the number is written; each gives the value back."""
POOLED = Way(
    "pooled", "pooled over queries: the sum of what is counted by that of what it is divided by"
)


def missing(value: float) -> Way:
    """Return the way to give a number other than 0 where nothing is found."""
    return bug(value, f"{value:g} where the list found nothing relevant", "return 0 there")


@lru_cache(maxsize=1 << 14)
def _sums(labels: tuple[float, ...]) -> Floats:
    """Return the DCG under each gain and discount: (n_gains, n_discounts) float64."""
    values, ranks = np.array(labels, dtype=float), np.arange(1.0, len(labels) + 1)
    gains = np.array([gain.of(values) for gain in _GAIN])
    return gains @ np.array([1 / discount.of(ranks) for discount in _DISCOUNT]).T


_AT = {one.value: at for several in (_GAIN, _DISCOUNT) for at, one in enumerate(several)}


def _dcg(labels: Sequence[float], gain: Way, discount: Way) -> float:
    return float(_sums(tuple(labels))[_AT[gain.value], _AT[discount.value]])


def _ndcg(
    v: View, gain: Way, discount: Way, ideal: Way, ideal_gain: Way, ideal_discount: Way
) -> Fraction:
    sums, gains_are_1 = _ideal_sums(v, ideal)
    if gains_are_1:
        ideal_gain = _GAIN[0]
    at_gain = _AT[(gain if ideal_gain.value is None else ideal_gain).value]
    at_discount = _AT[(discount if ideal_discount.value is None else ideal_discount).value]
    return _dcg(v.first, gain, discount), float(sums[at_gain, at_discount])


@lru_cache(maxsize=1 << 14)
def _ideal_sums(v: View, ideal: Way) -> tuple[Floats, bool]:
    """Return the DCG of an ideal ranking, as _sums, and whether that has documents with gain 1."""
    pool = ideal.of(v)
    if isinstance(pool, (int, float)):
        return _sums((1.0,) * int(pool)), True
    return _sums(tuple(pool)), False


def _ap(v: View, norm: Way, rel: Way, at: Way, hits: Way, ranks: Way) -> Fraction:
    total = found = 0.0
    for rank, hit in enumerate(map(rel.of, v.first), 1 + ranks.value):
        before, found = found, found + hit
        if hit or at.value == "all":
            counted = before if hits.value == "before" else found
            total += counted * _inverse(rank)
    return total, norm.of(v, rel)


def _rr(v: View, of: Way, ranks: Way, rel: Way) -> Fraction:
    found = [rank for rank, x in enumerate(v.first, 1 + ranks.value) if rel.of(x)]
    return float(sum(of.of(found))), 1.0


def _rbp(v: View, p: Way, gain: Way, norm: Way, ranks: Way) -> Fraction:
    weights = p.value ** (np.arange(len(v.first)) + ranks.value)
    total = float((gain.of(np.array(v.first)) * weights).sum())
    return total / (norm.of(p.value, len(v.first)) if total else 1.0), 1.0


def _f(v: View, norm: Way, rel: Way, beta: Way) -> Fraction:
    square = beta.value**2
    divisor = norm.of(v, rel) + square * _count(v.judged, rel)
    return _count(v.first, rel), divisor / (1 + square)


def _of_sets(v: View, norm: Way, rel: Way) -> Fraction:
    return _count(v.first, rel), norm.of(v, rel)


def _jaccard(v: View, rel: Way) -> Fraction:
    found = _count(v.first, rel)
    return found, len(v.first) + _count(v.judged, rel) - found


def _success(v: View, of: Way, rel: Way) -> Fraction:
    return float(_count(v.first, rel) >= of.of(_count(v.judged, rel))), 1.0


def _rprec(v: View, rel: Way) -> Fraction:
    relevant = _count(v.judged, rel)
    return _count(v.ranked[: int(relevant)], rel), relevant


FORMULAS: dict[str, tuple[Any, Callable[..., Fraction]]] = {
    "nDCG": (nDCG, _ndcg),
    "DCG": (DCG, lambda v, gain, discount: (_dcg(v.first, gain, discount), 1.0)),
    "AP": (AP, _ap),
    "RR": (RR, _rr),
    "R": (R, _of_sets),
    "P": (P, _of_sets),
    "F": (F, _f),
    "Jaccard": (None, _jaccard),
    "Success": (Success, _success),
    "Rprec": (Rprec, _rprec),
    "NumRelRet": (NumRelRet, lambda v, rel: (_count(v.first, rel), 1.0)),
    "RBP": (RBP, _rbp),
}
"""The measure here, if there is one, and its formula: what is divided, and by what."""


@cache
def combined(family: str, most: int = 3) -> list[dict[str, Way]]:
    """Return the ways of all parameters of a measure, of which at most some are not the first.

    An ideal DCG that is computed in another way than the DCG has at most one more such way.
    """
    known = WAYS[family]
    usual = {name: several[0] for name, several in known.items()}
    return [
        {**usual, **dict(zip(names, ways, strict=True))}
        for count in range(most + 1)
        for names in combinations(known, count)
        if count <= _MOST_WITH_IDEAL or not {"ideal_gain", "ideal_discount"} & set(names)
        for ways in product(*(known[name][1:] for name in names))
    ]
