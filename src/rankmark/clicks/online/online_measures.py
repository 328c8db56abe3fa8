"""Measures of what users did, each declared with its parameters: ``CTR@3``, ``SAT(dwell=30)@10``.

A measure has a value and a weight for each issue of a query. Its function asks for counts of the
documents of each issue, such as ``count("documents", k)``: it is called once to find out what the
engine has to count, and once more with what was counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from rankmark.arguments import above_zero, flag, text
from rankmark.array_types import Floats
from rankmark.formulas import Formula, as_formulas, choice, formulas_in

Aggregate = Literal["mean", "ratio of sums", "mean of units", "median"]
Values = tuple["Floats", "Floats"]
"""The value and the weight of each issue: (n_issues,) float64 each."""


class Count(Protocol):
    """Gives a count of each issue: (n_issues,) float64."""

    def __call__(self, what: str, k: int | None = None, by: Any = None) -> Floats:
        """Return a count of the documents to rank k; ``by`` is a threshold or a column."""
        ...


def _every(values: Any) -> Values:
    return values * 1.0, np.ones(len(values))


def _ctr(number: Count, *, k: int | None = None) -> Values:
    return _every(number("documents", k) > 0)


def _click_rate(number: Count, *, k: int | None = None) -> Values:
    return number("documents", k), number("shown", k)


def _clicks(number: Count, *, count: str = "documents", k: int | None = None) -> Values:
    return _every(number(count, k))


def _abandonment(number: Count, *, answered: str | None = None, k: int | None = None) -> Values:
    left = number("documents", k) == 0
    return _every(left if answered is None else left & (number("above 0", None, answered) == 0))


def _click_rr(
    number: Count, *, click: str = "first", no_click: str = "zero", k: int | None = None
) -> Values:
    clicked = number("documents", k)
    has_click = clicked > 0
    top, at = (clicked, number("ranks", k)) if click == "mean" else (1.0, number(click, k))
    values: Floats = np.where(has_click, top / np.maximum(at, 1), 0.0)
    weights: Floats = np.where(has_click | (no_click == "zero"), 1.0, 0.0)
    return values, weights


def _sat(number: Count, *, dwell: float = 30, last: bool = True, k: int | None = None) -> Values:
    found = number("satisfied", k, dwell)
    return _every((found + number("no dwell", k) if last else found) > 0)


def _where_known(values: Floats) -> Values:
    return np.nan_to_num(values), ~np.isnan(values) * 1.0


def _time_to_click(number: Count, *, k: int | None = None) -> Values:
    return _where_known(number("seconds", k))


def _reformulation(number: Count, *, within: float = 30) -> Values:
    return _where_known(number("reformulated", None, within))


def _zero_results(number: Count) -> Values:
    return _every(number("shown") == 0)


def _conversion(number: Count, *, of: str = "bought") -> Values:
    return _every(number("above 0", None, of) > 0)


def _revenue(number: Count, *, of: str = "revenue") -> Values:
    return _every(number("amount", None, of))


@dataclass(frozen=True, slots=True, repr=False)
class OnlineMeasure(Formula):
    """A measure of what users did.

    Parameters
    ----------
    name, over
        Its name, and the function of the counts; its keywords are the parameters.
    aggregate
        Its number for all issues: their ``"mean"``; the ``"ratio of sums"`` of values and weights;
        the ``"mean of units"``, of what each user has in all; or the ``"median"`` of the issues
        that have a value.
    more_is_better
        None if that depends.
    is_share
        Whether values are 0 or 1.
    needs
        The columns that the log must have besides ``query_id`` and ``click``.
    given
        The parameters that differ from their defaults.
    """

    name: str
    over: Callable[..., Values]
    aggregate: Aggregate = "mean"
    more_is_better: bool | None = True
    is_share: bool = False
    needs: tuple[str, ...] = ()
    given: tuple[tuple[str, Any], ...] = ()

    shown = ("dwell", "last")

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        for name, value in parameters.items():
            if name in _CHECKS and value is not None:
                _CHECKS[name](name, value)

    def columns(self) -> list[str]:
        """Return the columns that the log must have."""
        chosen = self.parameters
        named = [chosen[name] for name in ("of", "answered") if chosen.get(name) is not None]
        by_rank = chosen.get("k") is not None or self.name == "ClickRR"
        return [*self.needs, *named, *(["rank"] if by_rank else [])]


_CHECKS: Mapping[str, Callable[..., Any]] = {
    "dwell": above_zero,
    "within": above_zero,
    "last": flag,
    "of": text,
    "answered": text,
    "no_click": lambda name, value: choice(name, value, "zero", "undefined"),
    "click": lambda name, value: choice(name, value, "first", "last", "mean"),
    "count": lambda name, value: choice(name, value, "documents", "clicks"),
}


_MEASURES = (
    OnlineMeasure("CTR", _ctr, is_share=True),
    OnlineMeasure("ClickRate", _click_rate, "ratio of sums"),
    OnlineMeasure("Clicks", _clicks, more_is_better=None),
    OnlineMeasure("Abandonment", _abandonment, more_is_better=False, is_share=True),
    OnlineMeasure("ClickRR", _click_rr),
    OnlineMeasure("SAT", _sat, is_share=True, needs=("dwell",)),
    OnlineMeasure(
        "TimeToClick",
        _time_to_click,
        "median",
        more_is_better=False,
        needs=("time", "click_time"),
    ),
    OnlineMeasure(
        "Reformulation",
        _reformulation,
        more_is_better=False,
        is_share=True,
        needs=("query", "session", "time"),
    ),
    OnlineMeasure("ZeroResults", _zero_results, more_is_better=False, is_share=True),
    OnlineMeasure("Conversion", _conversion, "mean of units", is_share=True),
    OnlineMeasure("Revenue", _revenue, "mean of units"),
)
MEASURES: Mapping[str, OnlineMeasure] = {one.name.lower(): one for one in _MEASURES}


def online_measures(requested: Any) -> tuple[OnlineMeasure, ...]:
    """Return the measures that names stand for.

    Raises
    ------
    MeasureError
        If a name is unknown, or a parameter is invalid.
    """
    what = "online measure"
    return as_formulas(
        requested, lambda name: formulas_in(str(name), MEASURES, what), what, "CTR@3"
    )
