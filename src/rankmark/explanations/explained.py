"""What an explanation asks of a measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment, Needs
    from rankmark.array_types import Bools, Floats
    from rankmark.explanations.contributions import Contributions


class Explained(Protocol):
    """A measure as it is explained; see Measure."""

    @property
    def aggregate(self) -> Literal["mean", "sum", "gmean"]:
        """How queries become one number."""
        ...

    @property
    def more_is_better(self) -> bool:
        """Whether a greater value is better."""
        ...

    def score(self, a: Alignment) -> Floats:
        """Score each query: (Q,) float64."""
        ...

    def contributions(self, a: Alignment) -> Contributions | None:
        """Say what each document adds to the value; None where that is not known."""
        ...

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Align the ranking of each query that a perfect system gives; None where there is none."""
        ...

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:
        """Say which labels of ``a`` it takes for relevant: (n,) bool."""
        ...

    def has_relevant(self, a: Alignment) -> Bools:
        """Say in which queries something is relevant, retrieved or not: (Q,) bool."""
        ...

    def needs(self) -> Needs:
        """Say which judged documents the formula looks at."""
        ...
