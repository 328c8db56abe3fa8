"""How two judges agree: figures with intervals over queries, and the tables that they come from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark.array_types import Floats, Ints
from rankmark.data.preparing.paired_inputs import PairedJudgments, documents_of
from rankmark.data.preparing.qrels import Qrels
from rankmark.judges.agreement.agreement_figures import (
    AT_THRESHOLD,
    OF_LABEL,
    Figures,
    figures_of,
    label_figures,
    share_figures,
    threshold_figures,
)
from rankmark.judges.agreement.agreement_intervals import Sampling, figure_intervals
from rankmark.judges.agreement.given_labels import Scale, written_label
from rankmark.results.number_style import with_ends
from rankmark.results.plain_table import Table
from rankmark.results.result import interval_for_json
from rankmark.statistics import Interval, mean_intervals

_MOST = 1000  # pairs that are kept, of those labelled most differently
_CONVENTIONAL_RELEVANT = 2.0  # of four labels or more, as TREC's deep learning track has it


class WorstPair(NamedTuple):
    """A document that two judges label differently, and by how much: second minus first."""

    query_id: str
    doc_id: str
    label: float
    label_model: float
    difference: float


class PairAgreement:
    """How two judges agree.

    Every figure is computed from all pairs of a query and a document that both judged; its interval
    is over queries, as the labels of one query are not independent.

    Attributes
    ----------
    first, second
        The names of the judges. Differences are second minus first; recall is of what the first
        calls relevant.
    queries
        (Q,) ids of the queries with a pair that both judged.
    labels
        (K,) float64, all labels, rising.
    tables
        (Q, K, K) float64, the pairs of each query by the label of the first judge (row) and of the
        second (column).
    only_first, only_second
        The number of pairs that only one judge labelled, in queries that both judged.
    """

    def __init__(
        self,
        *,
        names: tuple[str, str],
        scale: Scale,
        queries: Sequence[str],
        tables: Floats,
        only: tuple[int, int],
        sampling: Sampling,
        rel: float | None,
        worst: Sequence[WorstPair],
    ) -> None:
        self.first, self.second = names
        self.scale = scale
        self.queries = tuple(queries)
        self.tables = tables
        self.tables.flags.writeable = False
        self.only_first, self.only_second = only
        self.sampling = sampling
        self._rel = rel
        self._worst = tuple(worst)

    @property
    def labels(self) -> Floats:
        """All labels, rising."""
        return self.scale.labels

    @property
    def n(self) -> int:
        """The number of pairs that both judged."""
        return int(self.tables.sum())

    @property
    def confusion(self) -> Ints:
        """The pairs by the label of the first judge (row) and the second (column): (K, K) int64."""
        return self.tables.sum(0).astype(np.int64)

    @cached_property
    def figures(self) -> dict[str, Interval]:
        """Each figure over all pairs, with an interval over queries."""
        return self._intervals(figures_of(self.scale))

    @cached_property
    def query_means(self) -> dict[str, Interval]:
        """The mean over queries of each figure, with an interval by t; each query counts alike."""
        figures = figures_of(self.scale)
        found = mean_intervals(
            self._values_by_query, method="t", confidence=self.sampling.confidence
        )
        return {
            name: replace(one, low=max(one.low, low), high=min(one.high, high))
            if one.low == one.low
            else one
            for name, one, (low, high) in zip(
                figures.names, found, figures.bounds.tolist(), strict=True
            )
        }

    @cached_property
    def at_thresholds(self) -> dict[float, dict[str, Interval]]:
        """The figures if labels from a threshold on are relevant, for each label but the lowest."""
        found = self._intervals(threshold_figures(self.scale))
        return {
            label: {what: found[f"{what} {written_label(label)}"] for what in AT_THRESHOLD}
            for label in self.labels[1:].tolist()
        }

    @cached_property
    def of_labels(self) -> dict[float, dict[str, Interval]]:
        """What the second judge says where the first gives a label.

        Its mean label, and the shares that it labels the same, higher and lower.
        """
        found = self._intervals(label_figures(self.scale))
        return {
            label: {what: found[f"{what} {written_label(label)}"] for what in OF_LABEL}
            for label in self.labels.tolist()
        }

    @cached_property
    def label_changes(self) -> dict[float, Interval]:
        """How much more often the second judge gives each label, as a share of all pairs.

        The intervals hold for all labels together, so that the chance of any false warning is kept.
        """
        confidence = 1 - (1 - self.sampling.confidence) / len(self.labels)
        found = self._intervals(
            share_figures(self.scale), self.sampling._replace(confidence=confidence)
        )
        return dict(zip(self.labels.tolist(), found.values(), strict=True))

    @cached_property
    def _values_by_query(self) -> Floats:
        """The values of the figures in each query: (Q, F) float64."""
        return figures_of(self.scale).of(self.tables)

    def _intervals(self, figures: Figures, sampling: Sampling | None = None) -> dict[str, Interval]:
        return figure_intervals(figures, self.tables, sampling or self.sampling)

    @property
    def rel(self) -> float | None:
        """The lowest relevant label of ``summary``; None if there is only one label.

        Without one asked for: 2 on a scale up to 3 or more, as in TREC's deep learning and RAG
        tracks, else the lowest label above 0.
        """
        if self._rel is not None:
            return self._rel
        above = self.labels[1:]
        positive = above[above > 0]
        lowest, highest = float(self.labels[0]), float(self.labels[-1])
        # On a scale of 0 to 3 or 4, perhaps nobody gave a 2.
        may_have_it = _CONVENTIONAL_RELEVANT in above or set(above.tolist()) <= {0.0, 1.0, 3.0, 4.0}
        if lowest < _CONVENTIONAL_RELEVANT and highest >= 3 and may_have_it:
            return _CONVENTIONAL_RELEVANT
        found = positive if len(positive) else above
        return float(found[0]) if len(found) else None

    @property
    def by_query(self) -> Table:
        """The figures of each query, and its number of pairs."""
        names, values = figures_of(self.scale).names, self._values_by_query
        columns: dict[str, Any] = {
            "query_id": list(self.queries),
            "n": [int(n) for n in self.tables.sum((1, 2)).tolist()],
        }
        return Table(columns | {name: values[:, at] for at, name in enumerate(names)})

    @property
    def mean_labels(self) -> tuple[Floats, Floats]:
        """The mean label of each query by the first and by the second judge: (Q,) float64 each."""
        values, counts = self.scale.clamped, self.tables.sum((1, 2))
        return self.tables.sum(2) @ values / counts, self.tables.sum(1) @ values / counts

    def worst(self, n: int = 20) -> tuple[WorstPair, ...]:
        """Return the pairs that differ most, those of the first queries first among equals.

        At most a thousand are kept.
        """
        return self._worst[:n]

    def of_queries(self, rows: Sequence[int]) -> PairAgreement:
        """Return the agreement on some of the queries, without the worst pairs."""
        return PairAgreement(
            names=(self.first, self.second),
            scale=self.scale,
            queries=[self.queries[row] for row in rows],
            tables=self.tables[list(rows)],
            only=(0, 0),
            sampling=self.sampling,
            rel=self._rel,
            worst=(),
        )

    @property
    def summary(self) -> str:
        """What the comparison found, in a sentence."""
        if len(self.labels) == 1:
            return f"{self.first} and {self.second} give every document the same label"
        bias, rel = self.figures["bias"], self.rel
        size = f"{abs(bias.estimate):.2f}"
        way = "higher than" if bias.estimate >= 0 else "lower than"
        how = "as high as" if size == "0.00" else f"{size} {way}"
        sentence = f"{self.second} labels {how} {self.first} on average"
        if not math.isnan(bias.low):
            level = f"{100 * self.sampling.confidence:.6g}%"
            over = "pairs" if self.sampling.method == "pairs" else "queries"
            sentence += f" ({level} over {over}: {bias.low:+.2f} to {bias.high:+.2f})"
        if rel is None:
            return sentence
        at = self._at(rel)
        recall, precision, kappa = at["recall"], at["precision"], at["kappa"]
        sentence += f"; with labels >= {written_label(rel)} as relevant, "
        if math.isnan(recall.estimate):
            return f"{sentence}nothing is relevant by {self.first}"
        sentence += f"it has a recall of {_percent(recall)} of what is relevant by {self.first}, "
        if math.isnan(precision.estimate):
            sentence += "no precision, as it labels nothing relevant"
        else:
            sentence += f"a precision of {_percent(precision)}"
        if math.isnan(kappa.estimate):
            return f"{sentence}, and no kappa, as all labels are the same"
        return f"{sentence}, and a kappa of {with_ends(kappa, 2)}"

    def _at(self, rel: float) -> dict[str, Interval]:
        """Return the figures at a threshold that need not be a label."""
        at = self.labels[1:].tolist()
        return self.at_thresholds[next(label for label in at if label >= rel)]

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        counts = self.tables.sum((0, 2)).tolist()
        written: dict[str, Any] = {
            "first": self.first,
            "second": self.second,
            "summary": self.summary,
            "rel": self.rel,
            "pairs": self.n,
            "queries": len(self.queries),
            "only_first": self.only_first,
            "only_second": self.only_second,
            "figures": {
                name: one | {"query_mean": interval_for_json(self.query_means[name])}
                for name, one in _for_json(self.figures).items()
            },
            "thresholds": [
                {"rel": label, **_for_json(found)} for label, found in self.at_thresholds.items()
            ],
            "labels": [
                {"label": label, "count": int(count), **_for_json(found)}
                for (label, found), count in zip(self.of_labels.items(), counts, strict=True)
            ],
            "confusion": {"labels": self.labels.tolist(), "counts": self.confusion.tolist()},
            "worst": [one._asdict() for one in self.worst()],
        }
        if per_query:
            rows = self.by_query.to_dict()["rows"]
            written["per_query"] = {row.pop("query_id"): row for row in rows}
        return written

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each figure, and for each one at a threshold."""
        means = self.query_means
        found = [
            self._row(name, math.nan, one)
            | _ends(means[name], "query_mean", "query_low", "query_high")
            for name, one in self.figures.items()
        ]
        for label, figures in self.at_thresholds.items():
            found += [self._row(name, label, one) for name, one in figures.items()]
        return found

    def _row(self, name: str, threshold: float, one: Interval) -> dict[str, Any]:
        judges = {"judge_a": self.first, "judge_b": self.second}
        return judges | {"name": name, "threshold": threshold} | _ends(one, "value", "low", "high")


