"""The terms of measures that are sums, tabulated by their formulas, so that the core can add them.

The values are those of ``score`` to the last bit: the terms and divisors are those that the formula
computes, and the core adds the terms in the same order, from the first document to the last.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Alignment, positions
from rankmark.errors import RankmarkError
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.names import is_built_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats, Ints, Ranks
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.ranking_patterns import Patterns
    from rankmark.measures import Measure
    from rankmark.results.explanations.contributions import Contributions

# As a table by documents found grows with their square, it takes 80 kB.
_MOST_RANKS = 100
_MOST_LABELS = 100
_LABELS_LOOKED_AT = 1 << 20


class TermTables(NamedTuple):
    """Tables of M measures, for ``Patterns.tabulate``.

    Parameters
    ----------
    labels
        (L,) float64, rising.
    ranks
        R, the last rank.
    tables
        M pairs: NaN, with (L * R,) float64, a row of terms by rank for each label; or the lowest
        relevant label, with (R * R,) float64, a row for each number of relevant documents before.
    """

    labels: Floats
    ranks: int
    tables: list[tuple[float, Floats]]


def term_tables(
    measures: Sequence[Measure], labels: Floats, conventions: Conventions
) -> TermTables | None:
    """Tabulate the terms of measures for judgments with some labels, (n,) float64 in any order.

    Labels and ranks that are missing in the tables are rare; None if a measure is no such sum.
    """
    if conventions.unordered is not None or conventions.no_relevant != "zero":
        return None
    if not all(map(_is_sum, measures)):
        return None
    needs = needs_of(measures)
    distinct = np.unique(labels[:_LABELS_LOOKED_AT])
    distinct = distinct[distinct >= needs.lowest]
    if len(distinct) > _MOST_LABELS and any(measure.term_of == "label" for measure in measures):
        return None
    ranks = min(needs.deepest or _MOST_RANKS, _MOST_RANKS)
    try:
        tables = [
            (math.nan, _by_label(measure, distinct, ranks))
            if measure.term_of == "label"
            else (_rel(measure), _by_documents_found(measure, ranks))
            for measure in measures
        ]
    except RankmarkError:  # a label or rank that may never be retrieved is refused
        return None
    return TermTables(distinct, ranks, tables)


def tabulated(patterns: Patterns, measures: Sequence[Measure], conventions: Conventions) -> bool:
    """Let patterns add up the terms of measures, if all are such sums; return whether they are."""
    labels = patterns.labels
    tables = None if labels is None else term_tables(measures, labels, conventions)
    if tables is not None:
        patterns.tabulate(*tables)
    return tables is not None


def divisors(measures: Sequence[Measure], a: Alignment) -> Floats:
    """Return the divisors of the measures' sums for the one query of an alignment: (M,) float64."""
    found = [_contributions(measure, a).divisor for measure in measures]
    return np.array([1.0 if divisor is None else divisor[0] for divisor in found])


def _is_sum(measure: Measure) -> bool:
    """Return whether a measure is a sum whose terms can be computed ahead of the documents."""
    if not is_built_in(measure) or measure.term_of is None or measure.judged_only:
        return False
    # A function is called for the labels and ranks that there are, and nothing else.
    return not any(callable(getattr(measure, name)) for name in measure.parameters)


def _by_label(measure: Measure, labels: Floats, ranks: int) -> Floats:
    starts = np.arange(len(labels) + 1) * ranks
    rank = np.tile(np.arange(1, ranks + 1, dtype=np.int32), len(labels))
    a = _aligned(starts, rank, np.repeat(labels, ranks))
    return _contributions(measure, a).ranked.astype(np.float64)


def _by_documents_found(measure: Measure, ranks: int) -> Floats:
    """Tabulate by rankings that begin with relevant documents, and have one more further down."""
    before, below = np.triu_indices(ranks)
    starts = np.append(0, np.cumsum(before + 1))
    rank: Ranks = positions(starts).astype(np.int32)
    last = starts[1:] - 1
    rank[last] = below + 1
    a = _aligned(starts, rank, np.full(len(rank), _rel(measure)))
    terms = np.zeros((ranks, ranks))
    terms[before, below] = _contributions(measure, a).ranked[last]
    return terms.ravel()


def _aligned(starts: Ints, rank: Ranks, label: Floats) -> Alignment:
    """Align rankings of judged documents whose labels are all the same."""
    return Alignment(
        queries=[""] * (len(starts) - 1),
        starts=starts,
        rank=rank,
        label=label,
        retrieved=rank[starts[1:] - 1].astype(np.int64),
        ideal_starts=starts,
        ideal_label=label,
    )


def _contributions(measure: Measure, a: Alignment) -> Contributions:
    contributions = measure.contributions(a)
    assert contributions is not None  # noqa: S101  (a measure that says what its terms are has some)
    return contributions


def _rel(measure: Measure) -> float:
    return float(getattr(measure, "rel"))  # noqa: B009  (a parameter of measures by documents found)
