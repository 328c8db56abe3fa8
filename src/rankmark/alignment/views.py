"""What a few measures see beside labels: which document each row is, and what it was judged for."""

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
        What they were judged for: ``Subtopics`` or ``JudgmentGroups``.
    document
        (H,) int64, the number of each row's document.
    ideal_document
        (J,) int64, the number of each ideal row's document.
    """

    judged: JudgedT
    document: Ints
    ideal_document: Ints

    def at(self, rows: Ints | slice, ideal_rows: Ints | slice) -> View[JudgedT]:
        """Keep some rows and some ideal rows, in the order given."""
        return View(self.judged, self.document[rows], self.ideal_document[ideal_rows])
