"""Your own measures: a function of the labels of a query, or a formula over the Alignment."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs
from rankmark.errors import MeasureError, shown
from rankmark.measures.base.functions import name_of
from rankmark.measures.base.measure import DependsOn, Measure
from rankmark.measures.base.parameters import checked, cutoff

_ENDLESS = (-math.inf, math.inf)


class Own(Measure):
    """Your own measure, used like any other; nothing needs to be registered.

    ``Own(...) @ 10`` uses the first 10 documents.

    Parameters
    ----------
    name
        Its name in tables and results.
    labels
        ``labels(labels)`` or ``labels(labels, missed)``, a number: (n,) float64, the labels of one
        query's documents in rank order, NaN if unjudged; and (m,) float64, those of judged
        documents that were not retrieved, high to low. It is called for each query.
    formula
        Instead: ``formula(a)``, of an Alignment of Q queries, returns (Q,) float64.
    k
        The last rank whose label is passed to the function.
    bounds
        Lowest and highest possible value.
    more_is_better
        Whether a higher value is better.

    Raises
    ------
    MeasureError
        If another measure has the name, or not exactly one function is given.

    Notes
    -----
    A plain function of labels can be passed without ``Own``; its name becomes the measure's.

    Examples
    --------
    >>> import rankmark as rm
    >>> first = rm.Own("first label", labels=lambda labels: labels[0] if len(labels) else 0)
    >>> half = rm.Own("halves", formula=lambda a: a.sum(a.relevant(1) * 0.5**a.rank))
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": ["b", "a"]}
    >>> rm.evaluate(qrels, run, [first, half, "nDCG@10"])["halves"]
    0.75
    """

    depends_on: DependsOn = "grades"
    bounds = _ENDLESS
    reaches_bound = False
    nothing_relevant: float | None = None
    promoting_helps = False  # as far as is known
    formula = "your own"

    def __init__(
        self,
        name: str,
        *,
        labels: Callable[..., float] | None = None,
        formula: Callable[[Alignment], Floats] | None = None,
        k: int | None = None,
        bounds: tuple[float, float] = _ENDLESS,
        more_is_better: bool = True,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise MeasureError(f"a measure's name is {shown(name)}", "need some text")
        if (labels is None) == (formula is None) or not callable(labels or formula):
            raise MeasureError(
                "there is no function", "give one as labels= or as formula=", where=name
            )
        k = checked(name, "k", k, cutoff())
        _refuse_known(name)
        if k is not None and formula is not None:
            raise MeasureError("a formula is not cut by k", f"use a.within({k}) in it", where=name)
        vars(self).update(
            name=name,
            labels=labels,
            _formula=formula,  # the text of that name is what tables and pages show
            k=k,
            bounds=bounds,
            more_is_better=more_is_better,
        )
        object.__setattr__(self, "chosen", frozenset() if k is None else frozenset({"k"}))
        object.__setattr__(self, "_hash", hash((type(self), name, labels, formula, k)))

    def __reduce__(self) -> tuple[Any, ...]:
        given = self._given()
        return _made, (given.pop("name"), given)

    def with_parameters(self, **parameters: Any) -> Own:
        """Copy the measure with another cutoff."""
        if parameters.keys() - {"k"}:
            raise MeasureError(f"{self.name} takes no parameters", "give only a cutoff, as in @ 10")
        return Own(**self._given() | parameters)

    def _given(self) -> dict[str, Any]:
        """Return what the measure was made of."""
        given = dict(vars(self))
        return given | {"formula": given.pop("_formula")}

    def needs(self) -> Needs:
        """Use all ranks: documents below the cutoff were not missed."""
        return Needs()

    def score(self, a: Alignment) -> Floats:
        formula = vars(self)["_formula"]
        if formula is None:
            return np.array([self._of_query(a, query) for query in range(len(a.retrieved))])
        found = formula(a)
        try:
            scores = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            raise MeasureError(
                f"the formula returned {shown(found)}",
                "need a number for each query",
                where=self.name,
            ) from None
        if scores.shape != a.retrieved.shape:
            raise MeasureError(
                f"the formula returned shape {scores.shape} for {len(a.retrieved)} queries",
                "need a number for each, as a.sum(...) gives",
                where=self.name,
            )
        return scores

    def _of_query(self, a: Alignment, query: int) -> float:
        k: int | None = vars(self)["k"]
        rows = slice(a.starts[query], a.starts[query + 1])
        ranked = np.full(int(a.retrieved[query]), np.nan)
        ranked[a.rank[rows] - 1] = a.label[rows]
        function = vars(self)["labels"]
        given = [ranked[:k], *([_missed(a, query, rows)] if _takes_missed(function) else [])]
        try:
            found: Any = function(*given)
        except Exception as error:
            error.add_note(f"rankmark called {self.name} for query {a.queries[query]!r}")
            raise
        try:
            return float(found)
        except (TypeError, ValueError):
            raise MeasureError(
                f"the function returned {shown(found)} for query {a.queries[query]!r}",
                "need a number",
                where=self.name,
            ) from None


def _made(name: str, given: dict[str, Any]) -> Own:
    return Own(name, **given)


def _missed(a: Alignment, query: int, rows: slice) -> Floats:
    """Return the labels of judged documents that were not retrieved, high to low."""
    judged = a.ideal_label[a.ideal_starts[query] : a.ideal_starts[query + 1]]
    left = Counter(judged.tolist())
    left.subtract(a.label[rows].tolist())
    return np.array(sorted(left.elements(), reverse=True), dtype=np.float64)


def of_function(function: Callable[..., Any]) -> Own:
    """Return a measure for a function of labels in rank order, with the function's name.

    Raises
    ------
    MeasureError
        If its second argument is required and not called ``missed``, as in a function of labels
        and scores, or another measure has its name.
    """
    name = name_of(function)
    second = [parameter.name for parameter in _needed(function)][1:2]
    if second and second != ["missed"]:
        raise MeasureError(
            f"{name} needs {second[0]}, and a measure is called with the labels of one query "
            'in rank order, and with the labels missed if it has a parameter "missed"',
            f'write Own("{name}", labels=...) with a function of these',
        )
    return Own(name, labels=function)


def _takes_missed(function: Callable[..., float]) -> bool:
    """Return True if a function requires a second argument."""
    return len(_needed(function)) > 1


def _needed(function: Callable[..., Any]) -> list[Parameter]:
    """Return the positional arguments that a function requires."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # such as functions of NumPy
        return []
    return [
        parameter
        for parameter in parameters
        if parameter.kind in {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}
        and parameter.default is Parameter.empty
    ]


def _refuse_known(name: str) -> None:
    """Refuse the name of an existing measure, since a result could mean either."""
    from rankmark.measures.grammar import parse  # noqa: PLC0415  (it knows all measures)

    try:
        known = parse(name)
    except MeasureError:
        return
    raise MeasureError(
        f"{name!r} is already a measure, {', '.join(map(str, known))}",
        f'choose another name, as in Own("my {name}", labels=...)',
    )
