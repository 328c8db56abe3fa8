"""The ways to compute each measure that are told apart: usual, other tools', and mistakes."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from rankmark.measures import AP, P, R, nDCG
from rankmark.reconciling.alternatives import choice_of

Kind = Literal["usual", "convention", "bug"]


class Way(NamedTuple):
    """One value of a parameter of a measure.

    Parameters
    ----------
    value
        As the measures here take it, if they have it.
    words
        What it means, to be read after the name of the measure and "with".
    kind
        Whether trec_eval computes so ("usual"), another tool does or may ("convention"), or it is
        taken for a mistake ("bug").
    who
        Tools that compute so.
    advice
        Of a bug: what is wrong with it, and what to write.
    """

    value: Any
    words: str
    kind: Kind = "convention"
    who: str = ""
    advice: str = ""


def _known(name: str, value: Any, measure: Any, kind: Kind = "convention") -> Way:
    """Return a way that ``reconcile`` knows, too, in its words."""
    choice = choice_of(name, value, measure)
    return Way(value, choice.words, kind, choice.who)


def _bug(value: Any, words: str, advice: str, who: str = "") -> Way:
    return Way(value, words, "bug", who, advice)


_OFF_BY_ONE = "ranks are counted from 1, and the discount of rank i is log2(i + 1)"
_RELEVANT = (
    Way(1.0, "labels from 1 on as relevant", "usual"),
    Way(2.0, "labels from 2 on as relevant", who="trec_eval -l 2"),
    Way(3.0, "labels from 3 on as relevant", who="trec_eval -l 3"),
    _bug(
        0.0,
        "documents judged as not relevant counted as relevant",
        "a judged document with label 0 is not relevant; test its label, not that it is judged",
    ),
)
_COUNTED = (
    *_RELEVANT,
    _bug(
        "sum",
        "labels added up instead of relevant documents counted",
        "grades above 1 count more than once; count the labels from 1 on",
    ),
)
_GAINS = (
    _known("gain", "linear", nDCG, "usual"),
    _known("gain", "exp2", nDCG),
    _known("gain", "binary", nDCG),
    _bug(
        "2^label",
        "gain 2^label, without the - 1",
        "a document with label 0 gains 1; write 2**label - 1",
    ),
    Way("label^2", "gain label^2"),
    _bug(
        "label^2-1",
        "gain label^2 - 1",
        "a document with label 0 gains -1; 2**label - 1 was meant",
        "rankerEval",
    ),
    _bug(
        "label+1", "gain label + 1", "a document with label 0 gains 1; the label itself is the gain"
    ),
)
_DISCOUNTS = (
    _known("discount", "log2", nDCG, "usual"),
    _known("discount", 2.0, nDCG),
    _known("discount", 10.0, nDCG),
    _bug("log2+2", "discount log2(rank + 2)", _OFF_BY_ONE),
    _bug("log2+0", "discount log2(rank), which divides by 0 at rank 1", _OFF_BY_ONE),
    _bug(
        "1+log2",
        "discount 1 + log2(rank)",
        "the discount of rank i is log2(i + 1), which is 1 at rank 1 already",
    ),
    Way("rank", "discount 1/rank"),
    Way("none", "no discount"),
)
_LOGARITHMS = (
    Way("ln", "discount ln(rank + 1)", who="gdeval, Spark, Recommenders by default"),
    Way("log10", "discount log10(rank + 1)"),
)
_IDEALS = (
    _known("ideal", "judged", nDCG, "usual"),
    _bug(
        "retrieved@k",
        "ideal ranking of only the first k documents",
        "relevant documents below rank k, or not retrieved, cost nothing: a ranking whose first k "
        "documents are in the best order gets 1; sort all judged labels, then cut at k",
        "Quepid",
    ),
    _known("ideal", "retrieved", nDCG),
    _known("ideal", "uncut", nDCG),
    Way("retrieved-uncut", "ideal ranking of all retrieved documents, not cut at k"),
    _known("ideal", "k", nDCG),
    Way("ones", "ideal ranking of k documents with gain 1", who="RecTools"),
    _bug(
        "n-ones",
        "ideal ranking of as many relevant documents as were retrieved",
        "a perfect ranking gets less than 1 where fewer documents are relevant; use min(R, k)",
        "LlamaIndex",
    ),
    Way("r-ones", "ideal ranking of min(R, k) documents with gain 1", who="RePlay, RecBole"),
    _bug(
        "given",
        "ideal ranking of the labels in the order given, not sorted",
        "the ideal ranking has the highest labels first; sort the labels",
        "Spark",
    ),
)
_MISMATCH = "an ideal ranking does not get 1; use one function for both"
_IDEAL_GAINS = (
    Way("same", "", "usual"),
    *(
        _bug(gain, f"{words} in the ideal DCG only", _MISMATCH)
        for gain, words in (
            ("linear", "gain label"),
            ("exp2", "gain 2^label - 1"),
        )
    ),
)
_IDEAL_DISCOUNTS = (
    Way("same", "", "usual"),
    *(
        _bug(discount, f"{words} in the ideal DCG only", _MISMATCH)
        for discount, words in (
            ("log2", "discount log2(rank + 1)"),
            ("log2+2", "discount log2(rank + 2)"),
            (2.0, "discount log2(rank) from rank 2 on"),
        )
    ),
)
_OF_PRECISION = (
    _known("norm", "k", P, "usual")._replace(words="divided by the cutoff", who="trec_eval, ranx"),
    _known("norm", "retrieved", P),
    _bug(
        "all",
        "divided by all documents retrieved, also those below k",
        "a longer list lowers the precision at the same k; divide by k",
    ),
)
_FOUND = Way(
    "found", "divided by the relevant documents of the whole list, not all relevant documents"
)
_JUDGED = _bug(
    "judged",
    "divided by all judged documents, relevant or not",
    "documents with label 0 are not relevant; count the labels from 1 on",
)
_OF_RECALL = (
    _known("norm", "relevant", R, "usual"),
    _known("norm", "min", R)._replace(who="BEIR's R_cap, LensKit"),
    _FOUND,
    _JUDGED,
)
_OF_AP = (
    _known("norm", "relevant", AP, "usual"),
    _known("norm", "min", AP)._replace(who="Spark, RePlay, sentence-transformers"),
    _known("norm", "hits", AP),
    _known("norm", "k", AP)._replace(who="RecTools with divide_by_k"),
    Way("min(R,n)", "divided by min(R, retrieved)", who="LensKit, rankeval"),
    _FOUND,
    _JUDGED,
    _bug(
        "retrieved",
        "divided by the documents retrieved up to k",
        "a relevant document that was not retrieved must cost something; divide by R",
    ),
)
_AP_AT = (
    Way("hits", "", "usual"),
    _bug(
        "all",
        "the precision at every rank added up, not only at relevant ones",
        "only the ranks of relevant documents count",
        "elliot",
    ),
)
_AP_HITS = (
    Way("through", "", "usual"),
    _bug(
        "before",
        "the hits before each relevant document counted, without itself",
        "the relevant document at rank i counts in the precision at i; count it first",
    ),
)
_RANKS = (
    Way(0, "", "usual"),
    _bug(-1, "ranks counted from 0", "the first rank is 1; enumerate(..., 1) counts so"),
    _bug(1, "ranks counted from 2", "the first rank is 1; 1 is added once too often"),
)
_RR_OF = (
    Way("first", "", "usual"),
    _bug("last", "the last relevant document instead of the first", "stop at the first hit"),
    Way("mean", "the mean of 1/rank over the relevant documents found", who="LlamaIndex"),
    Way("sum", "the sum of 1/rank over the relevant documents found"),
)
_PERSISTENCE = tuple(_known("p", p, nDCG, "usual") for p in (0.8, 0.9, 0.85, 0.5, 0.95))
_OF_RBP = (
    _GAINS[2]._replace(kind="usual"),
    _GAINS[0]._replace(kind="convention", who="ranx"),
)
_RBP_NORM = (
    Way("endless", "", "usual"),
    _bug("none", "without the factor 1 - p", "values above 1 come out; multiply by 1 - p"),
)
_CUTS = (
    Way("k", "", "usual"),
    _bug("all", "the cutoff ignored", "documents below rank k count; cut the list at k"),
    _bug("k+1", "k + 1 documents", "one document too many is used; cut with [:k]"),
    _bug("k-1", "k - 1 documents", "one document too few is used; cut with [:k]"),
)
_UNCUT = (
    Way("all", "", "usual"),
    *(Way(k, f"the first {k} documents", "usual") for k in (1, 3, 5, 10, 20, 50, 100)),
)
_SORTED = "sorts the labels; rank by the scores instead"
_ORDERS = (
    Way("ranked", "", "usual"),
    _bug(
        "reversed",
        "the ranking read backwards",
        "the best document comes first; do not reverse the list",
    ),
    _bug(
        "sorted",
        "the relevant documents sorted to the front",
        f"any order gets the same: {_SORTED}",
    ),
)
_ORDERS_OF_SCORES = (
    _ORDERS[0],
    _bug(
        "reversed",
        "the lowest scores first",
        "higher scores are better; sort descending, as by np.argsort(-scores)",
    ),
    _bug(
        "input",
        "the documents in the order given, without regard to their scores",
        "the scores change nothing; sort the labels by them first",
    ),
    _ORDERS[2],
)
_SCALES = (
    Way("value", "", "usual"),
    Way("complement", "subtracted from 1", who="losses"),
    Way("percent", "in percent"),
)

FAMILIES: dict[str, dict[str, tuple[Way, ...]]] = {
    "nDCG": {
        "gain": _GAINS,
        "discount": _DISCOUNTS,
        "ideal": _IDEALS,
        "ideal_gain": _IDEAL_GAINS,
        "ideal_discount": _IDEAL_DISCOUNTS,
    },
    "DCG": {"gain": _GAINS, "discount": (*_DISCOUNTS, *_LOGARITHMS)},
    "AP": {"norm": _OF_AP, "at": _AP_AT, "hits": _AP_HITS, "ranks": _RANKS, "rel": _COUNTED[:4]},
    "RR": {"of": _RR_OF, "ranks": _RANKS, "rel": _RELEVANT},
    "R": {"norm": _OF_RECALL, "rel": _COUNTED},
    "P": {"norm": _OF_PRECISION, "rel": _COUNTED},
    "F": {"norm": _OF_PRECISION[:2], "rel": _RELEVANT},
    "Success": {"rel": _RELEVANT},
    "Rprec": {"rel": _RELEVANT},
    "NumRelRet": {"rel": _COUNTED},
    "RBP": {"p": _PERSISTENCE, "gain": _OF_RBP, "norm": _RBP_NORM, "ranks": _RANKS[::2]},
}  # fmt: skip
"""The parameters of each measure with their ways, the usual one first."""


def parameters(family: str, *, has_k: bool, has_scores: bool) -> dict[str, tuple[Way, ...]]:
    """Return all parameters of a measure, also how the ranking is read, cut and written.

    Parameters
    ----------
    has_k, has_scores
        Whether functions are given a cutoff, and scores to rank by.
    """
    cut = _CUTS if has_k else _UNCUT
    if family == "Rprec":
        cut = (Way("all", "", "usual"),)
    return {
        **FAMILIES[family],
        "cut": cut,
        "order": _ORDERS_OF_SCORES if has_scores else _ORDERS,
        "scale": _SCALES,
    }
