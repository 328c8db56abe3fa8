"""What a few measures use besides labels: the document of each row, and its judgments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from rankmark.array_types import Ints

JudgedT = TypeVar("JudgedT")


@dataclass(frozen=True, slots=True, eq=False)
class View(Generic[JudgedT]):
    """The documents of an alignment, by number. Read-only.

    Parameters
    ----------
    judged
        The judgments: ``Subtopics`` or ``JudgmentGroups``.
    document
        (H,) int64, the number of each row's document.
    ideal_document
        (J,) int64, the number of each ideal row's document.
    """

    judged: JudgedT
    document: Ints
    ideal_document: Ints

    def at(self, rows: Ints | slice, ideal_rows: Ints | slice) -> View[JudgedT]:
        """Keep some rows and some ideal rows, in this order."""
        return View(self.judged, self.document[rows], self.ideal_document[ideal_rows])
