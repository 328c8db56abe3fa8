"""Measures of your own: a function of one query's labels, or a formula over the Alignment."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment.alignment import Needs
from rankmark.errors import MeasureError, shown
from rankmark.measures.base.functions import name_of
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import checked, cutoff

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats

_ENDLESS = (-math.inf, math.inf)


class Own(Measure):
    """A measure of your own, asked for beside the others; nothing is registered anywhere.

    ``Own(...) @ 10`` looks at the first 10 documents.

    Parameters
    ----------
    name
        What tables and results call it.
    labels
        ``labels(labels)`` or ``labels(labels, missed)``, a number: (n,) float64, the labels of one
        query's documents in rank order, NaN for one that nobody judged; and (m,) float64, those of
        judged documents that were not retrieved, high to low. It is called for each query.
    formula
        Instead: ``formula(a)``, of an Alignment with all its Q queries, gives (Q,) float64.
    k
        The last rank whose label the function is given.
    bounds
        Least and greatest value that it can take.
    more_is_better
        Whether a greater value speaks for the ranking.

    Raises
    ------
    MeasureError
        If the name is another measure's, or not exactly one function is given.

    Notes
    -----
    A plain function of labels needs no ``Own``: where measures are asked for, it is one, called as
    the function is.

    Examples
    --------
    >>> import rankmark as rm
    >>> first = rm.Own("first label", labels=lambda labels: labels[0] if len(labels) else 0)
    >>> half = rm.Own("halves", formula=lambda a: a.sum(a.relevant(1) * 0.5**a.rank))
    >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": ["b", "a"]}
    >>> rm.evaluate(qrels, run, [first, half, "nDCG@10"])["halves"]
    0.75
    """

    depends_on = "grades"
    bounds = _ENDLESS
    reaches_bound = False
    nothing_relevant = None
    promoting_helps = False  # as far as anybody knows
    formula = "your own"  # in place of the function, which is in `computes`

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
            raise MeasureError(f"a measure's name is {shown(name)}; need some text")
        if (labels is None) == (formula is None) or not callable(labels or formula):
            raise MeasureError(f"{name}: need a function as labels=, or one as formula=")
        k = checked(name, "k", k, cutoff())
        _refuse_known(name)
        if k is not None and formula is not None:
            raise MeasureError(f"{name}: a formula looks where it likes; a.within({k}) cuts it")
        vars(self).update(
            name=name,
            labels=labels,
            formula=formula,
            k=k,
            bounds=bounds,
            more_is_better=more_is_better,
        )
        object.__setattr__(self, "chosen", frozenset() if k is None else frozenset({"k"}))
        object.__setattr__(self, "_hash", hash((type(self), name, labels, formula, k)))

    def __reduce__(self) -> tuple[Any, ...]:
        given = dict(vars(self))
        return _made, (given.pop("name"), given)

    def with_parameters(self, **parameters: Any) -> Own:
        """Copy the measure with another cutoff."""
        if parameters.keys() - {"k"}:
            raise MeasureError(f"{self.name} takes no parameters but a cutoff, as in @ 10")
        given = vars(self) | parameters
        return Own(**given)

    def needs(self) -> Needs:
        """Look at all ranks: what stands below the cutoff was not missed."""
        return Needs()

    def score(self, a: Alignment) -> Floats:
        given = vars(self)
        if given["formula"] is None:
            return np.array([self._of_query(a, query) for query in range(len(a.retrieved))])
        found = given["formula"](a)
        try:
            scores = np.asarray(found, dtype=np.float64)
        except (TypeError, ValueError):
            raise MeasureError(
                f"{self.name}: the formula gave {shown(found)}; need a number for each query"
            ) from None
        if scores.shape != a.retrieved.shape:
            raise MeasureError(
                f"{self.name}: the formula gave {scores.shape}; need a number for each of the "
                f"{len(a.retrieved)} queries, as a.sum(...) gives"
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
                f"{self.name}: the function gave {shown(found)} for query {a.queries[query]!r}; "
                "need a number"
            ) from None


def _made(name: str, given: dict[str, Any]) -> Own:
    return Own(name, **given)


def _missed(a: Alignment, query: int, rows: slice) -> Floats:
    """Give the judged labels that are none of the retrieved documents', high to low."""
    judged = a.ideal_label[a.ideal_starts[query] : a.ideal_starts[query + 1]]
    left = Counter(judged.tolist())
    left.subtract(a.label[rows].tolist())
    return np.array(sorted(left.elements(), reverse=True), dtype=np.float64)


def of_function(function: Callable[..., Any]) -> Own:
    """Make a measure of a plain function of labels in rank order, called as the function is.

    Raises
    ------
    MeasureError
        If a second argument that it needs is not called ``missed``, as of a function of labels and
        scores, or its name is another measure's.
    """
    name = name_of(function)
    second = [parameter.name for parameter in _needed(function)][1:2]
    if second and second != ["missed"]:
        raise MeasureError(
            f"{name} needs {second[0]}; as a measure it is called with the labels of one query in "
            f'rank order, and with the labels missed if it has a place for "missed": write '
            f'Own("{name}", labels=...) with a function of these'
        )
    return Own(name, labels=function)


def _takes_missed(function: Callable[..., float]) -> bool:
    """Say whether a function has a place for a second argument."""
    return len(_needed(function)) > 1


def _needed(function: Callable[..., Any]) -> list[Parameter]:
    """List the arguments that a function needs by place."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):  # NumPy's own, say
        return []
    return [
        parameter
        for parameter in parameters
        if parameter.kind in {Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD}
        and parameter.default is Parameter.empty
    ]


def _refuse_known(name: str) -> None:
    """Refuse the name of a measure that is there already: a result could mean either."""
    from rankmark.measures.grammar import parse  # noqa: PLC0415  (it knows all measures)

    try:
        known = parse(name)
    except MeasureError:
        return
    raise MeasureError(
        f"{name!r} is a measure already, {', '.join(map(str, known))}; choose another name, as in "
        f'Own("my {name}", labels=...)'
    )
