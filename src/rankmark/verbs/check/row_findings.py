"""Findings about rows: unreadable lines, duplicates, invalid numbers; labels of judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.array_types import distinct
from rankmark.data.contract.source_options import OR_CHOOSE
from rankmark.errors import counted
from rankmark.verbs.check.finding import Finding, Place, and_more, verb

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Ints
    from rankmark.data.contract.source_options import Kind
    from rankmark.measures import Measure
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
        lines = counted(rows.faulty, "line") if len(table) else f"none of {rows.faulty:,} lines"
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
        what=f"{counted(len(later), 'row')} {verb(len(later), 'repeats', 'repeat')} a document of "
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
            what=f"{counted(len(differing), 'row')} of these "
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
    return (a != b) & ~(np.isnan(a) & np.isnan(b))


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
            what=f"{counted(found, number)} {verb(found, 'is', 'are')} NaN",
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
            what=f"{counted(found, number)} {verb(found, 'is', 'are')} infinite",
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
            what=f"{counted(found, 'line')} {verb(found, 'has', 'have')} more columns than the "
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
        what=f"the rows of {counted(queries, 'query', 'queries')} are "
        f"interrupted by other queries, {counted(len(returning), 'time')} in all",
        effect="none here, except some time and memory; tools that read query by query treat the "
        "later rows as another query, or keep only them",
        remedy="nothing, or sort by query; were several processes writing to one file?",
        places=table.places(returning),
    )


_MOST_LABELS = 20  # in a histogram; more are binned
_BINS = 10
_GAP = 3  # minimal ratio of the depths on both sides of a gap between two groups
_LEAST_SHARE = 0.1  # of the queries in each group
_LEAST_QUERIES = 5  # in each group


class Requested(NamedTuple):
    """A requested measure, and whether its rel was chosen."""

    measure: Measure
    chooses_rel: bool


def label_facts(table: Table) -> dict[str, Any]:
    """Count labels, and judgments by query."""
    labels = table.number[np.isfinite(table.number)]
    depths: dict[str, Any] = {"depth": spread(table.depths)}
    modes = depth_modes(table)
    if modes:
        depths["depth_modes"] = [{"queries": len(mode)} | spread(mode) for mode in modes]
    if not len(labels):
        return depths | {"labels": None}
    values, counts = np.unique(labels, return_counts=True)
    facts: dict[str, Any] = {
        "distinct": len(values),
        "min": float(values[0]),
        "max": float(values[-1]),
    }
    if len(values) <= _MOST_LABELS:
        pairs = zip(values.tolist(), counts.tolist(), strict=True)
        facts["histogram"] = [{"label": label, "rows": rows} for label, rows in pairs]
    else:
        binned, edges = np.histogram(labels, bins=_BINS)
        bins = zip(edges[:-1].tolist(), edges[1:].tolist(), binned.tolist(), strict=True)
        facts["histogram"] = [{"from": a, "to": b, "rows": rows} for a, b, rows in bins]
    return depths | {"labels": facts}


def depth_modes(table: Table) -> list[Ints]:
    """Split the queries into those with few and those with many judgments, if there is a gap.

    Returns
    -------
    list of Ints
        The depths of the two groups, increasing; empty if there is no gap.
    """
    depths = np.sort(table.depths[table.depths > 0])
    least = max(_LEAST_QUERIES, int(np.ceil(_LEAST_SHARE * len(depths))))
    inner = np.arange(least, len(depths) - least + 1)
    if not len(inner):
        return []
    begin = int(inner[np.argmax(depths[inner] / depths[inner - 1])])
    if depths[begin] < _GAP * depths[begin - 1]:
        return []
    return [depths[:begin], depths[begin:]]


def with_next_grade(
    measures: Sequence[Measure], requested: Sequence[Requested], table: Table | None
) -> list[Measure]:
    """Set ``rel`` to the next grade for measures whose rel was not chosen."""
    assert table is not None  # noqa: S101
    grades = np.unique(table.number[np.isfinite(table.number) & (table.number > 0)])
    by_default = {one.measure for one in requested if not one.chooses_rel}
    above = grades[grades > lowest_rel(requested)]
    return [
        measure.with_parameters(rel=float(above[0]))
        if measure in by_default and hasattr(measure, "rel") and len(above)
        else measure
        for measure in measures
    ]


def lowest_rel(requested: Sequence[Requested]) -> float:
    """Return the lowest rel of the measures."""
    return min(
        (one.measure.rel for one in requested if hasattr(one.measure, "rel")),
        default=1.0,
    )


def label_findings(table: Table, requested: Sequence[Requested]) -> Iterator[Finding]:
    """Find problems with the labels."""
    yield from _without_relevant(table, lowest_rel(requested))
    yield from _graded(table, requested)
    yield from _two_depths(table)
    negative = table.number < 0
    if found := int(np.count_nonzero(negative)):
        yield Finding(
            code="negative-labels",
            severity="note",
            count=found,
            what=f"{counted(found, 'label')} {verb(found, 'is', 'are')} below 0, the lowest "
            f"{table.number[negative].min():g}",
            effect="judged not relevant, with a gain of 0; other tools may subtract them, or "
            "treat them as unjudged",
            remedy="nothing, if they mean not relevant; remove rows that mean not judged",
            places=table.places(negative),
        )


def _without_relevant(table: Table, rel: float) -> Iterator[Finding]:
    has_relevant = np.zeros(len(table.rows.query_ids), dtype=np.bool_)
    has_relevant[table.codes[table.number >= rel]] = True
    without = np.flatnonzero(~has_relevant & (table.depths > 0))
    if not len(without):
        return
    highest = float(np.max(table.number, initial=0.0, where=~np.isnan(table.number)))
    if len(without) == len(has_relevant) and highest > 0:
        yield Finding(
            code="nothing-relevant",
            severity="warning",
            count=len(without),
            what=f"no label reaches rel={rel:g}, the highest is {highest:g}",
            effect="nothing is relevant, so all measures of relevance are 0",
            remedy=f"choose rel, as in AP(rel={highest:g})",
            places=table.begins_of(without),
        )
        return
    yield Finding(
        code="no-relevant",
        severity="warning",
        count=len(without),
        what=f"{counted(len(without), 'query', 'queries')} {verb(len(without), 'has', 'have')} "
        f"no document with a label of {rel:g} or more",
        effect=f"{verb(len(without), 'it counts', 'each counts')} 0 and lowers the mean, whatever "
        "the system returns; other tools leave such queries out, or count 1",
        remedy="choose: --no-relevant zero, skip, one or nan",
        places=table.begins_of(without),
    )


def _two_depths(table: Table) -> Iterator[Finding]:
    modes = depth_modes(table)
    if not modes:
        return
    few, many = modes
    where = np.flatnonzero((table.depths > 0) & (table.depths <= few[-1]))
    yield Finding(
        code="judging-depth",
        severity="note",
        count=len(few),
        what=f"judging depth has two modes: {counted(len(few), 'query', 'queries')} with "
        f"{_span(few)} judgments, and {len(many):,} with {_span(many)}",
        effect="more of the retrieved documents are unjudged in the first group, where R, AP and "
        "bounds rest on few judgments; a mean over both hides the difference",
        remedy="evaluate the groups separately with --queries @FILE, and look at Judged@10 with "
        "--per-query",
        places=table.begins_of(where),
    )


def _span(depths: Ints) -> str:
    return f"{depths[0]:,}" + (f" to {depths[-1]:,}" if depths[-1] != depths[0] else "")


def _graded(table: Table, requested: Sequence[Requested]) -> Iterator[Finding]:
    positive = np.flatnonzero((table.number > 0) & np.isfinite(table.number))
    grades, first = np.unique(table.number[positive], return_index=True)
    by_default = [
        one.measure for one in requested if not one.chooses_rel and hasattr(one.measure, "rel")
    ]
    if len(grades) < 2 or not by_default or grades[-1] < lowest_rel(requested):
        return
    names = and_more([*map(str, by_default)], 3)
    shown = and_more([f"{grade:g}" for grade in grades.tolist()], 3)
    rel = lowest_rel([one for one in requested if one.measure in by_default])
    relevant = int(np.count_nonzero(table.number >= rel))
    yield Finding(
        code="graded",
        severity="warning",
        count=len(grades),
        what=f"labels have {len(grades)} grades above 0 ({shown}), and no rel says which of them "
        f"are relevant to {names}",
        effect=f"all labels of {rel:g} or more count alike there: {counted(relevant, 'row')}",
        remedy=f"choose rel, as in {by_default[0].with_parameters(rel=2)}, or rel=1 if all are "
        "meant",
        places=table.places(positive[first]),
    )
