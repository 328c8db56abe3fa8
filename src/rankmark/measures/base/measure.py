"""The base class of all measures: facts, parameters and a formula."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, overload

import numpy as np

from rankmark.conventions import NO_RELEVANT, TIES
from rankmark.data.alignment import Needs
from rankmark.measures.base.parameters import (
    Parameter,
    choice_of_evaluation,
    flag,
    limit_of_costs,
    text,
)
from rankmark.measures.base.parametrized import Parametrized
from rankmark.measures.base.single_ranking import (
    NOT_GIVEN,
    align_given,
    align_ids,
    align_labels,
    judged_alone,
    only_parameters,
)
from rankmark.measures.base.tie_handling import ORDERS_TRIED, TieHandling

if TYPE_CHECKING:
    from inspect import Signature

    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats
    from rankmark.data.alignment import Alignment
    from rankmark.formulas import Budget
    from rankmark.results.explanations.contributions import Contributions
    from rankmark.results.explanations.explanation import Explanation


class _SignatureOfCall:
    """The signature that ``?``, ``help`` and editors show: with the parameters of each measure."""

    def __get__(self, one: Measure | None, kind: type[Measure]) -> Signature:
        from inspect import Parameter as Taken  # noqa: PLC0415
        from inspect import Signature  # noqa: PLC0415

        if not hasattr(kind, "name"):  # ``Own``, which is called with something else
            raise AttributeError
        names = [*kind.parameters, *kind.common]
        defaults = {**kind.parameters, **kind.common}
        taken = [
            Taken(
                name,
                Taken.KEYWORD_ONLY,
                default=defaults[name].default if one is None else getattr(one, name),
            )
            for name in names
        ]
        if one is None:
            return Signature(taken)
        given = [
            Taken("labels", Taken.POSITIONAL_ONLY, default=None),
            *(
                Taken(name, Taken.KEYWORD_ONLY, default=default)
                for name, default in (("missed", ()), ("ranking", None), ("relevant", None))
            ),
        ]
        return Signature([*given, *taken])


DependsOn = Literal[
    "documents",
    "order",
    "grades",
    "judged",
    "anywhere",
    "subtopics",
    "preferences",
    "counts",
    "lists",
    "run",
]


Aggregate = Literal["mean", "sum", "gmean"]
TermOf = Literal["label", "found"]
Aliases = Mapping[str, Mapping[str, Any]]


class Measure(Parametrized):
    """A measure with its parameters.

    A subclass declares its parameters (like the fields of a dataclass), the facts below, ``score``
    and, if possible, ``contributions``; everything else has a default.

    Attributes
    ----------
    name
        The canonical name.
    full_name
        The name in words; empty for your own measures.
    aliases
        Other names, each with the parameters that it stands for.
    numbered
        Names that end in a number, as in trec_eval, and the parameter that the number sets; for
        all other names it sets ``k``.
    formula
        One line, for display.
    latex
        The formula in LaTeX, with the same symbols; empty for your own measures.
    symbols
        The symbols of the formula, with their meanings.
    depends_on
        What the value depends on: which documents were retrieved ("documents"), the ranks of the
        relevant ones ("order"), how relevant each is ("grades"), whether each is judged
        ("judged"), or judged for any query ("anywhere"), which subtopics it is relevant to
        ("subtopics"), which of two documents is preferred ("preferences"), only how many there
        are ("counts"), what is known of the items of a list ("lists"), or of all lists of the run
        together ("run").
    bounds
        Lowest and highest value, or the limits that values approach.
    reaches_bound
        Whether a ranking of relevant documents only reaches the highest value, whatever the
        parameters.
    more_is_better
        Whether a higher value is better; False for measures that count errors.
    nothing_relevant
        The value of a query without relevant documents; None if it is no special case.
    grows_with_k
        Whether a greater cutoff never lowers the value, with default parameters.
    promoting_helps
        Whether moving a relevant document up past a non-relevant one never makes the value worse,
        with default parameters and at any cutoff.
    aggregate
        How the values of queries are combined: "mean"; "sum", for counts; or "gmean", the
        geometric mean, in which values below 0.00001 are raised to it.
    term_of
        Where the value is exactly the sum of ``contributions``, first to last, over their divisor,
        and the divisor depends on the judgments and the number of documents retrieved alone: what a
        document's term depends on besides its rank. It is its "label"; or, of a relevant document,
        how many relevant ones were "found" before it, while all others have the term 0. None for
        all else.
    account
        The docstring as it is written, without the parameters that are added to it.
    may_lack_value
        Whether queries may have no value, NaN, and are then in no mean.
    of_scores
        Whether it is a number of the scores of another measure, ``inner``, and not of lists.
    judged_only
        Whether unjudged documents are left out of the rankings before the formula is applied; a
        parameter of all measures.
    weighted
        Whether gains are multiplied by the weights of documents: a parameter of the measures that
        add up gains. Such a measure is scored against judgments whose labels are its gains, times
        the weights.
    among
        The slice of documents that can be relevant, of those given as ``document_slices``; all
        others count as judged not relevant. A parameter of all measures; "" for all documents.
    budget
        What the documents that count may cost together, a cutoff like k: ``R@tokens(1000)``; a
        parameter of all measures. Such a measure is scored on the documents that fit alone.
    ties, no_relevant
        Conventions of an evaluation that the measure replaces, for itself only; parameters of all
        measures. None means those of the evaluation. In some measures ``ties`` has other words too.
    tie_handling
        How values over all orders of tied documents are found; see ``base/tie_handling.py``.
    """

    aliases: Aliases = {}
    numbered: Mapping[str, str] = {}
    full_name: ClassVar[str] = ""
    formula: ClassVar[str]
    latex: ClassVar[str] = ""
    depends_on: DependsOn
    bounds: tuple[float, float] = (0.0, 1.0)
    reaches_bound: ClassVar[bool] = True
    more_is_better: ClassVar[bool] = True
    nothing_relevant: float | None = 0.0
    grows_with_k: ClassVar[bool] = False
    promoting_helps: ClassVar[bool] = True
    aggregate: Aggregate = "mean"
    term_of: TermOf | None = None
    may_lack_value: ClassVar[bool] = False
    of_scores: ClassVar[bool] = False
    judged_only: bool = False
    weighted: bool = False
    among: str = ""
    budget: Budget | None = None
    ties: str | None = None
    no_relevant: str | None = None
    common: ClassVar[Mapping[str, Parameter]] = {
        "among": text("the slice of documents that can be relevant", "the name of a slice"),
        "budget": limit_of_costs(),
        "judged_only": flag("whether unjudged documents are left out of the rankings"),
        "ties": choice_of_evaluation("how tied documents are ordered", TIES),
        "no_relevant": choice_of_evaluation(
            "how a query without relevant documents counts", NO_RELEVANT
        ),
    }
    account: ClassVar[str] = ""
    __signature__: ClassVar[_SignatureOfCall] = _SignatureOfCall()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" in vars(cls) and cls.__doc__:
            cls.account = cleandoc(cls.__doc__)
            cls.__doc__ = f"{cls.account}\n\n{_parameters_of(cls)}"

    def score(self, a: Alignment) -> Floats:
        """Score each query: (Q,) float64, in the order of ``a.queries``."""
        raise NotImplementedError

    def contributions(self, a: Alignment) -> Contributions | None:  # noqa: ARG002
        """Return what each document contributes to the value; None if that is unknown."""
        return None

    def needs(self) -> Needs:
        """Return which judged documents the formula uses; ``a`` may omit the others."""
        return Needs(lowest=getattr(self, "rel", -np.inf), deepest=getattr(self, "k", None))

    def merit(self, label: Floats) -> Floats:
        """Return the merit of each label: (n,) to (n,) float64; 0 is that of unjudged documents.

        An optimal ranking sorts documents by merit, highest first.
        """
        if self.depends_on == "grades":
            return np.maximum(label, 0.0)
        return (label >= getattr(self, "rel", self.needs().lowest)).astype(np.float64)

    @property
    def is_rejudged(self) -> bool:
        """Whether it is scored against other labels than the given ones."""
        return self.weighted or self.among != ""

    @property
    def costs(self) -> tuple[str, ...]:
        """The costs of documents that it needs."""
        return () if self.budget is None else (self.budget.cost,)

    @property
    def is_apart(self) -> bool:
        """Whether it is scored on other judgments than the given ones, or a part of the lists."""
        return self.is_rejudged or self.depends_on == "anywhere" or self.budget is not None

    def gains_to_weigh(self, label: Floats) -> Floats:
        """Return the gains that weights multiply: (n,) to (n,) float64."""
        raise NotImplementedError

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Return which labels of ``a`` are relevant: (n,) bool."""
        lowest = float(getattr(self, "rel", self.needs().lowest))
        return label >= (lowest if np.isfinite(lowest) else 1.0)

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have a relevant document, retrieved or not: (Q,) bool."""
        return a.num_relevant(getattr(self, "rel", self.needs().lowest)) > 0

    @property
    def symbols(self) -> dict[str, str]:
        """The symbols of the formula, with their meanings, in the order in which they appear.

        A symbol means the same in all measures; a parameter is written by its name.

        >>> from rankmark import R
        >>> R.symbols["R"]
        'the number of relevant documents, retrieved or not'
        """
        from rankmark.measures.base.symbols import symbols_in  # noqa: PLC0415

        meanings = {name: parameter.meaning for name, parameter in self.parameters.items()}
        return symbols_in(self.formula, meanings)

    @property
    def own_conventions(self) -> tuple[tuple[str, str], ...]:
        """The conventions of an evaluation that the measure replaces: (name, value) each."""
        ties = self.ties if self.ties in TIES else None  # the measure may have words of its own
        own = ("ties", ties), ("no_relevant", self.no_relevant)
        return tuple((name, value) for name, value in own if value is not None)

    def out_of_reach(self, a: Alignment) -> Bools | None:  # noqa: ARG002
        """Return which queries no ranking can satisfy with this cutoff: (Q,) bool.

        None if the measure has no such queries.
        """
        return None

    def possible_loss(self, moved: Floats) -> Floats | None:  # noqa: ARG002
        """Return the most that each query loses if one ranking replaces another: (Q,) float64.

        It bounds the loss for all judgments, and is mostly attained by some; None if it is unknown.
        ``moved``, (Q, ranks) float64, has the new rank of the document at each rank of the old
        ranking, infinite where the new one lacks it and NaN where the old one is shorter.
        """
        return None

    def without_relevant(self, no_relevant: str) -> float | None:
        """Return the value of a query without relevant documents; None for that of the formula."""
        if self.nothing_relevant is None or no_relevant == "zero":
            return None
        if no_relevant in {"nan", "skip"}:
            return float("nan")
        if not self.more_is_better:
            return self.bounds[0]
        return 1.0 if 1.0 <= self.bounds[1] < np.inf else None

    @property
    def tie_handling(self) -> TieHandling:
        """How values over all orders of tied documents are found."""
        return ORDERS_TRIED

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Return the ideal ranking of each query: all judged documents, by merit.

        None if the ideal ranking is unknown, or no documents are relevant to the measure.
        """
        if self.nothing_relevant is None:
            return None
        order = np.lexsort((-self.merit(a.ideal_label), a.ideal_query()))
        return replace(a.perfect(), label=a.ideal_label[order])

    def for_ideal(self) -> Measure:
        """Return the measure that counts the ideal ranking: this one, but for its cutoff."""
        return self

    def _repr_html_(self) -> str:
        """Return the formula, its symbols and the parameters, as notebooks show them."""
        from rankmark.results import html_parts as html  # noqa: PLC0415

        rows = [
            (name, _written(parameter, getattr(self, name)), parameter.meaning, parameter.allowed)
            for name, parameter in {**self.parameters, **self.common}.items()
        ]
        full_name = f": {self.full_name}" if self.full_name else ""
        table = html.table(("parameter", "value", "meaning", "allowed"), rows, 4)
        symbols = [*self.symbols.items()]
        return html.page(
            html.title(f"{self}{full_name}"),
            html.formula(f"{self.name} = {self.formula}"),
            html.table(("symbol", "meaning"), symbols, 2) if symbols else "",
            table,
        )

    align_labels: ClassVar[Callable[..., Alignment]] = staticmethod(align_labels)
    align_ids: ClassVar[Callable[..., Alignment]] = staticmethod(align_ids)

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
    def __call__(self, labels: Any = NOT_GIVEN, *others: Any, **given: Any) -> Any:
        """Score one ranking, or make a variant of the measure with other parameters.

        Parameters
        ----------
        labels
            Labels in rank order; None for an unjudged document.
        missed
            Labels of judged documents that were not retrieved, in any order.
        ranking, relevant
            Instead of labels: document ids in rank order, and the relevant ids or {id: label}.
        **parameters
            Parameters of the measure, such as ``rel=2``.

        Returns
        -------
        float or Measure
            The score, or the variant.

        Raises
        ------
        DuplicateError
            If ``ranking`` contains an id twice.
        SchemaError
            If a label is not a finite number.
        MeasureError
            If the measure does not have a parameter, or does not allow its value.

        Examples
        --------
        >>> from rankmark import P, R
        >>> (P @ 2)([0, 1, 0, 1])
        0.5
        >>> (R @ 2)(ranking=[1, 2, 3], relevant={2, 4, 5, 7})
        0.25
        """
        if only_parameters(self, labels, others, given):
            return self.with_parameters(**given)
        if self.judged_only:
            labels, given = judged_alone(labels, given)
        return self._value(align_given(self, labels, given))

    def _value(self, a: Alignment) -> float:
        """Return the value of one ranking, under the measure's own conventions."""
        instead = self.without_relevant(self.no_relevant or "zero")
        if instead is None or self.has_relevant(a)[0]:
            return float(self.score(a)[0])
        return float(instead)

    def explain(self, labels: Any = NOT_GIVEN, **given: Any) -> Explanation:
        """Explain the score of one ranking: the contribution of each document, and the formula.

        Parameters
        ----------
        labels, missed, ranking, relevant
            The ranking, as in a call of the measure.
        collection
            The size of the collection, to count true negatives; None if unknown.

        Returns
        -------
        Explanation
            Its text is the explanation; it has ``rows``, ``ideal``, ``missed``, ``counts`` and
            ``formula``.

        Raises
        ------
        DuplicateError, SchemaError, MeasureError
            As in a call of the measure.
        InputError
            If the collection is not a whole number, or smaller than the number of documents
            retrieved or judged.

        Examples
        --------
        >>> from rankmark import AP
        >>> AP.explain([0, 1, 0, 1, 1, 0, 1]).formula
        'AP = (1/2 + 2/4 + 3/5 + 4/7) / 4 = 2.17143 / 4 = 0.542857'
        """
        from rankmark.results.explanations.explanation import explanation_of  # noqa: PLC0415
        from rankmark.results.explanations.ranked_documents import documents_of  # noqa: PLC0415

        collection = given.pop("collection", None)
        # An iterator would be empty when it is read a second time, for the ids.
        given = {name: list(x) if isinstance(x, Iterator) else x for name, x in given.items()}
        if self.judged_only:
            labels, given = judged_alone(labels, given)
        a = align_given(self, labels, given)
        value = None if self.no_relevant is None else self._value(a)
        documents = documents_of(a, **given)
        return explanation_of(self, "", a, documents, value=value, collection=collection)

    def plot(
        self,
        labels: Any = NOT_GIVEN,
        *,
        title: bool = True,
        ax: Axes | None = None,
        **given: Any,
    ) -> Axes:
        """Plot the score of one ranking: what each document adds, and the ideal ranking.

        Parameters
        ----------
        labels, missed, ranking, relevant
            The ranking, as in a call of the measure.
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure, which you can change and save.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        DuplicateError, SchemaError
            As in a call of the measure.
        MeasureError
            As in a call of the measure, or if it is unknown what documents add.
        InputError
            If there is no document, or ``ax`` is not Axes.

        Examples
        --------
        >>> from rankmark import nDCG
        >>> nDCG.plot([2, 3, 0]).figure.savefig("ndcg.svg")  # doctest: +SKIP
        """
        return self.explain(labels, **given).plot(title=title, ax=ax)


def _parameters_of(kind: type[Measure]) -> str:
    """Return the section of a docstring on the parameters that a class declares."""
    lines = ["Parameters", "----------"]
    for name, parameter in {**kind.parameters, **kind.common}.items():
        lines += [
            f"{name} : default {_written(parameter, parameter.default)}",
            f"    {parameter.meaning[:1].upper()}{parameter.meaning[1:]}: {parameter.allowed}.",
        ]
    return "\n".join(lines)


def _written(parameter: Parameter, value: Any) -> str:
    return "None" if value is None else parameter.write(value)
