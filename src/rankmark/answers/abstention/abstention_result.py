"""The result of judging abstention: areas, decisions at thresholds, intervals and curves."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.answers.abstention import curves
from rankmark.errors import InputError, one_line
from rankmark.results import html_parts as html
from rankmark.results.details import chosen
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN
from rankmark.results.result import Result, interval_for_json, json_number
from rankmark.results.text_tables import Cell, text
from rankmark.results.text_width import fitted, line_width
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from rankmark.answers.abstention.curves import Judged, Tied
    from rankmark.array_types import Floats
    from rankmark.results.drawing.result_page import PageParts
    from rankmark.statistics import Interval
    from rankmark.verbs.evaluate.evaluation import Evaluation

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""

CurveKind = Literal["risk", "thresholds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What happens if queries are answered from a threshold on.

    Parameters
    ----------
    threshold
        The least confidence of a query that is answered; infinity if none is.
    answered
        The share of all queries that are answered.
    recall, false_positive_rate
        The shares of the answerable and of the unanswerable queries that are answered; NaN if there
        are none.
    precision, f1
        Of not answering, as a sign that a query is unanswerable; NaN if all queries are answered,
        or none is unanswerable.
    value
        The mean over all queries of the measure, where a query that is not answered counts 1 if it
        is unanswerable, and 0 otherwise.
    """

    threshold: float
    answered: float
    recall: float
    false_positive_rate: float
    precision: float
    f1: float
    value: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN and infinity."""
        return {name: json_number(value) for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Abstention(Result):
    """How well confidence tells when a system should return nothing.

    Parameters
    ----------
    evaluation
        Of the run by the measure; an unanswerable query has NaN there.
    judged
        The confidence, the value and whether it is answerable, of each query averaged.
    rule
        How confidence was found: "max", "std", "diff1" or "given".
    tied, rates
        How queries with the same confidence are ordered, and the shares left out for nAUC.
    thresholds
        (T,) float64, those of ``decisions``.
    best_threshold
        The one with the highest F1; the lowest of these.
    intervals
        Of AUROC, AURC, nAUC, and of F1 and value at the best threshold.
    """

    evaluation: Evaluation
    judged: Judged
    rule: str
    tied: Tied
    rates: tuple[float, ...]
    thresholds: Floats
    best_threshold: float
    intervals: Mapping[str, Interval]

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.evaluation.names[0]

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries averaged, in judgment order."""
        return tuple(self.evaluation.queries)

    @property
    def auroc(self) -> Interval:
        """The probability that an answerable query has more confidence than an unanswerable one.

        Pairs with the same confidence count half.
        """
        return self.intervals["AUROC"]

    @property
    def aurc(self) -> Interval:
        """The area under the risk-coverage curve, the mean risk; less is better."""
        return self.intervals["AURC"]

    @property
    def nauc(self) -> Interval:
        """The normalised area under the abstention curve: 1 is optimal, 0 has no effect."""
        return self.intervals["nAUC"]

    @property
    def best(self) -> Answered:
        """The decisions at the threshold with the highest F1."""
        return self.at(self.best_threshold)

    @property
    def decisions(self) -> tuple[Answered, ...]:
        """The decisions at each of ``thresholds``."""
        found = curves.decisions(self.judged, self.thresholds)
        return tuple(
            Answered(**dict(zip(found._fields, row, strict=True)))
            for row in zip(*(column.tolist() for column in found), strict=True)
        )

    def at(self, threshold: float) -> Answered:
        """Return the decisions at a threshold.

        Raises
        ------
        InputError
            If it is not a number.
        """
        if not isinstance(threshold, (int, float)) or math.isnan(threshold):
            raise InputError(f"threshold is {threshold!r}", "give a number")
        found = curves.decisions(self.judged, np.array([float(threshold)]))
        return Answered(**{name: column.tolist()[0] for name, column in found._asdict().items()})

    def scores_at(self, threshold: float) -> dict[str, dict[str, float]]:
        """Return what each query counts if queries are answered from a threshold on.

        {query: {measure: score}}: the score of the measure for one that is answered, 0 if it is
        unanswerable; and for one that is not answered 1 if it is unanswerable, and 0 otherwise.
        The mean is ``at(threshold).value``. ``compare_scores`` and ``gate`` take it.

        Raises
        ------
        InputError
            If it is not a number.
        """
        self.at(threshold)
        confidence, value, answerable = self.judged
        answered = (confidence >= threshold) & ~np.isinf(confidence)
        counts = np.where(answered, value, ~answerable)
        rows = zip(self.queries, counts.tolist(), strict=True)
        return {query: {self.measure: float(count)} for query, count in rows}

    def risk_coverage(self) -> tuple[Floats, Floats]:
        """Return the shares of queries answered, surest first, and the risk of each.

        Two arrays (n,) of float64. The risk is one minus the mean value of the queries answered.
        """
        return curves.risk_coverage(self.judged, self.tied)

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: those of the evaluation, and how queries are ordered and drawn."""
        settings = {k: v for k, v in self.evaluation.settings.items() if k != "no_relevant"}
        return settings | {
            "signal": self.rule,
            "tied": self.tied,
            "rates": list(self.rates),
            "confidence": self.auroc.confidence,
            "resamples": self.auroc.resamples,
            "seed": self.auroc.seed,
        }

    @property
    def counts(self) -> dict[str, int]:
        """How many queries are answerable, unanswerable, and without any document in the run."""
        answerable = int(self.judged.answerable.sum())
        return {
            "queries": len(self.queries),
            "answerable": answerable,
            "unanswerable": len(self.queries) - answerable,
            "returned_nothing": int(np.isinf(self.judged.confidence).sum()),
        }

    @property
    def notes(self) -> list[str]:
        """The lines below a table: the queries, what is undefined, and the conventions."""
        counts = self.counts
        queries = "; ".join(
            [
                f"{counts['queries']:,} queries: {counts['answerable']:,} answerable, "
                f"{counts['unanswerable']:,} unanswerable",
                f"the run has no document for {counts['returned_nothing']:,}",
                *chosen(self.evaluation.audit.extras(), verbose=False),
            ]
        )
        return [queries, *self.evaluation.provenance, *self.kept_notes]

    @property
    def kept_notes(self) -> list[str]:
        """The notes that stay without the audit: how the numbers were found."""
        one = self.auroc
        lines = [
            f"intervals: {100 * one.confidence:.6g}%, percentiles of {one.resamples:,} draws of "
            f"queries, seed {one.seed}; the best threshold was chosen on the same queries, so its "
            "F1 is too high for others",
        ]
        undefined: dict[str, list[str]] = {}
        for name, interval in self.intervals.items():
            if interval.undefined:
                undefined.setdefault(interval.undefined, []).append(name)
        lines += [f"{', '.join(names)}: {reason}" for reason, names in undefined.items()]
        # A query without relevant documents is unanswerable, whatever the policy for others.
        conventions = str(self.evaluation.conventions).replace(" no_relevant=nan", "")
        return [*lines, f"conventions: {conventions} signal={self.rule} tied={self.tied}"]

    def summary(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of the table of areas, and of the best threshold."""
        at = f"at {_written(self.best_threshold)}" if self.best_threshold < math.inf else "at none"
        names = {"F1": f"best F1, {at}", "value": f"{self.measure} {at}"}
        rows = [
            [names.get(name, name), _written(one.estimate), _written(one.low), _written(one.high)]
            for name, one in self.intervals.items()
        ]
        return ["", "value", "low", "high"], rows

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of the table of thresholds."""
        head = ["threshold", "answered", "recall", "false positives", "precision", "F1"]
        rows = [[_written(value) for value in asdict(one).values()] for one in self.decisions]
        return [*head, self.measure], rows

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows of the table of queries."""
        head = ["query", "answerable", "confidence", self.measure]
        columns = self._table()
        return head, [
            [query, "yes" if answerable else "no", _written(confidence), _written(value)]
            for query, answerable, confidence, value in zip(*columns.values(), strict=True)
        ]

    def _text_tables(self, *, per_query: bool) -> list[tuple[list[str], list[list[str]], int]]:
        """Return the head, the rows and the columns of words of each table."""
        tables = [(*self.summary(), 1), (*self.table(), 0)]
        return [*tables, (*self.rows(), 2)] if per_query else tables

    def to_text(
        self, *, width: int | None = None, quiet: bool = False, per_query: bool = False
    ) -> str:
        """Return the tables and the notes.

        Parameters
        ----------
        width
            The columns of a line; None for no limit.
        quiet
            Whether to leave out the audit, and how files were read.
        per_query
            Whether to add a table with a row for each query.
        """
        tables = [text(*each, width=width) for each in self._text_tables(per_query=per_query)]
        notes = "\n".join(one_line(note) for note in (self.kept_notes if quiet else self.notes))
        return fitted("\n".join([*(f"{table.rstrip()}\n" for table in tables), notes]), width)

    def to_markdown(self, *, per_query: bool = False) -> str:
        """Return the tables as Markdown; ``per_query`` adds one with a row for each query."""
        return "\n".join(table.as_markdown() for table in self._marked(per_query=per_query))

    def to_latex(self, *, per_query: bool = False) -> str:
        """Return the tables as floats of LaTeX, with booktabs and siunitx.

        ``per_query`` adds one with a row for each query.
        """
        queries = f"{self.measure}, {self.counts['queries']:,} queries"
        called = [
            (f"Abstention by {queries}.", "tab:abstention"),
            (f"Thresholds of answers, {queries}.", "tab:thresholds"),
            (f"Confidence of each query, {queries}.", "tab:confidence"),
        ]
        return "\n".join(
            table.as_latex(caption=caption, label=label)
            for table, (caption, label) in zip(
                self._marked(per_query=per_query), called, strict=False
            )
        )

    def _marked(self, *, per_query: bool) -> list[MarkedTable]:
        return [
            MarkedTable(head, [[*map(Cell, row)] for row in rows], keys)
            for head, rows, keys in self._text_tables(per_query=per_query)
        ]

    def __str__(self) -> str:
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        estimates = {name: _written(one.estimate) for name, one in self.intervals.items()}
        areas = ", ".join(f"{name}={estimates[name]}" for name in _AREAS)
        return one_line(f"Abstention({len(self.queries):,} queries: {areas})")

    def _repr_html_(self) -> str:
        return html.page(
            html.title(f"Abstention by {self.measure}"),
            html.table(*self.summary(), 1),
            html.table(*self.table(), 0),
            html.notes(self.notes),
        )

    def _page_parts(self) -> PageParts:
        from rankmark.results.drawing.result_page import PageParts, Picture  # noqa: PLC0415  (few write pages)

        captions: dict[CurveKind, str] = {
            "risk": "The risk at each share of queries that are answered",
            "thresholds": "What happens at each threshold",
        }
        returned = self.counts["returned_nothing"] < len(self.queries)
        pictures = [
            Picture(caption, partial(self._drawn, kind)) for kind, caption in captions.items()
        ]
        tables = html.table(*self.summary(), 1) + html.table(*self.table(), 0)
        title = f"Abstention by {self.measure}"
        return PageParts(title, "", pictures * returned, tables + html.notes(self.notes))

    def _drawn(self, kind: CurveKind, ax: Axes) -> Axes:
        return self.plot(kind, ax=ax)

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN and infinite numbers."""
        evaluated = self.evaluation.to_dict(per_query=False)
        written: dict[str, Any] = {
            "schema": SCHEMA,
            "rankmark": __version__,
            "qrels": evaluated["qrels"],
            "run": evaluated["run"],
            "settings": self.settings,
            "audit": evaluated["audit"],
            "counts": self.counts,
            "measure": self.measure,
            "areas": {name: interval_for_json(self.intervals[name]) for name in _AREAS},
            "best": self.best.to_dict()
            | {
                f"{name.lower()}_interval": interval_for_json(self.intervals[name])
                for name in _AT_BEST
            },
            "thresholds": [one.to_dict() for one in self.decisions],
            "notes": self.notes,
        }
        if per_query:
            columns = self._table()
            names = [name for name in columns if name != "query_id"]
            rows = zip(*(columns[name] for name in names), strict=True)
            written["per_query"] = {
                query: dict(zip(names, map(_plain, row), strict=True))
                for query, row in zip(columns["query_id"], rows, strict=True)
            }
        return written

    def _table(self) -> dict[str, Any]:
        confidence, value, answerable = self.judged
        return {
            "query_id": list(self.queries),
            "answerable": answerable.tolist(),
            "confidence": np.where(np.isinf(confidence), np.nan, confidence),
            "value": value,
        }

    def plot(self, kind: CurveKind = "risk", *, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot the risk-coverage curve, or what happens at each threshold.

        Parameters
        ----------
        kind
            ``"risk"`` draws the risk at each coverage, beside that of the best order of the queries
            and of no order; ``"thresholds"`` draws recall, false positives and F1.
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        InputError
            If the kind is unknown, ``ax`` is not Axes, or the run returned nothing at all.
        """
        from rankmark.answers.abstention.curve_plots import draw_risk, draw_thresholds  # noqa: PLC0415
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415

        if kind not in get_args(CurveKind):
            raise InputError(f"kind is {kind!r}", f"choose {' or '.join(get_args(CurveKind))}")
        counts = self.counts
        queries = f"{counts['answerable']:,} answerable, {counts['unanswerable']:,} unanswerable"
        words = f"{self.measure}, {queries} queries" if title else ""
        with axes(ax) as canvas:
            if kind == "risk":
                words += f", AURC {self.aurc.estimate:.4f}" if title else ""
                draw_risk(canvas, self.judged, self.tied, self.measure, words)
            else:
                draw_thresholds(canvas, self.judged, self.rule, self.measure, words)
        return canvas


_AREAS, _AT_BEST = ("AUROC", "AURC", "nAUC"), ("F1", "value")


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool) else json_number(float(value))


def _written(value: float) -> str:
    if math.isnan(value):
        return UNKNOWN
    return "none" if math.isinf(value) else f"{value:.4f}"
