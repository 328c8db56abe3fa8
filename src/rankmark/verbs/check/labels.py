"""Findings about judgments: their labels, and what counts as relevant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.verbs.check.finding import Finding
from rankmark.verbs.check.phrases import and_more, count, verb
from rankmark.verbs.check.row_findings import spread

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.measures import Measure
    from rankmark.verbs.check.row_table import Table

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
            what=f"{count(found, 'label')} {verb(found, 'is', 'are')} below 0, the lowest "
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
        what=f"{count(len(without), 'query', 'queries')} {verb(len(without), 'has', 'have')} "
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
        what=f"judging depth has two modes: {count(len(few), 'query', 'queries')} with "
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
        effect=f"all labels of {rel:g} or more count alike there: {count(relevant, 'row')}",
        remedy=f"choose rel, as in {by_default[0].with_parameters(rel=2)}, or rel=1 if all are "
        "meant",
        places=table.places(positive[first]),
    )
