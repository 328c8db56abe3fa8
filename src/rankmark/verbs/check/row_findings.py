"""Findings about rows of judgments or runs: unreadable lines, duplicates, invalid numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.array_types import distinct
from rankmark.data.contract.source_options import OR_CHOOSE
from rankmark.verbs.check.finding import Finding, Place
from rankmark.verbs.check.phrases import count, verb

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Ints
    from rankmark.data.contract.source_options import Kind
    from rankmark.verbs.check.row_table import Table

_QUARTERS = (0, 25, 50, 75, 100)


def spread(counts: Any) -> dict[str, int | float]:
    """Return the quartiles of a distribution; those of whole numbers are whole."""
    if not len(counts):
        return {}
    quartiles = np.percentile(counts, _QUARTERS, method="lower").tolist()
    return dict(zip(("min", "p25", "median", "p75", "max"), quartiles, strict=True))


def row_findings(table: Table, kind: Kind, *, may_be_empty: bool = False) -> Iterator[Finding]:
    """Find problems with the rows.

    Parameters
    ----------
    may_be_empty
        Whether evaluate accepts an input without rows, such as a mapping without documents.
    """
    yield from _unreadable(table)
    if not table.rows.faulty and not len(table):
        yield _nothing(kind, may_be_empty=may_be_empty)
    yield from _duplicates(table, kind)
    yield from _numbers(table, kind)
    yield from _extra_columns(table)
    yield from _interleaved(table)


def _unreadable(table: Table) -> Iterator[Finding]:
    rows = table.rows
    if rows.faulty:
        line, found, _ = rows.faults[0]
        lines = count(rows.faulty, "line") if len(table) else f"none of {rows.faulty:,} lines"
        yield Finding(
            code="unreadable",
            severity="error",
            count=rows.faulty,
            what=f"{lines} {'cannot' if len(table) else 'can'} be read; line {line:,}: {found}",
            effect="evaluate refuses the file"
            + ("; what follows is about the other lines" if len(table) else ""),
            remedy="correct or remove them"
            if len(table)
            else "check what this file is: formats are trec, msmarco, beir, tsv, csv, json, jsonl "
            "and parquet",
            places=tuple(Place(line=line) for line, *_ in rows.faults[:3]),
        )


def _nothing(kind: Kind, *, may_be_empty: bool) -> Finding:
    what = f"there are no {'judgments' if kind == 'qrels' else 'documents'} in it"
    if may_be_empty:
        return Finding(
            code="empty",
            severity="warning",
            count=1,
            what=what,
            effect="all queries count 0",
            remedy="check whether the program that made it finished",
        )
    return Finding(
        code="empty",
        severity="error",
        count=1,
        what=what,
        effect="there is nothing to evaluate",
        remedy="check the path, and whether the program that wrote it finished",
    )


def _duplicates(table: Table, kind: Kind) -> Iterator[Finding]:
    ordered = table.pairs()
    ordered.sort()
    if not (ordered[1:] == ordered[:-1]).any():
        return
    pairs = table.pairs()
    order = np.argsort(pairs, kind="stable")
    again = ordered[1:] == ordered[:-1]
    begins = np.concatenate(([0], np.flatnonzero(~again) + 1))
    first = order[np.repeat(begins, np.diff(begins, append=len(order)))]
    same = np.concatenate(([False], again))
    later, originals = order[same], first[same]
    differing = np.sort(later[_differ(table, later, originals)])
    number = "label" if kind == "qrels" else "score"
    yield Finding(
        code="duplicates",
        severity="error",
        count=len(later),
        what=f"{count(len(later), 'row')} {verb(len(later), 'repeats', 'repeat')} a document of "
        "the same query",
        effect="evaluate refuses it: a document cannot have two ranks or count twice",
        remedy="keep one row of each"
        + (", that with the best score" if kind == "run" and len(differing) else "")
        + OR_CHOOSE[kind],
        places=table.places(np.sort(later)),
    )
    if len(differing):
        yield Finding(
            code="conflicting",
            severity="error",
            count=len(differing),
            what=f"{count(len(differing), 'row')} of these "
            f"{verb(len(differing), 'has', 'have')} a different {number} than the first",
            effect=f"which {number} counts depends on the tool",
            remedy="if several runs were concatenated, split them"
            if kind == "run"
            else "if several judges were concatenated, keep one, or what they agree on",
            places=table.places(differing),
        )


def _differ(table: Table, some: Ints, others: Ints) -> Bools:
    """Return which rows have different numbers; rows without numbers are equal."""
    a, b = table.number[some], table.number[others]
    differ: Bools = (a != b) & ~(np.isnan(a) & np.isnan(b))
    return differ


def _numbers(table: Table, kind: Kind) -> Iterator[Finding]:
    number = "label" if kind == "qrels" else "score"
    if not table.is_scored:
        return
    missing = np.isnan(table.number)
    if found := int(np.count_nonzero(missing)):
        yield Finding(
            code="nan",
            severity="error",
            count=found,
            what=f"{count(found, number)} {verb(found, 'is', 'are')} NaN",
            effect="evaluate refuses it, as NaN cannot be ordered; other tools put it last, or "
            "first",
            remedy="find out where it comes from; remove or replace it",
            places=table.places(missing),
        )
    infinite = np.isinf(table.number)
    if found := int(np.count_nonzero(infinite)):
        yield Finding(
            code="infinite",
            severity="error" if kind == "qrels" else "warning",
            count=found,
            what=f"{count(found, number)} {verb(found, 'is', 'are')} infinite",
            effect="evaluate refuses it, as a gain must be finite"
            if kind == "qrels"
            else "they rank first or last, and tie with one another",
            remedy="find out where it comes from; write finite numbers",
            places=table.places(infinite),
        )


def _extra_columns(table: Table) -> Iterator[Finding]:
    found = table.rows.extra_columns
    if found:
        yield Finding(
            code="extra-columns",
            severity="warning",
            count=found,
            what=f"{count(found, 'line')} {verb(found, 'has', 'have')} more columns than the "
            "format",
            effect="the last columns are ignored; but if an id contains a blank, everything after "
            "it is read from the wrong column",
            remedy="check whether ids contain blanks; remove the extra columns",
            places=tuple(Place(line=line) for line in table.rows.extra_lines[:3]),
        )


def _interleaved(table: Table) -> Iterator[Finding]:
    returning = table.begins[table.begins != table.first_rows[table.codes[table.begins]]]
    if not len(returning):
        return
    queries = len(distinct(table.codes[returning]))
    yield Finding(
        code="interleaved",
        severity="note",
        count=len(returning),
        what=f"the rows of {count(queries, 'query', 'queries')} are "
        f"interrupted by other queries, {count(len(returning), 'time')} in all",
        effect="none here, except some time and memory; tools that read query by query treat the "
        "later rows as another query, or keep only them",
        remedy="nothing, or sort by query; were several processes writing to one file?",
        places=table.places(returning),
    )
