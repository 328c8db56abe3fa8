"""The rows of a comparison, and tables of them: means of runs, and differences of pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, overload

from rankmark.errors import InputError, listed, one_line
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import plain
from rankmark.results.shown_parts import Look, Notes, Part
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class ComparedMeasure(NamedTuple):
    """A measure as comparisons use it.

    Parameters
    ----------
    name
        Its canonical name.
    more_is_better
        Whether higher scores are better.
    aggregate
        "mean"; "sum", for counts; or "gmean", whose means are not of scores, and not tested.
    bounds
        The lowest and the highest score possible, beyond which no interval of a mean lies.
    """

    name: str
    more_is_better: bool = True
    aggregate: str = "mean"
    bounds: tuple[float, float] = (-math.inf, math.inf)

    @property
    def undefined(self) -> str:
        """Why differences of this measure are not tested, or ""."""
        if self.aggregate == "gmean":
            return f"{self.name} is a geometric mean, and tests are of arithmetic means"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """How a run differs from a baseline on one measure: its scores minus the baseline's.

    Parameters
    ----------
    measure, baseline, run
        Their names.
    more_is_better
        Whether a positive difference means that the run is better.
    baseline_mean, run_mean
        The means of the two, each over all of its queries with a score; of a count the sums.
    n, left_out
        Queries with a score from both, and without.
    difference, low, high, method
        Mean difference with the confidence interval of this difference alone, and how that was
        found: "t", "BCa" or "Newcombe"; of a count, the difference of sums.
    adjusted_low, adjusted_high
        The interval that is corrected as ``adjusted_p`` is, so that all of the ``family`` hold
        their differences together with the confidence; with "bh" and "by", those of significant
        differences on average. It excludes 0 where ``significant``, or ``legend`` says where not.
        An end that is 0 is not part of it.
    relative, relative_low, relative_high
        The difference as a share of the baseline's mean, with Fieller's interval; NaN if that mean
        is not above 0, and for the ends if it could be 0.
    p, adjusted_p, smallest_p
        p-value; the p-value corrected for the ``family``; the smallest p that these queries and
        resamples can give. NaN if ``undefined`` says why.
    significant
        Whether ``adjusted_p`` is at most the level.
    family
        Number of p-values that were corrected together.
    d_z, d_av, cliffs_delta, probability_of_superiority
        Effect sizes; see ``rankmark.statistics.EffectSize``. NaN with weights.
    wins, ties, losses
        Queries on which the run is better than the baseline, equal, and worse.
    reversible_by
        What could reverse the sign of the difference: "nothing" that was tried, or "ties" (another
        order of tied documents), "unjudged" (judging the unjudged documents), or "ties, unjudged";
        "" if unknown, or if the difference is 0. This says nothing of its significance.
    undefined, warning
        Why there is no p-value, or ""; what to know when reading it, or "".
    slice
        The slice of the queries, or "" for all.
    """

    measure: str
    baseline: str
    run: str
    more_is_better: bool
    baseline_mean: float
    run_mean: float
    n: int
    left_out: int
    difference: float
    low: float
    high: float
    method: str
    adjusted_low: float
    adjusted_high: float
    relative: float
    relative_low: float
    relative_high: float
    p: float
    adjusted_p: float
    smallest_p: float
    significant: bool
    family: int
    d_z: float
    d_av: float
    cliffs_delta: float
    probability_of_superiority: float
    wins: int
    ties: int
    losses: int
    reversible_by: str
    undefined: str
    warning: str
    slice: str = ""

    @property
    def excludes_zero(self) -> bool:
        """Whether the adjusted interval excludes 0."""
        return self.adjusted_low >= 0 or self.adjusted_high <= 0

    @property
    def better(self) -> str | None:
        """The name of the better of the two; None if the means are equal or undefined."""
        if not self.difference or math.isnan(self.difference):
            return None
        return self.run if (self.difference > 0) == self.more_is_better else self.baseline

    @property
    def worse(self) -> str | None:
        """The name of the other one; None if neither is better."""
        if self.better is None:
            return None
        return self.baseline if self.better == self.run else self.run


Row = TypeVar("Row", bound="DataclassInstance")


_KEYS = ("slice", "measure", "run", "baseline")
_MOST_COLUMNS = 6  # of numbers in a table of HTML


class Rows(ShownResult, Sequence[Row], Generic[Row]):
    """A table with a row for each run and measure, or each pair and measure.

    A sequence of rows with named fields, which can be converted to JSON and data frames.
    """

    _schema = None

    def __init__(self, rows: Sequence[Row], kind: type[Row]) -> None:
        self._rows: tuple[Row, ...] = tuple(rows)
        self._names = tuple(field.name for field in fields(kind))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        return self._rows[place]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self._comparable == other._comparable

    def __hash__(self) -> int:
        return hash(self._comparable)

    @property
    def _comparable(self) -> tuple[tuple[Any, ...], ...]:
        """All values, with None for NaN, which differs from itself."""
        return tuple(tuple(row.values()) for row in self.for_json())

    def _parts(self, look: Look) -> Sequence[Part]:
        rows = self.for_json()
        same = [
            name
            for name in self._names
            if len(rows) > 1 and len({str(row[name]) for row in rows}) == 1
        ]
        keys = [name for name in self._names if name not in same and name in _KEYS]
        others = [name for name in self._names if name not in same and name not in keys]
        most = _MOST_COLUMNS if look.form == "html" else len(others)
        tables = []
        for at in range(0, max(len(others), 1), max(most, 1)):
            head = [*keys, *others[at : at + most]]
            cells = [[_text(row[name]) for name in head] for row in rows]
            tables.append(MarkedTable(head, cells, len(keys)))
        told = [f"{name}: {_text(rows[0][name])}" for name in same if _text(rows[0][name])]
        return [*tables, Notes([", ".join(told)] if told else [])]

    def where(self, **values: str) -> tuple[Row, ...]:
        """Return the rows whose fields have these values, such as ``measure="AP"``."""
        unknown = [name for name in values if name not in self._names]
        if unknown:
            raise InputError(
                f"rows have no field {listed(unknown)}", f"choose from {', '.join(self._names)}"
            )
        return tuple(
            row
            for row in self
            if all(getattr(row, name) == str(value) for name, value in values.items())
        )

    def _contents(self) -> dict[str, Any]:
        return {"rows": self.for_json()}

    def for_json(self) -> list[dict[str, Any]]:
        """Return the rows for JSON, with None for NaN."""
        return [plain(row) for row in self]

    def _table(self) -> dict[str, Any]:
        return columns_of(self, *self._names)

    def __repr__(self) -> str:
        return one_line(f"{len(self)} rows of {', '.join(self._names)}")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
