"""The values of online measures for each issue of a query, from counts that the engine makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from rankmark.clicks.analysis_units import number_column, refuse_infinite
from rankmark.clicks.logs.counting import collected, one
from rankmark.errors import InputError, counted
from rankmark.statistics.confidence_intervals import Interval
from rankmark.statistics.shares import ratio_interval

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.clicks.logs.click_log import ClickLog
    from rankmark.clicks.online.online_measures import OnlineMeasure

c = nw.col
_EMPTY = np.zeros(0)


class IssueValues(NamedTuple):
    """What measures give for the issues of a log, in the order of their ids.

    Parameters
    ----------
    ids
        The ids, as Arrow has them.
    values, weights
        (n_issues,) float64 for each measure; a value counts 0 where the weight is 0.
    groups
        {column: (the number of each issue's value, -1 for none, and the values by number)}.
    counts
        {"clicked" or "empty": how many issues have a click, or no document}.
    """

    ids: Any
    values: list[Floats]
    weights: list[Floats]
    groups: Mapping[str, tuple[Ints, list[str]]]
    counts: Mapping[str, int]


class UnitSums(NamedTuple):
    """Sums of values and of weights by unit, such as a user: (n_units,) float64 each.

    Units whose weight is 0 have no part in the ratio of both.
    """

    values: Floats
    weights: Floats

    @property
    def ratio(self) -> float:
        """Return the ratio of the sums; NaN without units."""
        return float(self.values.sum() / self.weights.sum()) if self.weights.sum() else np.nan

    def interval(self, confidence: float, *, is_share: bool) -> Interval:
        """Return an interval of the ratio; see ``ratio_interval``."""
        return ratio_interval(*self, confidence=confidence, is_share=is_share)


def unit_sums(
    measure: OnlineMeasure, values: Floats, weights: Floats, units: Ints, count: int
) -> UnitSums:
    """Add up the values of each unit, in the order of the issues; unit -1 is left out."""
    known = units >= 0

    def added(each: Floats) -> Floats:
        return np.bincount(units[known], each[known], count).astype(np.float64)

    sums = UnitSums(added(values), added(weights))
    if measure.aggregate != "mean of units":
        return sums
    of_unit = np.minimum(sums.values, 1.0) if measure.is_share else sums.values
    return UnitSums(of_unit, np.minimum(sums.weights, 1.0))


def issue_values(
    log: ClickLog, measures: Sequence[OnlineMeasure], groups: Sequence[str]
) -> IssueValues:
    """Count in the engine, and divide in NumPy.

    Whole numbers leave the engine, and of amounts the rows that are not 0, which NumPy adds up in
    sorted order: so every value has the same bits on each engine.

    Parameters
    ----------
    groups
        The columns of issues by which values will be added up.
    """
    for measure in measures:
        log.need(*measure.columns(), for_=str(measure))
    counts = _Counts(log)
    for measure in measures:
        _given(measure, counts)
    counts("documents"), counts("shown")
    counts.count(groups)
    found = [_given(measure, counts) for measure in measures]
    return IssueValues(
        counts.table["query_id"],
        [values for values, _ in found],
        [weights for _, weights in found],
        {name: counts.numbers(name) for name in groups},
        {
            "clicked": int((counts("documents") > 0).sum()),
            "empty": int((counts("shown") == 0).sum()),
        },
    )


def _given(measure: OnlineMeasure, counts: _Counts) -> tuple[Floats, Floats]:
    parameters = measure.parameters
    return measure.over(counts, **parameters)


class _Counts:
    """Counts of each issue: asked for at first, and counted all at once."""

    def __init__(self, log: ClickLog) -> None:
        self._log = log
        self._asked: dict[tuple[str, int | None, Any], str] = {}
        self._amounts: set[str] = set()
        self.table: Any = None

    def __call__(self, what: str, k: int | None = None, by: Any = None) -> Floats:
        """Return a count, or nothing yet."""
        if self.table is None:
            self._asked.setdefault((what, k, by), f"x{len(self._asked)}")
            return _EMPTY
        if what in {"seconds", "reformulated", "amount"}:
            return getattr(self, f"_{what}")(k, by)
        return self._numbers(self._asked[what, k, by])

    def count(self, groups: Sequence[str]) -> None:
        """Let the engine count all that was asked for."""
        rows, sums, others = {}, [], []
        for (what, k, by), name in self._asked.items():
            row = self._of_row(what, k, by)
            if row is None:
                continue
            rows[name] = row
            if what in {"first", "seconds"}:
                others.append(c(name).min())
            elif what == "last":
                others.append(c(name).max())
            else:
                sums.append(name)
        of_issue = (
            self._log.frame.with_columns(**rows)
            .group_by("query_id")
            .agg(*(c(name).sum() for name in sums), *others)
        )
        joined = self._log.issues.join(of_issue, on="query_id", how="left")
        wanted = {*groups} & {*self._log.issues.collect_schema().names()} - {"query_id"}
        kept = sorted({*rows, *wanted, *self._of_issues()})
        self.table = collected(joined.select("query_id", *kept).sort("query_id"))

    def _of_issues(self) -> set[str]:
        """Return the columns of issues that times and sessions need."""
        asked = {what for what, _, _ in self._asked}
        found = {"time"} if "seconds" in asked else set()
        return found | ({"time", "session", "query"} if "reformulated" in asked else set())

    def _of_row(self, what: str, k: int | None, by: Any) -> nw.Expr | None:
        """Return what is counted of a document; None for what is not counted by issue."""
        is_top = ~c("doc").is_null() if k is None else c("rank") <= k
        hit = is_top & (c("click") > 0)
        if what in {"shown", "documents"}:
            return one(is_top if what == "shown" else hit)
        if what in {"clicks", "first", "last", "ranks"}:
            return nw.when(hit).then(c("click" if what == "clicks" else "rank"))
        if what in {"satisfied", "no dwell"}:
            no_dwell = c("dwell").is_null()
            return one(hit & (no_dwell if what == "no dwell" else c("dwell") >= by))
        if what == "seconds":
            self._refuse_other_clock()
            return nw.when(hit).then(c("click_time"))
        return one(number_column(self._log, by) > 0) if what == "above 0" else None

    def _refuse_other_clock(self) -> None:
        """Refuse a ``click_time`` from which ``time`` cannot be subtracted."""
        kinds = self._log.frame.collect_schema()
        of_query, of_click = (_clock(kinds[name]) for name in ("time", "click_time"))
        if of_query != of_click:
            raise InputError(
                f"click_time is {of_click or kinds['click_time']}, and time is {of_query}",
                "give both as seconds, both as datetimes with a time zone, or both as datetimes "
                "without one",
                where=self._log.name,
            )

    def _numbers(self, name: str) -> Floats:
        """Return a column as float64, 0 for null."""
        import pyarrow as pa  # noqa: PLC0415

        column = self.table[name].cast(pa.int64()).fill_null(0)
        return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)

    def _times(self, name: str) -> Floats:
        """Return times in seconds, NaN for null."""
        import pyarrow as pa  # noqa: PLC0415

        column = self.table[name]
        if pa.types.is_temporal(column.type):
            to = pa.timestamp("us", tz=getattr(column.type, "tz", None))
            whole = column.cast(to, safe=False)  # which drops the rest of nanoseconds
            micro = whole.cast(pa.int64()).to_numpy(zero_copy_only=False)
            return np.asarray(micro, dtype=np.float64) / 1e6
        found = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
        if np.isinf(found).any():
            told = "click_time" if name != "time" else name
            raise InputError(
                f"{told} holds infinite numbers",
                "give seconds, or leave unknown ones empty",
                where=self._log.name,
            )
        return found

    def _seconds(self, k: int | None, by: Any) -> Floats:
        found = self._times(self._asked["seconds", k, by]) - self._times("time")
        if (early := int((found < 0).sum())) > 0:
            raise InputError(
                f"{counted(early, 'issue')} clicked before the time of the query",
                "correct time and click_time, or drop these issues",
                where=self._log.name,
            )
        return found

    def _reformulated(self, k: int | None, within: float) -> Floats:  # noqa: ARG002
        """Return whether another query follows in the session; NaN without a time or session."""
        times = self._times("time")
        (sessions, _), (queries, _) = self.numbers("session"), self.numbers("query")
        order = np.lexsort((times, sessions))
        after = np.append(order[1:], order[-1:])
        is_next = (sessions[order] == sessions[after]) & (queries[order] != queries[after])
        found = np.empty(len(times))
        found[order] = is_next & (times[after] - times[order] <= within)
        found[np.isnan(times) | (sessions < 0)] = np.nan
        return found

    def _amount(self, k: int | None, by: str) -> Floats:  # noqa: ARG002
        """Add up amounts by issue, in the order of issues and of amounts."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        amount = number_column(self._log, by)
        paid = self._log.frame.filter(amount != 0).select(
            "query_id", amount=amount.cast(nw.Float64)
        )
        table = collected(paid.sort("query_id", "amount"))
        ids = self.table["query_id"]
        at = pc.index_in(table["query_id"].cast(ids.type), value_set=ids.combine_chunks())
        values = np.asarray(table["amount"].cast(pa.float64()).to_numpy(zero_copy_only=False))
        refuse_infinite(values, by, self._log.name)
        places = np.asarray(at.to_numpy(zero_copy_only=False), dtype=np.int64)
        return np.bincount(places, values, len(ids)).astype(np.float64)

    def numbers(self, name: str) -> tuple[Ints, list[str]]:
        """Return the number of the value of each issue in a column, in the order of appearance."""
        import pyarrow as pa  # noqa: PLC0415

        column = self.table[name].combine_chunks().dictionary_encode()
        codes = column.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        return np.asarray(codes), [str(value) for value in column.dictionary.to_pylist()]


def _clock(kind: nw.dtypes.DType) -> str:
    """Return what a column of times measures time by; "" for what is no time."""
    if isinstance(kind, nw.Datetime) and kind.time_zone:
        return "datetimes with a time zone"
    if isinstance(kind, (nw.Date, nw.Datetime)):
        return "datetimes without a time zone"
    return "seconds" if kind.is_numeric() else ""
