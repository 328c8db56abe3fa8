"""A finding about chunks and other units that stand beside their documents in the other input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.array_types import are_among, distinct
from rankmark.verbs.check.finding import Finding
from rankmark.verbs.check.phrases import count, verb

if TYPE_CHECKING:
    from rankmark.array_types import Ints, Ranks
    from rankmark.verbs.check.judged_overlap import Overlap
    from rankmark.verbs.check.row_table import Table

SEPARATORS = ("#", "::", ":", "__", "_", "-", "/", "@", "|", ".")
_MOST_ROWS = 100_000  # of either side
_LEAST_GAIN = 0.1  # of the documents that are found anyway; fewer may be chance


class _Mapped(NamedTuple):
    """What is found if the ids of one side are cut: documents of queries, and an example."""

    found: int
    separator: str
    unit: str


def unit_findings(overlap: Overlap) -> Iterator[Finding]:
    """Find ids of units, such as ``D1#3``, whose documents are on the other side as ``D1``."""
    number_in_run = np.full(len(overlap.qrels.rows.query_ids), -1, dtype=np.int32)
    answered = np.flatnonzero(overlap.judged_query >= 0)
    number_in_run[overlap.judged_query[answered]] = answered
    of_run = _best(overlap.run, overlap.qrels, overlap.judged_query)
    of_qrels = _best(overlap.qrels, overlap.run, number_in_run)
    for mapped, option, holder, other in (
        (of_run, "unit", "the run has", "are judged"),
        (of_qrels, "qrels_unit", "the judgments have", "are retrieved"),
    ):
        if mapped is None:
            continue
        flag = "--" + option.replace("_", "-")
        document = mapped.unit.rpartition(mapped.separator)[0]
        yield Finding(
            code="unmapped-units",
            severity="warning",
            count=mapped.found,
            what=f"{holder} units of documents that {other}, such as {mapped.unit!r} beside "
            f"{document!r}: {count(mapped.found, 'more document')} "
            f"{verb(mapped.found, 'matches', 'match')} if ids are cut at {mapped.separator!r}",
            effect="a unit counts as another document than its own, so it is not relevant",
            remedy=f"map units to their documents with {flag} '{mapped.separator}', or "
            f'{option}="{mapped.separator}"',
        )


def _best(parts: Table, whole: Table, queries: Ranks) -> _Mapped | None:
    """Return the separator by which most is found; None if none finds clearly more than uncut ids.

    Parameters
    ----------
    parts
        The rows whose ids may be those of units.
    whole
        The rows of the other side.
    queries
        (Q,) int32, the number that each query of ``parts`` has on the other side; -1 for none.
    """
    rows = np.flatnonzero((queries >= 0)[parts.codes[:_MOST_ROWS]])
    codes, place = np.unique(parts.rows.doc_codes[rows], return_inverse=True)
    ids = [parts.rows.doc_ids(code) for code in codes.tolist()]
    asked = queries[parts.codes[rows]].astype(np.int64)
    there = distinct(whole.pairs())

    def pairs_of(names: list[str]) -> tuple[Ints, int]:
        numbers = whole.rows.doc_numbers(names).astype(np.int64)[place]
        pairs = (asked << 32 | numbers).astype(np.uint64)
        found = np.flatnonzero((numbers >= 0) & are_among(pairs, there))
        return place[found], len(distinct(pairs[found]))

    uncut = pairs_of(ids)[1]
    likely: _Mapped | None = None
    for separator in SEPARATORS:
        cut = [name.rpartition(separator)[0] or name for name in ids]
        if cut == ids:
            continue
        positions, number = pairs_of(cut)
        gained = number - uncut
        if gained > _LEAST_GAIN * uncut and (likely is None or gained > likely.found):
            unit = min(ids[i] for i in positions.tolist() if cut[i] != ids[i])
            likely = _Mapped(gained, separator, unit)
    return likely
