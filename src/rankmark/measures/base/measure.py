"""What every measure is: a declaration of facts, a few parameters, and one formula."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NoReturn, Self, overload

import numpy as np

from rankmark.alignment.alignment import query_of_rows
from rankmark.alignment.tie_probabilities import places
from rankmark.errors import MeasureError, shown
from rankmark.measures.base.parameters import Parameter, checked

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Bools, Floats
    from rankmark.explanations.contributions import Contributions
    from rankmark.explanations.explanation import Explanation

_NOTHING: Any = object()  # in place of an argument that was not given
_SCORERS = {"y_true", "y_score", "y_pred", "scores", "preds", "target"}  # as others call them
DependsOn = Literal["documents", "order", "grades", "judged", "subtopics", "preferences", "counts"]


class Measure:
    """A measure with its parameters: compared, hashed and printed by value.

    A subclass declares the facts below, its parameters (as fields), and ``score``. Tests, the
    documentation, the parser of names and ``rankmark measures`` read the facts.

    Attributes
    ----------
    name
        The canonical name.
    aliases
        Other names of it, each with the parameters that it stands for.
    formula
        One line, for people.
    sees
        What it looks at: which documents were found ("documents"), where the relevant ones came
        out ("order"), how relevant each is ("grades"), whether each was judged ("judged"), which
        subtopics it is relevant to ("subtopics"), which of two documents is preferred
        ("preferences"), or only how many there are ("counts").
    bounds
        Least and greatest value that it can take, or come as near to as one likes.
    reaches_bound
        Whether a ranking of nothing but what is relevant attains the greatest value, whatever the
        parameters.
    nothing_relevant
        Its value for a query in which nothing is relevant; None where that is no special case.
    grows_with_k
        Whether a greater cutoff never lowers the value, with default parameters.
    promoting_helps
        Whether moving a relevant document up past one that is not never makes the value worse,
        with default parameters and at any cutoff.
    more_is_better
        Whether a greater value speaks for the ranking; some measures count what is wrong.
    adds_up
        Whether the value is a sum over documents, each adding what its label and its rank are
        worth, divided at most by what no order of tied documents changes. Its expected value over
        all orders then needs no formula of its own.
    judged_alike
        Whether the bounds of judging are reached with all unjudged documents of the first k judged
        alike, and all others alike.
    aggregate
        How queries become one number: "mean"; "sum" for counts; or "gmean", the geometric mean, in
        which a value below 0.00001 counts as that.
    at
        The parameter that ``@`` sets.
    numbered
        Names in trec_eval's manner that end in a number, and the parameter that the number sets;
        behind all other names it sets ``k``.
    source
        Where the definition comes from.
    parameters
        The parameters by name, in the order in which the canonical name writes them.
    chosen
        Those that somebody gave, be it as their default, as in ``AP(rel=1)``; equality does not see
        it.
    """

    __slots__ = ("__dict__", "_hash", "chosen")
    chosen: frozenset[str]
    _hash: int

    name: ClassVar[str]
    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    formula: ClassVar[str]
    depends_on: ClassVar[DependsOn]
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reaches_bound: ClassVar[bool] = True
    nothing_relevant: ClassVar[float | None] = 0.0
    grows_with_k: ClassVar[bool] = False
    promoting_helps: ClassVar[bool] = True
    adds_up: ClassVar[bool] = False
    more_is_better: ClassVar[bool] = True
    judged_alike: ClassVar[bool] = False
    aggregate: Literal["mean", "sum", "gmean"] = "mean"
    at: ClassVar[str] = "k"
    numbered: ClassVar[Mapping[str, str]] = {}
    source: ClassVar[str]

    parameters: ClassVar[Mapping[str, Parameter]] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Parameter)}
        merged = {**cls.parameters, **own}
        cutoff = {"k": merged["k"]} if "k" in merged else {}
        cls.parameters = {**cutoff, **merged}

    def __init__(self, **given: Any) -> None:
        for name in given:
            if name not in self.parameters:
                taken = ", ".join(self.parameters)
                takes = f"it takes {taken}" if taken else "it takes none"
                what = "cutoff" if name == "k" else f"parameter {name!r}"
                raise MeasureError(f"{self.name} has no {what}; {takes}")
        for name, parameter in self.parameters.items():
            value = given.get(name, parameter.default)
            vars(self)[name] = checked(self.name, name, value, parameter)
        object.__setattr__(self, "chosen", frozenset(given))
        object.__setattr__(self, "_hash", hash((type(self), *vars(self).values())))

    @property
    def __name__(self) -> str:
        """The canonical name, for code that asks functions for theirs."""
        return str(self)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{self} cannot change; {self.name}({name}=...) makes another")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{self} cannot change")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), {name: vars(self)[name] for name in self.chosen})

    def score(self, a: Alignment) -> Floats:
        """Score each query: (Q,) float64, in the order of ``a.queries``."""
        raise NotImplementedError

    def contributions(self, a: Alignment) -> Contributions | None:  # noqa: ARG002
        """Say what each document adds to the value; None where that is not known."""
        return None

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Align the ranking of each query that a perfect system gives; None where there is none.

        By default all judged documents, by merit, high to low.
        """
        if self.nothing_relevant is None:
            return None
        merit = self.merit(a.ideal_label)
        order = np.lexsort((-merit, query_of_rows(a.ideal_starts)))
        return replace(a.perfect(), label=a.ideal_label[order])

    def expected(self, a: Alignment) -> Floats | None:
        """Give each query's expected value over all orders of its tied documents: (Q,) float64.

        None where there is no formula, so that orders are tried instead. Ties of ``a`` stand in
        any order, and may go on beyond ``a.retrieved``: what is there, is not there any more.
        """
        return self.score(places(a, self.deepest_rank())) if self.adds_up else None

    def merit(self, label: Floats) -> Floats:
        """Say which of tied documents come first in the best order: (n,) to (n,) float64.

        An unjudged document has a merit of 0.
        """
        if self.depends_on == "grades":
            return np.maximum(label, 0.0)
        return (label >= getattr(self, "rel", self.lowest_label())).astype(np.float64)

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Say which labels of ``a`` it takes for relevant, where they are counted: (n,) bool."""
        lowest = float(getattr(self, "rel", self.lowest_label()))
        relevant: Bools = label >= (lowest if np.isfinite(lowest) else 1.0)
        return relevant

    def sorted_is_best(self) -> bool:
        """Say whether no order of tied documents beats the one by merit, nor its reverse loses."""
        return (self.promoting_helps or self.adds_up) and not self.depends_on_ties()

    def depends_on_ties(self) -> bool:
        """Say whether the formula takes documents of one score together, in whatever order."""
        return False

    def lowest_label(self) -> float:
        """Give the lowest label that the formula looks at; lower ones need not be aligned."""
        return float(getattr(self, "rel", float("-inf")))

    def deepest_rank(self) -> int | None:
        """Give the last rank that the formula looks at; None where it looks at all."""
        return getattr(self, "k", None)

    def ideal_labels(self) -> int | None:
        """Give how many of each query's highest labels the formula looks at; None for all.

        Whether there is a label above some other is not in question: one is always there.
        """
        return None

    def has_relevant(self, a: Alignment) -> Bools:
        """Say in which queries something is relevant, retrieved or not: (Q,) bool."""
        rel = float(getattr(self, "rel", self.lowest_label()))
        relevant: Bools = a.num_relevant(rel) > 0
        return relevant

    def with_parameters(self, **parameters: Any) -> Self:
        """Copy the measure with other parameters.

        Raises
        ------
        MeasureError
            If the measure does not take one of them, or not that value.
        """
        changed = type(self)(**vars(self) | parameters)
        object.__setattr__(changed, "chosen", self.chosen.union(parameters))
        return changed

    @overload
    def __matmul__(self, k: float) -> Self: ...
    @overload
    def __matmul__(self, k: Iterable[float]) -> tuple[Self, ...]: ...
    def __matmul__(self, k: float | Iterable[float]) -> Self | tuple[Self, ...]:
        """Set the cutoff: ``nDCG @ 10``; of several cutoffs, ``nDCG @ [1, 3, 5]``, give a tuple."""
        try:
            cutoffs = None if isinstance(k, (str, bytes)) else list(k)  # type: ignore[arg-type]
        except TypeError:  # a number, also an array of no dimension
            cutoffs = None
        if cutoffs is None:
            return self.with_parameters(**{self.at: k})
        several = tuple(dict.fromkeys(self.with_parameters(**{self.at: one}) for one in cutoffs))
        if not several:
            raise MeasureError(f"{self} @ {shown(k)} names no cutoff; need one, as in @ 10")
        return several

    @overload
    def __call__(
        self, labels: Iterable[float | None], *, missed: Iterable[float] = ()
    ) -> float: ...
    @overload
    def __call__(
        self,
        *,
        ranking: Sequence[Hashable],
        relevant: Iterable[Hashable] | Mapping[Any, float],
    ) -> float: ...
    @overload
    def __call__(self, **parameters: Any) -> Self: ...
    def __call__(self, labels: Any = _NOTHING, *others: Any, **given: Any) -> Any:
        """Score one ranking, or (given parameters) make a variant of the measure.

        Parameters
        ----------
        labels
            Labels in rank order, best rank first; None for a document that nobody judged.
        missed
            Labels of judged documents that were not retrieved, in any order.
        ranking, relevant
            Instead of labels: document ids, best rank first, and the relevant ids or {id: label}.
        **parameters
            Parameters of the measure, such as ``rel=2``.

        Returns
        -------
        float or Measure
            The score of the one ranking, or the variant.

        Raises
        ------
        DuplicateError
            If ``ranking`` holds an id twice.
        SchemaError
            If a label is not a finite number.
        MeasureError
            If the measure does not take a parameter, or not that value.

        Examples
        --------
        >>> from rankmark import P, R
        >>> (P @ 2)([0, 1, 0, 1])
        0.5
        >>> (R @ 2)(ranking=[1, 2, 3], relevant={2, 4, 5, 7})
        0.25
        """
        if others or _SCORERS & set(given):
            raise MeasureError(
                f"{self} is called with the labels of one ranking, best rank first, or with "
                "ranking=ids and relevant=ids; arrays of labels and scores, a query a row, are for "
                f"rankmark.evaluate(labels, scores, {str(self)!r})"
            )
        if labels is _NOTHING and not {"ranking", "relevant"} & set(given):
            return self.with_parameters(**given)
        return float(self.score(self._aligned(labels, given))[0])

    def _aligned(self, labels: Any, given: dict[str, Any]) -> Alignment:
        asked = {"missed"} if labels is not _NOTHING else {"ranking", "relevant"}
        wrong = set(given) - asked
        if wrong or labels is None or (labels is _NOTHING and asked - set(given)):
            raise MeasureError(
                f"{self} scores a list of labels in rank order (and missed=...), "
                "or ranking=[ids] with relevant=ids or {id: label}; "
                "its parameters are given first, as in P(rel=2)([0, 3])"
            )
        return self._of_ids(**given) if labels is _NOTHING else self._of_labels(labels, **given)

    def _of_labels(self, labels: Any, **given: Any) -> Alignment:
        from rankmark.measures.base.single_ranking import align_labels  # noqa: PLC0415

        return align_labels(labels, **given)

    def _of_ids(self, **given: Any) -> Alignment:
        from rankmark.measures.base.single_ranking import align_ids  # noqa: PLC0415

        return align_ids(**given)

    def explain(self, labels: Any = _NOTHING, **given: Any) -> Explanation:
        """Explain the score of one ranking: what each document adds, and the formula.

        Parameters
        ----------
        labels, missed, ranking, relevant
            The ranking, as when the measure is called.
        collection
            How many documents there are, for the count of true negatives; None where nobody knows.

        Returns
        -------
        Explanation
            It prints itself, and has ``rows``, ``ideal``, ``missed``, ``counts`` and ``formula``.

        Raises
        ------
        DuplicateError, SchemaError, MeasureError
            As when the measure is called.
        InputError
            If the collection is no whole number, or smaller than what was retrieved or is judged.

        Examples
        --------
        >>> from rankmark import AP
        >>> AP.explain([0, 1, 0, 1, 1, 0, 1]).formula
        'AP = (1/2 + 2/4 + 3/5 + 4/7) / 4 = 2.17143 / 4 = 0.542857'
        """
        from rankmark.explanations.explanation import explanation_of  # noqa: PLC0415
        from rankmark.explanations.ranked_documents import documents_of  # noqa: PLC0415

        collection = given.pop("collection", None)
        # Read twice, for what is scored and for the ids.
        given = {name: list(x) if isinstance(x, Iterator) else x for name, x in given.items()}
        a = self._aligned(labels, given)
        return explanation_of(self, "", a, documents_of(a, **given), collection=collection)

    def __str__(self) -> str:
        """Write the canonical name: parameters that differ from the defaults, then the cutoff."""
        written = [
            f"{name}={parameter.write(getattr(self, name))}"
            for name, parameter in self.parameters.items()
            if name != "k" and getattr(self, name) != parameter.default
        ]
        inside = f"({', '.join(written)})" if written else ""
        k = getattr(self, "k", None)
        return f"{self.name}{inside}" + ("" if k is None else f"@{k}")

    def __repr__(self) -> str:
        return str(self)


def _made(kind: type[Measure], parameters: dict[str, Any]) -> Measure:
    return kind(**parameters)
