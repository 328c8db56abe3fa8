"""What is kept of each query that was scored in one of several batches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.contract.source import UNITS
from rankmark.data.preparing.matching import RunFacts

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.scoring.kept_lists import KeptLists

_NUMBER = re.compile("([0-9]+)")


class QueryRows(NamedTuple):
    """The scores and counts of n queries, without their documents.

    Parameters
    ----------
    queries
        Their ids.
    batch
        (n,) int32, the number of the batch of each, from 0.
    scores
        (n, M) float64, for M measures.
    ends
        (2, n, M) float64, the lowest and highest scores over sorted orders of tied documents;
        None if nothing is tied.
    errors
        (n, M) float64, standard errors of scores that were estimated; None if none was.
    counts
        (n, 9) int64, those of ``RunFacts``.
    relevant
        (n,) bool, whether a document is relevant.
    met
        (n, D) bool, which queries meet the condition of each difference of a profile; D is 0
        without one.
    lists
        Their lists, ranked in one way or in several; empty if no measure looks at their items.
    """

    queries: list[str]
    batch: Ints
    scores: Floats
    ends: Floats | None
    errors: Floats | None
    counts: Ints
    relevant: Bools
    met: Bools
    lists: tuple[KeptLists, ...] = ()

    def at(self, rows: Ints | Sequence[int]) -> QueryRows:
        """Keep some rows, in this order."""
        rows = np.asarray(rows, dtype=np.int64)
        return QueryRows(
            [self.queries[row] for row in rows.tolist()],
            self.batch[rows],
            self.scores[rows],
            None if self.ends is None else self.ends[:, rows],
            None if self.errors is None else self.errors[rows],
            self.counts[rows],
            self.relevant[rows],
            self.met[rows],
            tuple(of_ranking.at(rows) for of_ranking in self.lists),
        )

    def with_all(self) -> QueryRows:
        """Return the same with ``ends`` and ``errors``."""
        ends = np.stack([self.scores, self.scores]) if self.ends is None else self.ends
        errors = np.zeros_like(self.scores) if self.errors is None else self.errors
        return self._replace(ends=ends, errors=errors)

    def facts(
        self,
        *,
        run_only: int,
        run_only_examples: list[str],
        rows: int,
        extra_columns: int,
        interleaved: int,
        seen: bool,
    ) -> RunFacts:
        """Return the counts as those of one run."""
        return RunFacts(
            self.counts.T,
            seen,
            run_only,
            run_only_examples,
            rows,
            extra_columns,
            interleaved,
            bool(self.counts[:, UNITS].any()),
        )


def joined(parts: Sequence[QueryRows]) -> QueryRows:
    """Append the rows of several parts."""
    if len(parts) == 1:
        return parts[0]
    if any(part.ends is not None or part.errors is not None for part in parts):
        parts = [part.with_all() for part in parts]
    return QueryRows(
        [query for part in parts for query in part.queries],
        np.concatenate([part.batch for part in parts]),
        np.concatenate([part.scores for part in parts]),
        _joined([part.ends for part in parts], axis=1),
        _joined([part.errors for part in parts], axis=0),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.relevant for part in parts]),
        np.concatenate([part.met for part in parts]),
        tuple(one[0].joined(one) for one in zip(*(part.lists for part in parts), strict=True)),
    )


def _joined(arrays: list[Floats | None], axis: int) -> Floats | None:
    found = [array for array in arrays if array is not None]
    return np.concatenate(found, axis=axis) if found else None


def replaced(
    rows: QueryRows, old: Sequence[int], other: QueryRows, new: Sequence[int]
) -> QueryRows:
    """Replace some rows by rows of another table."""
    if not old:
        return rows
    places = np.arange(len(rows.queries))
    places[np.asarray(old)] = len(places) + np.arange(len(new))
    return joined([rows, other.at(new)]).at(places)


def natural_order(queries: Sequence[str]) -> Ints:
    """Sort ids, numbers in them by value: q2 comes before q10. (n,) int64, places from 0."""
    if all(map(str.isdecimal, queries)) and all(map(str.isascii, queries)):
        keys: list[object] = [(*_value(query), query) for query in queries]
    else:
        keys = [(_parts(query), query) for query in queries]
    return np.array(sorted(range(len(queries)), key=keys.__getitem__), dtype=np.int64)  # type: ignore[arg-type]


def _parts(query: str) -> list[object]:
    """Return texts and numbers, in turn."""
    parts: list[object] = [*_NUMBER.split(query)]
    parts[1::2] = [_value(str(part)) for part in parts[1::2]]
    return parts


def _value(digits: str) -> tuple[int, str]:
    """Return a key that sorts digits by their value, however many there are."""
    digits = digits.lstrip("0")
    return len(digits), digits
