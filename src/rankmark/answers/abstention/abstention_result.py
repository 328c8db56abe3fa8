"""The result of judging abstention: areas, decisions at thresholds, intervals and curves."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.answers.abstention import curves
from rankmark.errors import InputError, counted, one_line
from rankmark.results.details import chosen
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN
from rankmark.results.result import Row, interval_for_json, plain
from rankmark.results.shown_result import DrawnResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from rankmark.answers.abstention.curves import Judged, Tied
    from rankmark.array_types import Floats
    from rankmark.statistics import Interval
    from rankmark.verbs.evaluate.evaluation import Evaluation

_AREAS, _AT_BEST = ("AUROC", "AURC", "nAUC"), ("F1", "value")
_DECISIONS = ["threshold", "answered", "recall", "false positives", "precision", "F1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Row):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Abstention(DrawnResult):
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

    _captions = {  # noqa: RUF012  (nobody changes it)
        "risk": "The risk at each share of queries that are answered",
        "thresholds": "What happens at each threshold",
    }

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
        return self._decided(self.thresholds)

    def at(self, threshold: float) -> Answered:
        """Return the decisions at a threshold.

        Raises
        ------
        InputError
            If it is not a number.
        """
        if not isinstance(threshold, (int, float)) or math.isnan(threshold):
            raise InputError(f"threshold is {threshold!r}", "give a number")
        return self._decided(np.array([float(threshold)]))[0]

    def _decided(self, thresholds: Floats) -> tuple[Answered, ...]:
        found = curves.decisions(self.judged, thresholds)
        rows = zip(*(column.tolist() for column in found), strict=True)
        return tuple(Answered(**dict(zip(found._fields, row, strict=True))) for row in rows)

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
        drawn = {name: getattr(self.auroc, name) for name in ("confidence", "resamples", "seed")}
        return settings | {"signal": self.rule, "tied": self.tied, "rates": [*self.rates]} | drawn

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

    @property
    def heading(self) -> str:
        """What the result is about."""
        return f"Abstention by {self.measure}"

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        """Return the table of areas and of the best threshold, and that of thresholds.

        Parameters
        ----------
        per_query
            Whether to add a table with a row for each query.
        """
        at = f"at {_written(self.best_threshold)}" if self.best_threshold < math.inf else "at none"
        names = {"F1": f"best F1, {at}", "value": f"{self.measure} {at}"}
        queries = f"{self.measure}, {self.counts['queries']:,} queries"
        tables = [
            MarkedTable(
                ["", "value", "low", "high"],
                (
                    [names.get(name, name), *map(_written, (one.estimate, one.low, one.high))]
                    for name, one in self.intervals.items()
                ),
                caption=f"Abstention by {queries}.",
                label="tab:abstention",
            ),
            MarkedTable(
                [*_DECISIONS, self.measure],
                (map(_written, asdict(one).values()) for one in self.decisions),
                0,
                caption=f"Thresholds of answers, {queries}.",
                label="tab:thresholds",
            ),
        ]
        if per_query:
            rows = zip(*self._table().values(), strict=True)
            of_queries = MarkedTable(
                ["query", "answerable", "confidence", self.measure],
                ([q, "yes" if ok else "no", *map(_written, numbers)] for q, ok, *numbers in rows),
                2,
                caption=f"Confidence of each query, {queries}.",
                label="tab:confidence",
            )
            tables.append(of_queries)
        return tables

    def __repr__(self) -> str:
        areas = ", ".join(f"{name}={_written(self.intervals[name].estimate)}" for name in _AREAS)
        return one_line(f"Abstention({counted(len(self.queries), 'query', 'queries')}: {areas})")

    def _contents(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return what JSON has, with the values of each query if ``per_query``.

        Returns
        -------
        areas
            AUROC, AURC and nAUC, each with its interval.
        thresholds
            The decisions at each threshold.
        threshold
            The least confidence of a query that is answered.
        confidence
            The confidence; None for a query for which nothing was returned.
        """
        evaluated = self.evaluation.to_dict(per_query=False)
        found = {name: interval_for_json(one) for name, one in self.intervals.items()}
        at_best = {f"{name.lower()}_interval": found[name] for name in _AT_BEST}
        written: dict[str, Any] = {
            "qrels": evaluated["qrels"],
            "run": evaluated["run"],
            "settings": self.settings,
            "audit": evaluated["audit"],
            "counts": self.counts,
            "measure": self.measure,
            "areas": {name: found[name] for name in _AREAS},
            "best": self.best.to_dict() | at_best,
            "thresholds": self.decisions,
            "notes": self.notes,
        }
        if per_query:
            queries, *columns = self._table().values()
            names = [*self._table()][1:]
            rows = zip(queries, *map(plain, columns), strict=True)
            written["per_query"] = {q: dict(zip(names, row, strict=True)) for q, *row in rows}
        return written

    def _table(self) -> dict[str, Any]:
        confidence, value, answerable = self.judged
        return {
            "query_id": list(self.queries),
            "answerable": answerable.tolist(),
            "confidence": np.where(np.isinf(confidence), np.nan, confidence),
            "value": value,
        }

    def _is_drawn(self) -> bool:
        return self.counts["returned_nothing"] < len(self.queries)

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:
        """Draw the risk at each coverage, or recall, false positives and F1 at each threshold.

        The risk is drawn beside that of the best order of the queries, and of no order.
        """
        from rankmark.results.drawing.lines import Line, Look, draw_lines, limit_shares  # noqa: PLC0415

        told = (
            f"{self.measure}, {self.counts['answerable']:,} answerable, "
            f"{self.counts['unanswerable']:,} unanswerable queries"
        )
        if kind == "risk":
            x, risk = self.risk_coverage()
            best = curves.risk_coverage(self.judged._replace(confidence=self.judged.value))[1]
            none = np.full(len(x), risk[-1])
            drawn = {"by confidence": risk, "best order": best, "no order": none}
            looks = [Look(0, 0), Look(None, 1), Look(None, 2)]
            labels = ("share of queries answered", f"risk: 1 - mean {self.measure}")
            told += f", AURC {self.aurc.estimate:.4f}"
            limit_shares(ax)
        else:
            x = curves.candidates(self.judged)[:-1]
            if not len(x):
                raise InputError(
                    "the run has no document for any query", "there is nothing to plot"
                )
            decided = curves.decisions(self.judged, x)
            values = {
                "recall": decided.recall,
                "false positives": decided.false_positive_rate,
                "F1 of not answering": decided.f1,
                f"{self.measure}, 1 for a right refusal": decided.value,
            }
            drawn = {name: each for name, each in values.items() if not np.isnan(each).any()}
            looks = [Look(number, number) for number in range(len(drawn))]
            labels = (f"threshold of confidence ({self.rule})", "value")
        draw_lines(
            ax,
            [Line(x, each, look) for each, look in zip(drawn.values(), looks, strict=True)],
            [*zip(looks, drawn, strict=True)],
            title=told if title else "",
            x_label=labels[0],
            y_label=labels[1],
        )
        if kind != "risk":
            ax.set_ylim(-0.02, 1.02)


def _written(value: float) -> str:
    if math.isnan(value):
        return UNKNOWN
    return "none" if math.isinf(value) else f"{value:.4f}"
