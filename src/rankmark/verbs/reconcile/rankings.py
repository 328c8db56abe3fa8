"""Judgments and a run, aligned under any conventions for documents, read as rarely as possible."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, Needs, query_of_rows
from rankmark.data.alignment.aligned_run import condensed
from rankmark.data.alignment.tie_probabilities import tie_columns
from rankmark.errors import InputError
from rankmark.measures.base.tie_handling import ORDERS_TRIED
from rankmark.scoring.ranked import Ranked
from rankmark.scoring.ties import cut_unordered

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.measures import Measure

Order = Literal["", "negated", "reversed"]
"""Orders that no convention of ``evaluate`` names: rising scores, and ties against the input."""

_FEW = 20_000  # judged documents retrieved
_FEW_TIED = 100  # of them


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """A run ranked under some conventions.

    Parameters
    ----------
    ranked
        With all judged documents that were retrieved.
    key
        The same for rankings that give the same scores.
    weights
        (Q,) float64, the weight of each judged query in means; None if all count alike.
    """

    ranked: Ranked
    key: bytes
    weights: Floats | None = None

    @property
    def alignment(self) -> Alignment:
        """All judged documents that were retrieved."""
        return self.ranked.alignment

    @property
    def facts(self) -> RunFacts:
        """Facts about the run."""
        return self.ranked.facts

    def scores(self, measure: Measure) -> Floats:
        """Score each judged query: (Q,) float64."""
        values, _ = self.ranked.raw(measure)
        if not self.ranked.cases:
            self.alignment.clear_cache()
        return values

    def is_slow(self, measure: Measure) -> bool:
        """Return whether so many orders of ties must be tried that a search cannot wait."""
        handling, cases = measure.tie_handling, self.ranked.cases
        if not cases or (handling.together and len(cases) == 1):
            return False
        first, last = tie_columns(self.alignment)
        if len(first) <= _FEW and int((first != last).sum()) <= _FEW_TIED:
            return False
        if self.ranked.conventions.unordered == "mean":
            return handling.expected(measure, self.alignment) is None
        return handling is ORDERS_TRIED or not handling.best_is_sorted(measure)


class Rankings:
    """The rankings of one run under the conventions for documents.

    Depth and ``judged_only`` are applied to alignments that were read without them; only other
    orders of documents, and orders that are not fixed, need the run again.
    """

    def __init__(
        self,
        qrels: Qrels,
        run: Run,
        reading: Reading,
        *,
        subtopics: bool,
        weights: Floats | None = None,
    ) -> None:
        self.qrels: Qrels = qrels
        self.run: Run = run
        self._needs = Needs(subtopics=subtopics)
        self._reading = reading
        self._weights = weights
        self._read: dict[Conventions, Ranking | None] = {}
        self._made: dict[tuple[Conventions, Order], Ranking | None] = {}

    def under(self, conventions: Conventions, order: Order = "") -> Ranking | None:
        """Return the ranking under conventions; None if the run does not allow them."""
        conventions = replace(conventions, queries="judged", no_relevant="zero")
        if (conventions, order) not in self._made:
            found = self._ranking(conventions, order)
            if found is not None and self._weights is not None:
                found = replace(found, weights=self._weights)
            self._made[conventions, order] = found
        return self._made[conventions, order]

    def _ranking(self, conventions: Conventions, order: Order) -> Ranking | None:
        whole = replace(conventions, depth=None, judged_only=False)
        if conventions.unordered is not None:
            ordered = self.under(whole.ordered(), order)
            if ordered is None or self.qrels.groups is not None or order == "reversed":
                return None
            if not _tied(ordered.alignment):
                return self.under(conventions.ordered(), order)
            return _unordered(ordered, conventions)
        plain = self._ordered(replace(whole, ties="input") if order == "reversed" else whole)
        if plain is not None and order:
            plain = _reordered(plain, order)
        if plain is None or conventions == whole:
            return plain
        if plain.alignment.views:  # documents of views cannot be left out here
            return self._ordered(conventions)
        cut = _cut(plain.alignment, conventions.depth)
        return _ranking(plain.ranked.over(condensed(cut) if conventions.judged_only else cut))

    def read(self, conventions: Conventions) -> Ranking:
        """Read the run with ties in order.

        Raises
        ------
        InputError
            If it cannot be read under these conventions.
        """
        found = Ranked.of(
            self.qrels, self.run, conventions, needs=self._needs, reading=self._reading
        )
        ranking = self._read[conventions] = _ranking(found)
        return ranking

    def _ordered(self, conventions: Conventions) -> Ranking | None:
        if conventions not in self._read:
            try:
                return self.read(conventions)
            except InputError:
                self._read[conventions] = None
        return self._read[conventions]


def _ranking(ranked: Ranked) -> Ranking:
    content, alignment = hashlib.blake2b(digest_size=16), ranked.alignment
    columns: list[np.ndarray[Any, Any]] = [
        alignment.starts,
        alignment.rank,
        alignment.label,
        alignment.retrieved,
        *tie_columns(alignment),
        *(view.document for view in alignment.views.values()),
    ]
    for column in columns:
        content.update(np.ascontiguousarray(column).data)
    return Ranking(ranked, content.digest())


def _unordered(ordered: Ranking, conventions: Conventions) -> Ranking:
    """Return the ranking in which the order of ties is not fixed, from the whole one."""
    a, depth = ordered.alignment, conventions.depth
    first, _ = tie_columns(a)
    if depth is not None and int(a.retrieved.max(initial=0)) > depth:
        reached = _rows(a, first <= depth)
        judged_only = conventions.judged_only
        a, _, cases = cut_unordered(reached, ordered.facts, depth, judged_only=judged_only)
        ranked = Ranked(a, ordered.facts, conventions, cases)
    else:
        alike = ordered.ranked._replace(conventions=conventions)
        ranked = alike.over(condensed(a) if conventions.judged_only else a)
    return Ranking(ranked, ordered.key + repr(conventions).encode("utf-8", "surrogatepass"))


def _tied(a: Alignment) -> bool:
    first, last = tie_columns(a)
    return bool((first != last).any())


def _reordered(plain: Ranking, order: Order) -> Ranking | None:
    """Return the ranking by rising scores, or with ties turned round; None if it is unknown."""
    a = plain.alignment
    if a.views:  # documents of views cannot be moved here
        return None
    first, last = tie_columns(a)
    if order == "reversed":
        rank = first + last - a.rank
    else:
        behind = a.retrieved[query_of_rows(a.starts)] + 1
        rank = behind - last + a.rank - first
        first, last = behind - last, behind - first
    rows = np.lexsort((rank, query_of_rows(a.starts)))
    columns = [column[rows].astype(np.int32) for column in (rank, first, last)]
    moved = a.with_columns(
        rank=columns[0],
        label=a.label[rows],
        tie_first=None if a.tie_first is None else columns[1],
        tie_last=None if a.tie_last is None else columns[2],
    )
    return _ranking(plain.ranked.over(moved))


def _cut(a: Alignment, depth: int | None) -> Alignment:
    """Leave out the documents beyond a depth."""
    if depth is None or int(a.retrieved.max(initial=0)) <= depth:
        return a
    within = a.rank <= depth
    return _rows(a, within, retrieved=np.minimum(a.retrieved, depth))


def _rows(a: Alignment, kept: Bools, **columns: object) -> Alignment:
    """Keep some rows, given as a mask."""
    before = np.append(0, np.cumsum(kept))
    return a.with_columns(
        starts=before[a.starts],
        rank=a.rank[kept],
        label=a.label[kept],
        tie_first=None if a.tie_first is None else a.tie_first[kept],
        tie_last=None if a.tie_last is None else a.tie_last[kept],
        **columns,
    )
