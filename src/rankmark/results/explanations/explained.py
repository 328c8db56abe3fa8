"""The interface of measures that explanations use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.data.alignment import Alignment, Needs
    from rankmark.results.explanations.contributions import Contributions


class Explained(Protocol):
    """A measure that can be explained; see Measure."""

    @property
    def aggregate(self) -> Literal["mean", "sum", "gmean"]:
        """How the values of queries are combined."""
        ...

    @property
    def more_is_better(self) -> bool:
        """Whether a higher value is better."""
        ...

    def score(self, a: Alignment) -> Floats:
        """Score each query: (Q,) float64."""
        ...

    def contributions(self, a: Alignment) -> Contributions | None:
        """Return what each document adds to the value; None if unknown."""
        ...

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Align the ideal ranking of each query; None if there is none."""
        ...

    def for_ideal(self) -> Explained:
        """Return the measure that counts the ideal ranking, as a rule this one."""
        ...

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:
        """Whether each label of ``a`` counts as relevant: (n,) bool."""
        ...

    def has_relevant(self, a: Alignment) -> Bools:
        """Whether each query has a relevant document, retrieved or not: (Q,) bool."""
        ...

    def needs(self) -> Needs:
        """Return what the formula needs of an alignment."""
        ...