def _ends(one: Interval, *names: str) -> dict[str, float]:
    return dict(zip(names, (one.estimate, one.low, one.high), strict=True))


def _for_json(found: Mapping[str, Interval]) -> dict[str, dict[str, Any]]:
    return {name: interval_for_json(one) for name, one in found.items()}


def _percent(one: Interval) -> str:
    return f"{one.estimate:.0%}"


def worst_pairs(
    judges: Sequence[Qrels],
    paired: PairedJudgments,
    codes: NDArray[np.int8],
    scale: Scale,
    which: tuple[int, int],
) -> list[WorstPair]:
    """Return the pairs with the greatest differences, at most a thousand."""
    first, second = codes[which[0]], codes[which[1]]
    pairs = _most_apart(first, second, scale)
    labels = scale.labels
    documents = documents_of(judges, paired, pairs)
    found = []
    for pair, document in zip(pairs.tolist(), documents, strict=True):
        one, other = labels[first[pair]].item(), labels[second[pair]].item()
        query = paired.query_ids[paired.query[pair]]
        step = max(other, 0.0) - max(one, 0.0)
        found.append(WorstPair(query, document, one, other, step))
    return found


def _most_apart(first: NDArray[np.int8], second: NDArray[np.int8], scale: Scale) -> Ints:
    """Return the numbers of the pairs with the greatest differences, in order."""
    values = scale.clamped
    step = np.abs(values[:, None] - values)
    # As few different differences as there are labels; each pair has the number of its own.
    sizes, number = np.unique(step, return_inverse=True)
    table = np.zeros((len(values) + 1, len(values) + 1), dtype=np.int16)
    table[:-1, :-1] = number.reshape(step.shape)  # the last row and column, -1, are for no label
    apart = table[first, second]
    counts = np.bincount(apart, minlength=len(sizes))
    found: list[Ints] = []
    held = 0
    for size in range(len(sizes) - 1, 0, -1):
        if not counts[size] or held >= _MOST:
            continue
        rows = np.flatnonzero(apart == size)[: _MOST - held]
        found.append(rows)
        held += len(rows)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
