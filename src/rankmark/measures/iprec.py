"""Interpolated precision: the best precision at a recall or beyond."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import choice, shares, threshold
from rankmark.results.explanations.contributions import Contributions

_MOST = 11  # recalls in a formula with numbers
_ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class InterpolatedPrecision(Measure):
    """The highest precision at any rank with at least some recall, averaged over recalls.

    Formula: max of h_i / i over the ranks i with h_i >= recall * R; 0 if it is never reached.
    recall * R is rounded to a whole number of documents: up from one half, or with
    ``rounding="tenth"`` from one tenth. Several recalls are averaged; by default the eleven 0, 0.1,
    ..., 1.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``iprec_at_recall_0.10`` and ``11pt_avg``, ir_measures ``IPrec@0.1``.
    Version 10 of trec_eval rounds at one half; version 9, and pytrec_eval, ir_measures and ranx
    with it, at one tenth. If ``-J`` leaves an empty ranking, trec_eval prints -nan; here it is 0.
    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4;
    trec_eval 10.0, m_iprec_at_recall.c and m_11pt_avg.c.
    """

    recall: Any = shares("the recall to reach, or several to average over", *_ELEVEN)
    rel: float = threshold()
    rounding: str = choice("the fraction of a document that is rounded up", "half", "tenth")

    name = "IPrec"
    full_name = "interpolated precision"
    aliases: Aliases = {"11pt_avg": {}, "interpolated_precision": {}}
    at = "recall"
    numbered: Mapping[str, str] = {"iprec_at_recall": "recall", "IPrec": "recall"}
    formula = (
        "max of h_i / i over the ranks i with h_i >= recall * R, averaged over the levels of recall"
    )
    latex = (
        r"\text{mean over the levels of recall of } \max_{i \,:\, h_i \ge \mathrm{recall} "
        r"\cdot R} \frac{h_i}{i}"
    )
    depends_on: DependsOn = "order"

    def score(self, a: Alignment) -> Floats:
        total = np.zeros(len(a.retrieved))
        for _, greatest in self._interpolated(a, self._found(a)):
            total += greatest
        return total / len(self._recalls())

    def contributions(self, a: Alignment) -> Contributions:
        hit, found, recalls = a.relevant(self.rel), self._found(a), self._recalls()
        precision = found / a.rank
        added, total = np.zeros(len(a.rank)), np.zeros(len(a.retrieved))
        numbers: dict[str, Floats] = {}
        for at, (wanted, greatest) in enumerate(self._interpolated(a, found)):
            reached = hit & (found >= a.spread(wanted)) & (precision == a.spread(greatest))
            rank = a.first(reached, a.rank.astype(np.float64))
            upto = a.spread(rank)
            added += ratio((hit & (a.rank <= upto)).astype(np.float64), upto)
            total += greatest
            numbers[f"found_{at}"] = a.first(reached, found)
            numbers[f"rank_{at}"] = np.where(rank > 0, rank, np.maximum(a.retrieved, 1.0))
        written = " + ".join(f"{{found_{at}}}/{{rank_{at}}}" for at in range(len(recalls)))
        frame = written if len(recalls) == 1 else f"({written}) / {len(recalls)}"
        if len(recalls) > _MOST:
            frame, numbers = "{total} / {divisor}", {"total": total}
        return Contributions(
            added,
            divisor=np.full(len(total), float(len(recalls))),
            columns={
                "found": found,
                "precision": precision,
                "recall": ratio(found, a.spread(a.num_relevant(self.rel))),
            },
            frame=frame,
            numbers=numbers,
        )

    def _recalls(self) -> tuple[float, ...]:
        return self.recall if isinstance(self.recall, tuple) else (self.recall,)

    def _found(self, a: Alignment) -> Floats:
        return a.cumsum(a.relevant(self.rel).astype(np.float64))

    def _interpolated(self, a: Alignment, found: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Return the number of documents for each recall, and the highest precision from there."""
        hit = a.relevant(self.rel)
        precision = np.where(hit, found / a.rank, 0.0)
        relevant = a.num_relevant(self.rel)
        for recall in self._recalls():
            wanted = np.maximum(self._rounded(recall * relevant), 1.0)
            yield wanted, _greatest_from(a, hit & (found == a.spread(wanted)), precision)

    def _rounded(self, documents: Floats) -> Floats:
        if self.rounding == "tenth":
            return np.floor(documents + 0.9)
        rounded = np.floor(documents)
        return rounded + (documents - rounded >= 0.5)


def _greatest_from(a: Alignment, mask: Bools, values: Floats) -> Floats:
    """Return the highest value from each query's first true row, 0 if none: (Q,) float64."""
    ends: Ints = a.starts[1:]
    rows = a.first(mask, np.arange(len(values), dtype=np.float64), absent=-1.0)
    begins = np.where(rows < 0, ends, rows.astype(np.int64))
    # Every second range of reduceat counts; an empty range gives the value at its beginning.
    bounds = np.column_stack([begins, ends]).ravel()
    greatest = np.maximum.reduceat(np.append(values, 0.0), bounds)[::2]
    return np.where(begins < ends, greatest, 0.0)


IPrec: Final = InterpolatedPrecision()
