"""The table of what functions compute: sums, what they are divided by, and their names.

A measure is a sum over the ranking divided by a number, such as the DCG by that of an ideal
ranking, or hits by relevant documents. ``ABOVE`` and ``BELOW`` have these by measure, each under
the conventions and mistakes that give it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.measures import AP, DCG, RBP, RR, F, P, R, Rprec, Success, nDCG
from rankmark.measures.num_rel_ret import NumRelRet
from rankmark.verbs.reconcile.alternatives import choice_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankmark.array_types import Floats

Kind = Literal["usual", "convention", "bug"]


class Way(NamedTuple):
    """One value of a parameter of a measure.

    Parameters
    ----------
    value
        As the measures here take it, if they have it.
    words
        What it means, to be read after the name of the measure and a colon.
    kind
        Whether trec_eval computes so ("usual"), another tool does or may ("convention"), or it is
        taken for a mistake ("bug").
    advice
        Of a bug: what is wrong with it, and what to write.
    """

    value: Any
    words: str
    kind: Kind = "convention"
    advice: str = ""


def _known(name: str, measure: Any, *values: Any) -> list[Way]:
    """Return ways that ``reconcile`` knows, too, in its words."""
    return [Way(value, choice_of(name, value, measure).words) for value in values]


def _bug(value: Any, words: str, advice: str) -> Way:
    return Way(value, words, "bug", advice)


_OFF_BY_ONE = "ranks are counted from 1, and the discount of rank i is log2(i + 1)"
_GAINS_1 = "a document with label 0 gains 1; write "
_NOT_RELEVANT = "documents with label 0 are not relevant; count the labels from 1 on"
_MUST_COST = "a relevant document that was not retrieved must cost something; divide by R"
_REL = (
    Way(1.0, "labels from 1 on as relevant", "usual"),
    Way(2.0, "labels from 2 on as relevant"),
    Way(3.0, "labels from 3 on as relevant"),
    _bug(0.0, "documents judged as not relevant counted as relevant", _NOT_RELEVANT),
    _bug("sum", "labels added up instead of relevant documents counted", "count labels from 1 on"),
)
_GAIN = (
    *_known("gain", nDCG, "linear", "exp2", "binary"),
    _bug("2^label", "gain 2^label, without the - 1", f"{_GAINS_1}2**label - 1"),
    Way("label^2", "gain label^2"),
    _bug("label^2-1", "gain label^2 - 1", "2**label - 1 was meant"),
    _bug("label+1", "gain label + 1", f"{_GAINS_1}the label itself"),
)
_DISCOUNT = (
    *_known("discount", nDCG, "log2", 2.0, 10.0),
    _bug("log2+2", "discount log2(rank + 2)", _OFF_BY_ONE),
    _bug("1+log2", "discount 1 + log2(rank)", _OFF_BY_ONE),
    Way("rank", "discount 1/rank"),
    _bug("rank+1", "discount 1/(rank + 1)", "1 is added once too often"),
    Way("root", "discount 1/sqrt(rank)"),
    Way("none", "no discount"),
    Way("ln", "discount ln(rank + 1)"),
    Way("log10", "discount log10(rank + 1)"),
)
_FIRST = (
    "relevant documents below rank k, or not retrieved, cost nothing: a ranking whose first k "
    "documents are in the best order gets 1; sort all judged labels, then cut at k"
)
_AS_RETRIEVED = "a perfect ranking gets less than 1 where fewer are relevant; use min(R, k)"
_HIGHEST_FIRST = "the ideal ranking has the highest labels first; sort the labels descending"
_IDEAL = (
    *_known("ideal", nDCG, "judged"),
    _bug("retrieved@k", "ideal ranking of only the first k documents", _FIRST),
    *_known("ideal", nDCG, "retrieved", "uncut"),
    Way("retrieved-uncut", "ideal ranking of all retrieved documents, not cut at k"),
    *_known("ideal", nDCG, "k"),
    Way("ones", "ideal ranking of k documents with gain 1"),
    _bug("n-ones", "ideal ranking of as many relevant documents as were retrieved", _AS_RETRIEVED),
    Way("r-ones", "ideal ranking of min(R, k) documents with gain 1"),
    Way("found-ones", "ideal ranking of the relevant documents found, with gain 1"),
    _bug("given", "ideal ranking of the labels in the order given, not sorted", _HIGHEST_FIRST),
    _bug("rising", "ideal ranking with the lowest labels first", _HIGHEST_FIRST),
)
_MISMATCH = "an ideal ranking does not get 1; use one function for both"
_NORM = {
    "k": "divided by the cutoff",
    "retrieved": "divided by the documents retrieved",
    "relevant": "divided by all relevant documents",
    "min": "divided by min(R, k)",
    "hits": "divided by the relevant documents found",
    "min(R,n)": "divided by min(R, retrieved)",
    "found": "divided by the relevant documents of the whole list, not all relevant documents",
}
_WHOLE_LIST = _bug(
    "all", "divided by all documents retrieved, also those below k",
    "a longer list lowers the precision at the same k; divide by k",
)  # fmt: skip
_JUDGED = _bug("judged", "divided by all judged documents, relevant or not", _NOT_RELEVANT)
_AT = (
    Way("hits", ""),
    _bug("all", "the precision at every rank added up, not only at relevant ones",
         "only the ranks of relevant documents count"),
)  # fmt: skip
_HITS = (
    Way("through", ""),
    _bug("before", "the hits before each relevant document counted, without itself",
         "the relevant document at rank i counts in the precision at i; count it first"),
)  # fmt: skip
_RANKS = (
    Way(0, ""),
    _bug(-1, "ranks counted from 0", "the first rank is 1; enumerate(..., 1) counts so"),
    _bug(1, "ranks counted from 2", "the first rank is 1; 1 is added once too often"),
)
_OF = (
    Way("first", ""),
    _bug("last", "the last relevant document instead of the first", "stop at the first hit"),
    Way("mean", "the mean of 1/rank over the relevant documents found"),
    Way("sum", "the sum of 1/rank over the relevant documents found"),
    Way("rank", "the rank itself, not its reciprocal"),
    Way("mean rank", "the mean rank of the relevant documents found"),
)
_RBP_NORM = (
    Way("endless", ""),
    _bug("none", "without the factor 1 - p", "values above 1 come out; multiply by 1 - p"),
    Way("reached", "divided by its greatest value at this depth"),
)
_LONE = {"k + 1": "one document too many is used", "k - 1": "one document too few is used"}
_CUT = (
    Way("k", ""),
    _bug("all", "the cutoff ignored", "documents below rank k count; cut the list at k"),
    *(_bug(f"{n}{only}", f"{n} documents{words}", f"{advice}; cut with [:k]")
      for only, words in (("", ""), (" above", ", though divided as for k"))
      for n, advice in _LONE.items()),
)  # fmt: skip
_ORDER = (
    Way("ranked", ""),
    _bug("reversed", "the ranking read backwards", "the best document comes first"),
    _bug("sorted", "the relevant documents sorted to the front",
         "any order gets the same: sorts the labels; rank by the scores instead"),
    _bug("input", "the documents in the order given, without regard to their scores",
         "the scores change nothing; sort the labels by them first"),
)  # fmt: skip
_LOWEST_FIRST = _bug(
    "reversed", "the lowest scores first",
    "higher scores are better; sort descending, as by np.argsort(-scores)",
)  # fmt: skip
_SCALE = (
    Way("value", ""),
    Way("complement", "subtracted from 1"),
    Way("percent", "in percent"),
    Way("rounded", "rounded to 3 to 6 decimals"),
)
_MISSES = "found nothing relevant"
_POOLED = "pooled over queries: the sum of what is counted by that of what it is divided by"


def _norms(*values: str) -> tuple[Way, ...]:
    return tuple(Way(value, _NORM[value]) for value in values)


WAYS: dict[str, dict[str, tuple[Way, ...]]] = {
    "nDCG": {"gain": _GAIN, "discount": _DISCOUNT, "ideal": _IDEAL},
    "DCG": {"gain": _GAIN, "discount": _DISCOUNT},
    "AP": {
        "norm": (*_norms("relevant", "min", "hits", "k", "min(R,n)", "found"), _JUDGED,
                 _bug("retrieved", "divided by the documents retrieved up to k", _MUST_COST)),
        "at": _AT, "hits": _HITS, "ranks": _RANKS, "rel": _REL[:4],
    },
    "RR": {"of": _OF, "ranks": _RANKS, "rel": _REL[:4]},
    "R": {"norm": (*_norms("relevant", "min", "min(R,n)", "found"), _JUDGED), "rel": _REL},
    "P": {"norm": (*_norms("k", "retrieved"), _WHOLE_LIST), "rel": _REL},
    "F": {"norm": _norms("k", "retrieved"), "beta": tuple(Way(b, f"beta {b}") for b in (1, 0.5, 2)),
          "rel": _REL[:4]},
    "Jaccard": {"rel": _REL[:4]},
    "Success": {"of": (Way("any", ""), Way("every", "1 only if all relevant documents are found")),
                "rel": _REL[:4]},
    "Rprec": {"rel": _REL[:4]},
    "NumRelRet": {"rel": _REL},
    "RBP": {"p": tuple(Way(p, f"p={p}", "usual") for p in (0.8, 0.9, 0.85, 0.5, 0.95)),
            "gain": (_GAIN[2], _GAIN[0], _GAIN[1]), "norm": _RBP_NORM, "ranks": _RANKS[::2]},
}  # fmt: skip
"""The parameters of each measure with their ways, the usual one first."""
MEASURES: dict[str, Any] = {
    "nDCG": nDCG, "DCG": DCG, "AP": AP, "RR": RR, "R": R, "P": P, "F": F, "Success": Success,
    "Rprec": Rprec, "NumRelRet": NumRelRet, "RBP": RBP,
}  # fmt: skip
"""The measures here with these names."""


def ways(family: str, name: str) -> tuple[Way, ...]:
    """Return the ways of a parameter of a measure, or of how rankings are read, cut and written."""
    shared = {"cut": _CUT, "order": _ORDER, "scale": _SCALE}
    return shared[name] if name in shared else WAYS[family][name]


def way(family: str, name: str, value: Any, *, by_scores: bool = False) -> Way:
    """Return the way of a value; the first of each parameter is usual."""
    if name in {"ideal_gain", "ideal_discount"}:
        of_both = way(family, name.removeprefix("ideal_"), value)
        return _bug(value, f"{of_both.words} in the ideal DCG only", _MISMATCH)
    if name == "cut" and not isinstance(value, str):  # of functions without a cutoff
        return Way(value, "", "usual")
    if name == "misses":
        return _bug(value, f"{value:g} where the list {_MISSES}", "return 0 there")
    if name == "average":
        return Way(value, _POOLED)
    if name == "order" and value == "reversed" and by_scores:
        return _LOWEST_FIRST
    several = ways(family, name)
    found = next(one for one in several if one.value == value)
    return found._replace(kind="usual") if found is several[0] else found


class View(NamedTuple):
    """A ranking as a formula uses it: read in some order, and cut.

    Parameters
    ----------
    first, ranked
        Labels up to the cutoff, and all of them.
    judged
        Labels of all judged documents.
    k
        The cutoff that divides.
    """

    first: tuple[float, ...]
    ranked: tuple[float, ...]
    judged: tuple[float, ...]
    k: int


Key = tuple[tuple[str, Any], ...]
Parts = dict[Key, "Callable[[View], float]"]

_GAINS: dict[Any, Callable[[Floats], Floats]] = {
    "linear": lambda x: x,
    "exp2": lambda x: 2.0**x - 1,
    "binary": lambda x: (x > 0).astype(float),
    "2^label": lambda x: 2.0**x,
    "label^2": lambda x: x**2,
    "label^2-1": lambda x: x**2 - 1,
    "label+1": lambda x: x + 1,
}
_DISCOUNTS: dict[Any, Callable[[Floats], Floats]] = {
    "log2": lambda i: np.log2(i + 1),
    2.0: lambda i: np.maximum(1, np.log2(i)),
    10.0: lambda i: np.maximum(1, np.log10(i)),
    "log2+2": lambda i: np.log2(i + 2),
    "1+log2": lambda i: 1 + np.log2(i),
    "rank": lambda i: i,
    "rank+1": lambda i: i + 1,
    "root": np.sqrt,
    "none": np.ones_like,
    "ln": lambda i: np.log(i + 1),
    "log10": lambda i: np.log10(i + 1),
}
_IDEALS: dict[str, Callable[[View], Sequence[float]]] = {
    "judged": lambda v: sorted(v.judged, reverse=True)[: v.k],
    "retrieved@k": lambda v: sorted(v.first, reverse=True),
    "retrieved": lambda v: sorted(v.ranked, reverse=True)[: v.k],
    "uncut": lambda v: sorted(v.judged, reverse=True),
    "retrieved-uncut": lambda v: sorted(v.ranked, reverse=True),
    "k": lambda v: [max(v.judged, default=0.0)] * v.k,
    "ones": lambda v: [1.0] * v.k,
    "n-ones": lambda v: [1.0] * len(v.first),
    "r-ones": lambda v: [1.0] * int(min(v.k, _count(v.judged, 1))),
    "found-ones": lambda v: [1.0] * int(_count(v.first, 1)),
    "given": lambda v: v.judged[: v.k],
    "rising": lambda v: sorted(v.judged)[: v.k],
}


@lru_cache(maxsize=1 << 14)
def _sums(labels: tuple[float, ...]) -> Floats:
    """Return the DCG under each gain and discount: (n_gains, n_discounts) float64."""
    values, ranks = np.array(labels, dtype=float), np.arange(1.0, len(labels) + 1)
    gains = np.array([gain(values) for gain in _GAINS.values()])
    sums: Floats = gains @ np.array([1 / of(ranks) for of in _DISCOUNTS.values()]).T
    return sums


def _dcgs(
    pool: Callable[[View], Sequence[float]], prefix: str = "", *, ones: bool = False
) -> Parts:
    found: Parts = {}
    for (i, gain), (j, discount) in product(enumerate(_GAINS), enumerate(_DISCOUNTS)):
        if not ones or gain == "linear":
            of_gain = () if ones else ((f"{prefix}gain", gain),)
            key: Key = (*of_gain, (f"{prefix}discount", discount))
            found[key] = lambda v, i=i, j=j: float(_sums(tuple(pool(v)))[i, j])  # type: ignore[misc]
    return found


def _hits(labels: Sequence[float], rel: Any) -> list[float]:
    """Return what each document counts."""
    return list(labels) if rel == "sum" else [float(label >= rel) for label in labels]


def _count(labels: Sequence[float], rel: Any) -> float:
    return sum(_hits(labels, rel))


_DIVISORS: dict[str, Callable[[View, Any], float]] = {
    "k": lambda v, _: v.k,
    "retrieved": lambda v, _: len(v.first),
    "all": lambda v, _: len(v.ranked),
    "judged": lambda v, _: len(v.judged),
    "relevant": lambda v, rel: _count(v.judged, rel),
    "min": lambda v, rel: min(_count(v.judged, rel), v.k),
    "min(R,n)": lambda v, rel: min(_count(v.judged, rel), len(v.first)),
    "hits": lambda v, rel: _count(v.first, rel),
    "found": lambda v, rel: _count(v.ranked, rel),
}


def _precisions(v: View, rel: Any, at: str, hits: str, ranks: int) -> float:
    total = found = 0.0
    for rank, hit in enumerate(_hits(v.first, rel), 1):
        before, found = found, found + hit
        if hit or at == "all":
            counted = before if hits == "before" else found
            total += counted / (rank + ranks) if rank + ranks else math.inf
    return total


def _ranks(v: View, of: str, ranks: int, rel: float) -> float:
    hits = [float(rank + ranks) for rank, x in enumerate(v.first, 1) if x >= rel]
    if "rank" in of:
        return sum(hits) / max(len(hits), 1) if of == "mean rank" else sum(hits[:1])
    chosen = {"first": hits[:1], "last": hits[-1:]}.get(of, hits)
    total = sum(1 / rank if rank else math.inf for rank in chosen)
    return total / max(len(hits), 1) if of == "mean" else total


def _rbp(v: View, p: float, gain: str, norm: str, ranks: int) -> float:
    total: float = (_GAINS[gain](np.array(v.first)) * p ** (np.arange(len(v.first)) + ranks)).sum()
    reached = 1 - p ** len(v.first)
    return total / {"endless": 1 / (1 - p), "none": 1, "reached": (reached or 1) / (1 - p)}[norm]


def _parts(formula: Callable[..., float], /, **several: tuple[Way, ...]) -> Parts:
    """Return a part for each combination of ways."""
    keys = [
        tuple(zip(several, (one.value for one in chosen), strict=True))
        for chosen in product(*several.values())
    ]
    return {key: lambda v, key=key: formula(v, **dict(key)) for key in keys}  # type: ignore[misc]


def _divided(family: str, of: Callable[..., float] | None = None) -> Parts:
    def divisor(v: View, norm: str, rel: Any, beta: float = 1) -> float:
        return _DIVISORS[norm](v, rel) if of is None else of(v, norm, rel, beta)

    return _parts(
        divisor, **{n: w for n, w in WAYS[family].items() if n in {"norm", "rel", "beta"}}
    )


def _of_f(v: View, norm: str, rel: Any, beta: float) -> float:
    square = beta**2
    return (_DIVISORS[norm](v, rel) + square * _count(v.judged, rel)) / (1 + square)


def _union(v: View, rel: Any) -> float:
    return len(v.first) + _count(v.judged, rel) - _count(v.first, rel)


def _success(v: View, of: str, rel: Any) -> float:
    return float(_count(v.first, rel) >= (1 if of == "any" else _count(v.judged, rel)))


_COUNTS = _parts(lambda v, rel: _count(v.first, rel), rel=_REL)
_ONE: Parts = {(): lambda _: 1.0}
_ONES = {"ones", "n-ones", "r-ones", "found-ones"}
ABOVE: dict[str, Parts] = {
    "nDCG": _dcgs(lambda v: v.first),
    "DCG": _dcgs(lambda v: v.first),
    "AP": _parts(_precisions, **{n: WAYS["AP"][n] for n in ("rel", "at", "hits", "ranks")}),
    "RR": _parts(_ranks, **WAYS["RR"]),
    "R": _COUNTS,
    "P": _COUNTS,
    "F": _COUNTS,
    "Jaccard": _COUNTS,
    "Success": _parts(_success, **WAYS["Success"]),
    "Rprec": _parts(
        lambda v, rel: _count(v.ranked[: int(_count(v.judged, rel))], rel), rel=_REL[:4]
    ),
    "NumRelRet": _COUNTS,
    "RBP": _parts(_rbp, **WAYS["RBP"]),
}
"""What is divided, by measure."""
BELOW: dict[str, Parts] = {
    "nDCG": {
        (("ideal", ideal), *key): part
        for ideal, pool in _IDEALS.items()
        for key, part in _dcgs(pool, "ideal_", ones=ideal in _ONES).items()
    },
    "AP": _divided("AP"),
    "R": _divided("R"),
    "P": _divided("P"),
    "F": _divided("F", _of_f),
    "Jaccard": _parts(_union, rel=_REL[:4]),
    "Rprec": _parts(lambda v, rel: _count(v.judged, rel), rel=_REL[:4]),
}
"""What it is divided by; 1 for measures that are not listed."""


def below(family: str) -> Parts:
    """Return what a measure is divided by."""
    return BELOW.get(family, _ONE)
