"""The result of a power analysis: what the queries of two runs can detect."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.errors import NotEvaluatedError, one_line
from rankmark.measures.names import measure
from rankmark.results.details import Detail
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN, number, percent, whole, written_range
from rankmark.results.result import Row
from rankmark.results.shown_parts import Look, Notes
from rankmark.results.shown_result import TabledResult
from rankmark.results.table_schema import columns_of
from rankmark.results.written_forms import written

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.result_tables import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePower(Row):
    """What a paired t test can detect of one measure.

    Parameters
    ----------
    measure, more_is_better
        The measure, and whether a positive difference means that the other run is better.
    n, left_out
        Queries with a score in both runs, and the others.
    observed, low, high
        The observed mean difference, the other run minus the baseline, and its interval by t, whose
        confidence is one minus the level. NaN if there is none.
    spread, spread_low, spread_high
        Standard deviation of the differences of queries, and its 80% interval.
    detectable
        The smallest true difference, in either direction, that the test finds on these queries as
        often as asked.
    difference
        The true difference asked about: the one given, or else the one observed.
    power, simulated_power
        How often the test finds it on so many queries: by the noncentral t distribution, and in
        draws from the observed differences.
    power_low, power_high
        The first of these if the standard deviation is at either end of its interval.
    required_queries, simulated_queries
        The number of queries on which the test finds it as often as asked, in the same two ways;
        None if unknown.
    required_low, required_high
        The first of these if the standard deviation is at either end of its interval.
    undefined
        Why some of this is NaN or None, or "".
    others, correlation, effective_n
        With LLM labels: queries that the LLM alone judged, the correlation of differences by
        people and by the model, and how many queries judged by people alone would give as small a
        standard error. None without, or if unknown.
    required_with_model
        Queries that people have to judge to find the difference as often as asked, if all queries
        have the model's labels; None if all of them would not suffice.
    variance_of_queries, variance_of_trials
        Of systems of several trials, the two parts of the variance of a query's difference: that
        between queries, and that which its trials add. None without trials.
    queries_for_trial, cost_for_trial
        How many more queries make intervals as narrow as one more trial of each query, and from how
        many answers on, as the cost of judging a query, that trial is cheaper. None without trials.
    half_width_with_model, half_width_alone
        Queries that people have to judge for an interval of the half width that was asked for, with
        the labels of the model and without; None if that was not asked, or all would not suffice.
    """

    measure: str
    more_is_better: bool
    n: int
    left_out: int
    observed: float
    low: float
    high: float
    spread: float
    detectable: float
    difference: float
    power: float
    simulated_power: float
    required_queries: int | None
    simulated_queries: int | None
    undefined: str
    spread_low: float = math.nan
    spread_high: float = math.nan
    power_low: float = math.nan
    power_high: float = math.nan
    required_low: int | None = None
    required_high: int | None = None
    others: int | None = None
    correlation: float | None = None
    effective_n: float | None = None
    required_with_model: int | None = None
    variance_of_queries: float | None = None
    variance_of_trials: float | None = None
    queries_for_trial: float | None = None
    cost_for_trial: float | None = None
    half_width_with_model: int | None = None
    half_width_alone: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PowerAnalysis(TabledResult):
    """What a paired t test can detect on the queries of two runs.

    Parameters
    ----------
    baseline, other
        Names of the runs; a difference is the other minus the baseline.
    rows
        One for each measure, in the requested order.
    power, level
        How often a difference must be found, and the level of the two-sided test.
    resamples, seed
        Draws of each simulation, and their seed.
    is_given
        Whether a difference was given; otherwise the observed one was taken.
    evaluations
        Those of the baseline and of the other run.
    half_width
        How far an interval may reach on each side; None if that was not asked.
    sample
        With LLM labels, how the queries that people judged were drawn; else "".
    """

    baseline: str
    other: str
    rows: tuple[MeasurePower, ...]
    power: float
    level: float
    resamples: int
    seed: int
    is_given: bool
    evaluations: tuple[Evaluation, Evaluation]
    half_width: float | None = None
    sample: str = ""

    def __getitem__(self, name: str | Measure) -> MeasurePower:
        by_name = {row.measure: row for row in self.rows}
        if str(name) in by_name:
            return by_name[str(name)]
        found = str(measure(name))
        if found not in by_name:
            have = ", ".join(by_name)
            raise NotEvaluatedError(f"{found} was not evaluated", f"this analysis has {have}")
        return by_name[found]

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``analysis["`` in notebooks."""
        return [row.measure for row in self.rows]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has."""
        first, second = (one.to_dict(per_query=False) for one in self.evaluations)
        return {
            "qrels": first["qrels"],
            "baseline": {"run": self.baseline} | first["run"],
            "other": {"run": self.other} | second["run"],
            "settings": self.settings,
            "audit": {"baseline": first["audit"], "other": second["audit"]},
            "power": self.rows,
            "notes": self.notes,
        }

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, measures, and those of the analysis."""
        evaluation = self.evaluations[0]
        return evaluation.conventions.to_dict() | {
            "measures": evaluation.names,
            "power": self.power,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "half_width": self.half_width,
        }

    def _table(self) -> dict[str, Any]:
        names = {"baseline": self.baseline, "run": self.other}
        return columns_of(names | row.to_dict() for row in self.rows)

    def _grids(self) -> list[MarkedTable]:
        """Return a table with a column for each measure."""
        given = f"a difference of {self.rows[0].difference:+.4g}"
        asked = given if self.is_given else "the observed difference"
        lines: dict[str, Callable[[MeasurePower], str]] = {
            "queries": lambda row: f"{row.n:,}",
            "observed difference": lambda row: _signed(row.observed),
            f"{100 * (1 - self.level):.6g}% interval": _interval,
            "standard deviation": lambda row: number(row.spread),
            "80% interval of it": lambda row: written_range(
                number(row.spread_low), number(row.spread_high)
            ),
            "smallest detectable difference": lambda row: number(row.detectable),
            f"power for {asked}": lambda row: percent(row.power),
            "power, range": lambda row: written_range(
                percent(row.power_low), percent(row.power_high)
            ),
            "power, simulated": lambda row: percent(row.simulated_power),
            "queries needed for it": lambda row: whole(row.required_queries),
            "queries needed, range": lambda row: written_range(
                whole(row.required_low), whole(row.required_high)
            ),
            "queries needed, simulated": lambda row: whole(row.simulated_queries),
        }
        if any(one.trials for one in self.evaluations):
            lines |= {
                "variance between queries": lambda row: _or_unknown(row.variance_of_queries, 4),
                "variance that trials add": lambda row: _or_unknown(row.variance_of_trials, 4),
                "more queries equal to one more trial": lambda row: _or_unknown(
                    row.queries_for_trial, 1
                ),
                "cheaper if judging costs over (answers)": lambda row: _or_unknown(
                    row.cost_for_trial, 1
                ),
            }
        if self.sample:
            lines |= {
                "judged by the model only": lambda row: whole(row.others),
                "correlation with people": lambda row: _or_unknown(row.correlation, 4),
                "worth, judged by people": lambda row: _or_unknown(row.effective_n, 1),
                "needed with the model": lambda row: whole(row.required_with_model),
            }
        if self.half_width is not None:
            within = f"needed for an interval of ±{self.half_width:g}"
            if self.sample:
                lines[f"{within}, with the model"] = lambda row: whole(row.half_width_with_model)
            lines[within] = lambda row: whole(row.half_width_alone)
        head = [f"{self.other} minus {self.baseline}", *(row.measure for row in self.rows)]
        cells = [[name, *map(written, self.rows)] for name, written in lines.items()]
        return [MarkedTable(head, cells)]

    @property
    def notes(self) -> list[str]:
        """Lines on the test, the direction of differences, and what is unknown."""
        lines: list[str] = [
            f"two-sided paired t test at level {self.level:g}; a difference is detectable, and "
            f"queries suffice, if it is found {self.power:.0%} of the time",
            Detail(
                f"simulated: {self.resamples:,} draws from the observed differences, seed "
                f"{self.seed}"
            ),
        ]
        if any(row.spread_high == row.spread_high for row in self.rows):
            lines.append(
                "ranges: for the lowest and the highest standard deviation that these queries "
                "allow (80%); about one pilot in ten needs more queries"
            )
        if any(row.cost_for_trial is not None for row in self.rows):
            lines.append(
                "one more trial of each query makes intervals as narrow as so many more queries, "
                "and is cheaper if judging a query costs more than so many answers of a system"
            )
        if self.sample:
            queries = max((row.n + (row.others or 0) for row in self.rows), default=0)
            lines.append(
                f"people judged {self.rows[0].n:,} of the {queries:,} queries that the model "
                f"judged, {self.sample}; worth: how many queries judged by people alone would give "
                f"as small an error; needed with the model: queries judged by people, of these "
                f"{queries:,}"
            )
        less = [row.measure for row in self.rows if not row.more_is_better]
        if less:
            lines.append(f"lower is better in {', '.join(less)}: a negative difference is a gain")
        summed = [str(one) for one in self.evaluations[0].measures if one.aggregate != "mean"]
        if summed:
            lines.append(f"{', '.join(summed)}: differences are means over the queries")
        bounds = {str(one): one.bounds for one in self.evaluations[0].measures}
        for row in self.rows:
            low, high = bounds[row.measure]
            if row.detectable > high - low:
                lines.append(
                    f"{row.measure}: no difference can exceed {high - low:g}, so these queries are "
                    "too few to detect any"
                )
        for count in dict.fromkeys(row.left_out for row in self.rows if row.left_out):
            names = ", ".join(row.measure for row in self.rows if row.left_out == count)
            are = "query has" if count == 1 else "queries have"
            lines.append(f"{names}: {count:,} {are} no score in one of the runs")
        lines += [f"{row.measure}: {row.undefined}" for row in self.rows if row.undefined]
        if not self.is_given and not all(math.isnan(row.low) for row in self.rows):
            lines.append(
                "the observed difference is uncertain; to plan a test collection, give the "
                "smallest difference that matters"
            )
        return lines

    def __repr__(self) -> str:
        found = ", ".join(f"{row.measure}={number(row.detectable)}" for row in self.rows)
        return one_line(f"PowerAnalysis({self.baseline}, {self.other}: detectable {found})")


def rendered(
    found: TabledResult,
    form: Format,
    notes: Sequence[str],
    *,
    width: int | None = None,
) -> str:
    """Write a power analysis, or the plan of a gate.

    Parameters
    ----------
    form
        "json" is one indented document, "jsonl" one line; both contain settings, audits and the
        SHA-256 of each file. "table" has notes below.
    notes
        The lines below a table.
    width
        The columns of a line of "table"; None for no limit.
    """
    if form in ("json", "jsonl"):
        return found.to_json(indent=2 if form == "json" else None) + "\n"
    (table,) = found._grids()
    if form == "table":
        return written([table, Notes(notes)], Look(width=width)) + "\n"
    table.keys = 1
    table.caption, table.label = "; ".join(found.notes), "tab:power"
    return written([table], Look(form))


def _signed(value: float) -> str:
    if math.isnan(value):
        return UNKNOWN
    return f"{value:+.4f}" if round(value, 4) else "0.0000"


def _interval(row: MeasurePower) -> str:
    if math.isnan(row.low):
        return UNKNOWN
    return f"[{_signed(row.low)}, {_signed(row.high)}]"


def _or_unknown(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None else f"{value:,.{digits}f}"
