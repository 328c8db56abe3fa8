"""What is kept of batches as wholes: counts over their runs, labels, and how they were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment
    from rankmark.data.contract.source import Source
    from rankmark.data.preparing.seen import Seen

_MOST_GRADES = 256
_DIFFERENT = "batches"
_SIZES = ("shape", "queries", "rows", "groups", "documents", "parents")


class Grades(NamedTuple):
    """The positive labels that measures use: their least, their greatest, and all if few."""

    lowest: float = np.inf
    highest: float = 0.0
    distinct: frozenset[float] | None = frozenset()

    @classmethod
    def of(cls, a: Alignment) -> Grades:
        """Return those of an alignment."""
        found: set[float] = set()
        for label in (a.ideal_label, a.label):
            new = label[~np.isin(label, [*found])]  # few, as there are few grades
            changes = np.append(True, new[1:] != new[:-1])[: len(new)]
            found |= {*new[changes].tolist()}
        grades = frozenset(grade for grade in found if grade > 0)
        if not grades:
            return cls()
        few = len(grades) <= _MOST_GRADES
        return cls(min(grades), max(grades), grades if few else None)

    def plus(self, other: Grades) -> Grades:
        """Return those of both."""
        distinct = None
        if self.distinct is not None and other.distinct is not None:
            distinct = self.distinct | other.distinct
            distinct = distinct if len(distinct) <= _MOST_GRADES else None
        return Grades(min(self.lowest, other.lowest), max(self.highest, other.highest), distinct)

    def values(self) -> Floats:
        """Return them in order; only the least and the greatest if there are many."""
        if self.distinct is None:
            return np.array([self.lowest, self.highest])
        return np.array(sorted(self.distinct))


class BatchedSource(NamedTuple):
    """How judgments or runs were read: what all batches have in common.

    Parameters
    ----------
    name
        The name of all sources; "batches" if they have different ones.
    described
        The items that their descriptions share.
    """

    name: str
    described: dict[str, Any]

    @classmethod
    def of(cls, source: Source | Seen) -> BatchedSource:
        """Describe one source, without its size."""
        described = source.description().items()
        return cls(source.name, {name: value for name, value in described if name not in _SIZES})

    def plus(self, other: BatchedSource) -> BatchedSource:
        """Return what both have in common."""
        theirs = other.described
        return BatchedSource(
            self.name if self.name == other.name else _DIFFERENT,
            {
                name: value
                for name, value in self.described.items()
                if name in theirs and theirs[name] == value
            },
        )

    def of_side(self, side: str) -> BatchedSource:
        """Name sources with different names by their side: qrels or run."""
        return self._replace(name=f"{side} in batches") if self.name == _DIFFERENT else self

    def description(self) -> dict[str, Any]:
        """Describe how they were read."""
        return {"form": "several forms"} | self.described

    def sha256(self) -> None:
        """Return None, as there may be several files."""


class BatchTotals(NamedTuple):
    """Sums over batches, and what they have in common.

    Parameters
    ----------
    run_only, run_only_examples, rows, interleaved, run_extra_columns
        As in ``RunFacts``; the examples are the first three in the order of their ids.
    qrels_extra_columns
        Lines of the judgments with more columns than the format.
    grades
        The positive labels.
    qrels, run
        How they were read.
    seen
        How the documents seen before were read; None without.
    mismatch
        What to do about queries that do not match, if none did in a batch; else None.
    no_ties
        Why there are no tie intervals; None if there are.
    """

    run_only: int
    run_only_examples: tuple[str, ...]
    rows: int
    interleaved: int
    run_extra_columns: int
    qrels_extra_columns: int
    grades: Grades
    qrels: BatchedSource
    run: BatchedSource
    seen: BatchedSource | None
    mismatch: str | None
    no_ties: str | None

    def plus(self, other: BatchTotals) -> BatchTotals:
        """Return those of all batches of both; the order does not matter."""
        from rankmark.verbs.evaluate.query_rows import natural_order  # noqa: PLC0415

        examples = [*{*self.run_only_examples, *other.run_only_examples}]
        places = natural_order(examples)[:3].tolist()
        return BatchTotals(
            self.run_only + other.run_only,
            tuple(examples[place] for place in places),
            self.rows + other.rows,
            self.interleaved + other.interleaved,
            self.run_extra_columns + other.run_extra_columns,
            self.qrels_extra_columns + other.qrels_extra_columns,
            self.grades.plus(other.grades),
            self.qrels.plus(other.qrels),
            self.run.plus(other.run),
            self.seen.plus(other.seen) if self.seen and other.seen else self.seen or other.seen,
            min(filter(None, (self.mismatch, other.mismatch)), default=None),
            min(filter(None, (self.no_ties, other.no_ties)), default=None),
        )
