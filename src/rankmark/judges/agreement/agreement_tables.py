"""The tables of text that show how judges agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark.judges.agreement.agreement_figures import LEVELS, WORDS
from rankmark.judges.agreement.given_labels import written_label, written_labels
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.judges.agreement.pair_agreement import PairAgreement
    from rankmark.statistics import Interval

_SIGNS = {"bias": "+"}
_OF_QUERY = ("agreement", "kappa", "kappa_quadratic", "ac1", "bias", "over_rated", "under_rated")
_OF_SLICE = ("agreement", "kappa", "kappa_quadratic", "ac1")


def _table(caption: str, head: list[str], rows: list[list[str]], words: int = 1) -> MarkedTable:
    return MarkedTable(head, rows, words, caption=caption)


def labels_of(pair: PairAgreement) -> str:
    """Write the labels of the scale."""
    return written_labels(pair.labels.tolist())


def of_figures(pair: PairAgreement) -> MarkedTable:
    """Return the figures over all pairs, and their means over queries."""
    head = ["all pairs", "value", "low", "high", "mean of queries", "low", "high"]
    rows = []
    for name, words in WORDS.items():
        cells = [words]
        for one in (pair.figures[name], pair.query_means[name]):
            ends = one.estimate, one.low, one.high
            cells += [number(value, _SIGNS.get(name, "")) for value in ends]
        rows.append(cells)
    return _table("all pairs", head, rows)


def of_thresholds(pair: PairAgreement) -> MarkedTable:
    """Return the figures of two kinds of labels, for each lowest relevant one."""
    head = ["relevant if >=", "agreement", "kappa", "low", "high", "AC1", "precision", "recall"]
    head += [f"relevant by {pair.first}", f"by {pair.second}"]
    rows = []
    for label, at in pair.at_thresholds.items():
        kappa = at["kappa"]
        found = [at["agreement"].estimate, kappa.estimate, kappa.low, kappa.high]
        found += [at[name].estimate for name in ("ac1", "precision", "recall")]
        found += [at[name].estimate for name in ("prevalence_first", "prevalence_second")]
        rows.append([written_label(label), *map(number, found)])
    return _table("by lowest relevant label", head, rows)


def of_labels(pair: PairAgreement) -> MarkedTable:
    """Return what the second judge says of each label of the first."""
    head = [f"label by {pair.first}", "pairs", f"mean by {pair.second}", "low", "high"]
    head += ["same", "higher", "lower"]
    counts = pair.tables.sum((0, 2)).tolist()
    rows = []
    for (label, of), count in zip(pair.of_labels.items(), counts, strict=True):
        mean = of["mean"]
        found = [mean.estimate, mean.low, mean.high]
        found += [of[name].estimate for name in ("same", "higher", "lower")]
        rows.append([written_label(label), f"{count:,.0f}", *map(number, found)])
    return _table(f"by label of {pair.first}", head, rows)


def of_confusion(pair: PairAgreement) -> MarkedTable:
    """Return the table of labels, with sums."""
    counts = pair.confusion
    labels = [written_label(label) for label in pair.labels.tolist()]
    rows = [
        [label, *(f"{count:,}" for count in row), f"{sum(row):,}"]
        for label, row in zip(labels, counts.tolist(), strict=True)
    ]
    rows.append(["all", *(f"{count:,}" for count in counts.sum(0).tolist()), f"{counts.sum():,}"])
    head = [f"{pair.first} \\ {pair.second}", *labels, "all"]
    return _table("number of documents by both labels", head, rows)


def of_alphas(alphas: Mapping[str, Interval]) -> MarkedTable:
    """Return alpha of all judges."""
    rows = [
        [level, *(number(getattr(one, end)) for end in ("estimate", "low", "high"))]
        for level, one in zip(LEVELS, alphas.values(), strict=True)
    ]
    return _table("Krippendorff's alpha", ["alpha of all judges", "value", "low", "high"], rows)


def of_pairs(pairs: Sequence[PairAgreement]) -> MarkedTable:
    """Return some figures of each pair of judges."""
    head = ["judge", "other", "pairs", "agreement", "kappa", "low", "high"]
    head += ["quadratic kappa", "AC1", "mean difference"]
    rows = []
    for pair in pairs:
        of = pair.figures
        kappa = of["kappa"]
        found = [of["agreement"].estimate, kappa.estimate, kappa.low, kappa.high]
        found += [of["kappa_quadratic"].estimate, of["ac1"].estimate]
        bias = number(of["bias"].estimate, "+")
        rows.append([pair.first, pair.second, f"{pair.n:,}", *map(number, found), bias])
    return _table("each pair of judges", head, rows, 2)


def of_slices(slices: Mapping[str, PairAgreement]) -> MarkedTable:
    """Return some figures of each slice of the queries."""
    head = ["slice", "queries", "pairs", "agreement", "kappa", "quadratic kappa", "AC1"]
    head += ["mean difference", "low", "high"]
    rows = []
    for name, pair in slices.items():
        of, bias = pair.figures, pair.figures["bias"]
        ends = bias.estimate, bias.low, bias.high
        rows.append(
            [name, f"{len(pair.queries):,}", f"{pair.n:,}"]
            + [number(of[one].estimate) for one in _OF_SLICE]
            + [number(value, "+") for value in ends]
        )
    return _table("by slice of the queries", head, rows)


def of_queries(pair: PairAgreement) -> MarkedTable:
    """Return some figures of each query."""
    head = ["query_id", "pairs", "agreement", "kappa", "quadratic kappa", "AC1"]
    head += ["mean difference", "higher", "lower"]
    rows = [
        [row["query_id"], f"{row['n']:,}"]
        + [
            number(math.nan if row[name] is None else row[name], _SIGNS.get(name, ""))
            for name in _OF_QUERY
        ]
        for row in pair.by_query.to_dict()["rows"]
    ]
    return _table("by query", head, rows)
