"""What every measure is: facts, a few parameters, and one formula."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, overload

import numpy as np

from rankmark.alignment.alignment import Needs
from rankmark.measures.base import ideal
from rankmark.measures.base.parametrized import Parametrized
from rankmark.measures.base.single_ranking import (
    NOT_GIVEN,
    align_given,
    align_ids,
    align_labels,
    only_parameters,
)
from rankmark.measures.base.tie_handling import ORDERS_TRIED, TieHandling

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Bools, Floats
    from rankmark.explanations.contributions import Contributions
    from rankmark.explanations.explanation import Explanation

DependsOn = Literal["documents", "order", "grades", "judged", "subtopics", "preferences", "counts"]


class Measure(Parametrized):
    """A measure with its parameters.

    A subclass declares the facts below, its parameters (as fields), ``score``, and if it can
    ``contributions``; all else has a default. Tests, the documentation, the parser of names and
    ``rankmark measures`` read the facts.

    Attributes
    ----------
    name
        The canonical name.
    aliases
        Other names, each with the parameters that it stands for.
    numbered
        Names in trec_eval's manner that end in a number, and the parameter that the number sets;
        behind all other names it sets ``k``.
    formula
        One line, for people.
    source
        Where the definition comes from.
    depends_on
        What the value depends on: which documents were found ("documents"), where the relevant
        ones stand ("order"), how relevant each is ("grades"), whether each is judged ("judged"),
        which subtopics it is relevant to ("subtopics"), which of two documents is preferred
        ("preferences"), or only how many there are ("counts").
    bounds
        Least and greatest value, or the limits that values approach.
    reaches_bound
        Whether a ranking of only relevant documents attains the greatest value, whatever the
        parameters.
    more_is_better
        Whether a greater value is better; some measures count errors.
    nothing_relevant
        The value for a query without relevant documents; None if that is no special case.
    grows_with_k
        Whether a greater cutoff never lowers the value, with default parameters.
    promoting_helps
        Whether moving a relevant document up past one that is not never makes the value worse,
        with default parameters and at any cutoff.
    aggregate
        How queries become one number: "mean"; "sum" for counts; or "gmean", the geometric mean, in
        which a value below 0.00001 counts as that.
    tie_handling
        How the value is found where tied documents have no order; see ``base/tie_handling.py``.
    """

    aliases: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    numbered: ClassVar[Mapping[str, str]] = {}
    formula: ClassVar[str]
    source: ClassVar[str]
    depends_on: ClassVar[DependsOn]
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reaches_bound: ClassVar[bool] = True
    more_is_better: ClassVar[bool] = True
    nothing_relevant: ClassVar[float | None] = 0.0
    grows_with_k: ClassVar[bool] = False
    promoting_helps: ClassVar[bool] = True
    aggregate: Literal["mean", "sum", "gmean"] = "mean"

    def score(self, a: Alignment) -> Floats:
        """Score each query: (Q,) float64, in the order of ``a.queries``."""
        raise NotImplementedError

    def contributions(self, a: Alignment) -> Contributions | None:  # noqa: ARG002
        """Say what each document adds to the value; None where that is not known."""
        return None

    def needs(self) -> Needs:
        """Say which judged documents the formula looks at: others may be missing from ``a``."""
        return Needs(lowest=getattr(self, "rel", -np.inf), deepest=getattr(self, "k", None))

    def merit(self, label: Floats) -> Floats:
        """Say which documents an optimal ranking puts first: (n,) to (n,) float64.

        An unjudged document has a merit of 0.
        """
        if self.depends_on == "grades":
            return np.maximum(label, 0.0)
        return (label >= getattr(self, "rel", self.needs().lowest)).astype(np.float64)

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Say which labels of ``a`` count as relevant: (n,) bool."""
        lowest = float(getattr(self, "rel", self.needs().lowest))
        relevant: Bools = label >= (lowest if np.isfinite(lowest) else 1.0)
        return relevant

    def has_relevant(self, a: Alignment) -> Bools:
        """Say which queries have a relevant document, retrieved or not: (Q,) bool."""
        relevant: Bools = a.num_relevant(getattr(self, "rel", self.needs().lowest)) > 0
        return relevant

    @property
    def tie_handling(self) -> TieHandling:
        """How the value is found where tied documents have no order."""
        return ORDERS_TRIED

    ideal_ranking: ClassVar[Callable[[Any, Alignment], Alignment | None]] = ideal.by_merit
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
        """Score one ranking, or (given parameters) make a variant of the measure.

        Parameters
        ----------
        labels
            Labels in rank order, best rank first; None for an unjudged document.
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
        if only_parameters(self, labels, others, given):
            return self.with_parameters(**given)
        return float(self.score(align_given(self, labels, given))[0])

    def explain(self, labels: Any = NOT_GIVEN, **given: Any) -> Explanation:
        """Explain the score of one ranking: what each document adds, and the formula.

        Parameters
        ----------
        labels, missed, ranking, relevant
            The ranking, as when the measure is called.
        collection
            How many documents there are, for the count of true negatives; None if unknown.

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
        a = align_given(self, labels, given)
        return explanation_of(self, "", a, documents_of(a, **given), collection=collection)
