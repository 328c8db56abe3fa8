"""The symbols of formulas: each has one meaning in all measures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

SYMBOLS: Mapping[str, str] = {
    "i": "the rank, starting at 1",
    "k": "the cutoff, which is the last rank that counts; without one, the length of the ranking",
    "n": "the number of documents retrieved",
    "c": "the number of candidates: the documents retrieved, and the relevant ones that were not",
    "R": "the number of relevant documents, retrieved or not",
    "N": "the number of documents judged not relevant, retrieved or not",
    "h_i": "the number of relevant documents among the first {i}",
    "u_i": "the number of documents among the first {i} that are not relevant",
    "N_i": "the number of documents among the first {i} that are judged not relevant",
    "M_i": "the number of documents above rank {i} that are in the pool, judged or not",
    "eps": "0.00001, which gives a value to the fraction of no documents",
    "g_i": "the gain of the document at rank {i}",
    "x_i": "the utility of the document at rank {i}: its label, distractor times a label below 0",
    "cg_i": "the cumulative gain: the sum of the gains at ranks 1 to {i}",
    "icg_i": "the cumulative gain of an ideal ranking at rank {i}",
    "C_i": "the cumulative gain of an ideal ranking at rank {i}, where gains below 1 count as 1",
    "w_i": 'the weight of rank {i}: the gain there, or with stop="rank" gamma^(h_{i} - 1)',
    "W": "the sum of the weights in an ideal ranking",
    "s_i": "the probability that the document at rank {i} satisfies the user",
    "V_i": "the probability that the user reaches rank {i}",
    "S": "the number of subtopics with a relevant document, retrieved or not",
    "ng_i": (
        "the novelty gain of the document at rank {i}: the sum, over the subtopics to which it is "
        "relevant, of (1 - alpha)^(documents above it that are relevant to the same subtopic)"
    ),
    "DCG_i": "the discounted cumulative gain at rank {i}",
    "IDCG_i": "the discounted cumulative gain of an ideal ranking at rank {i}",
    "nDCG_i": "the normalised discounted cumulative gain at rank {i}",
    "ERR_i": "the expected reciprocal rank with cutoff {i}",
    "IERR_i": "the expected reciprocal rank of an ideal ranking with cutoff {i}",
    "AP": "the average precision",
    "RBO": "the rank-biased overlap of two rankings",
}
"""The meaning of each symbol, in the order in which they are listed.

One with an index is listed with i, and ``{i}`` in its meaning stands for the index that it has in a
formula, such as k. A parameter of a measure is written by its name, and explains itself.
"""
_WORD = re.compile(r"(?<![A-Za-z])([A-Za-z]+[0-9]*)(?:_(\w+|\([^)]*\)))?")


def named_symbols(formula: str) -> Iterator[tuple[str, str]]:
    """Split a formula into words and symbols, without numbers and signs: (name, index) each.

    The name of a symbol with an index ends in ``_i``, whatever the index is. An index
    that is a symbol follows on its own.

    >>> list(named_symbols("sum of V_i / 2T, V_(i+1)"))
    [('sum', ''), ('of', ''), ('V_i', 'i'), ('i', ''), ('T', ''), ('V_i', '(i+1)')]
    """
    for found in _WORD.finditer(formula):
        yield f"{found[1]}_i" if found[2] else found[1], found[2] or ""
        if found[2] in SYMBOLS:
            yield found[2], ""


def symbols_in(formula: str, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return the symbols of a formula with their meanings, in the order in which they appear.

    ``parameters`` are the parameters that may appear by their names, with their meanings. A symbol
    with several indices, such as g_1 and g_i, is explained once: for the first that is a letter.
    """
    indices: dict[str, str] = {}
    for name, index in named_symbols(formula):
        if name in SYMBOLS or name in parameters:
            found = indices.setdefault(name, index)
            indices[name] = found if found.isalpha() or not index.isalpha() else index
    return {
        name.replace("_i", f"_{index}") if index else name: (
            SYMBOLS.get(name) or parameters[name]
        ).replace("{i}", index)
        for name, index in indices.items()
    }
