"""What judgments alone tell: which labels there are, and what counts as relevant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.verbs.findings.finding import Finding
from rankmark.verbs.findings.rows import spread
from rankmark.verbs.findings.wording import count, verb

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.verbs.findings.table import Table

_MOST_LABELS = 20  # of a histogram; more are put into bins
_BINS = 10


class Asked(NamedTuple):
    """A measure, and whether whoever asked for it said what is relevant."""

    measure: Measure
    states_rel: bool


def label_facts(table: Table) -> dict[str, Any]:
    """Count labels, and judgments by query."""
    labels = table.number[np.isfinite(table.number)]
    if not len(labels):
        return {"depth": spread(table.depths), "labels": None}
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
    return {"depth": spread(table.depths), "labels": facts}


def lowest_rel(asked: Sequence[Asked]) -> float:
    """Give the lowest label that any of the measures takes for relevant."""
    return min((one.measure.rel for one in asked if hasattr(one.measure, "rel")), default=1.0)


def of_labels(table: Table, asked: Sequence[Asked]) -> Iterator[Finding]:
    """Say what is unusual about the labels."""
    yield from _without_relevant(table, lowest_rel(asked))
    yield from _graded(table, asked)
    negative = table.number < 0
    if found := int(np.count_nonzero(negative)):
        yield Finding(
            code="negative-labels",
            severity="note",
            count=found,
            what=f"{count(found, 'label')} {verb(found, 'is', 'are')} below 0, the lowest "
            f"{table.number[negative].min():g}",
            effect="judged and not relevant, with a gain of 0; other tools may subtract them, or "
            "take them for unjudged",
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
            effect="nothing is relevant, and all measures that look for it are 0",
            remedy=f"state what is relevant, as in AP(rel={highest:g})",
            places=table.begins_of(without),
        )
        return
    yield Finding(
        code="no-relevant",
        severity="warning",
        count=len(without),
        what=f"{count(len(without), 'query', 'queries')} {verb(len(without), 'has', 'have')} "
        f"no document with a label of {rel:g} or more",
        effect="counts 0 and lowers the mean, whatever the system returns; other tools leave such "
        "queries out, or count 1",
        remedy="choose: --no-relevant zero, skip, one or nan",
        places=table.begins_of(without),
    )


def _graded(table: Table, asked: Sequence[Asked]) -> Iterator[Finding]:
    positive = np.flatnonzero((table.number > 0) & np.isfinite(table.number))
    grades, first = np.unique(table.number[positive], return_index=True)
    silent = [one.measure for one in asked if not one.states_rel and hasattr(one.measure, "rel")]
    if len(grades) < 2 or not silent or grades[-1] < lowest_rel(asked):
        return
    names = ", ".join(map(str, silent[:3])) + (f" and {len(silent) - 3} more" if silent[3:] else "")
    shown = ", ".join(f"{grade:g}" for grade in grades[:3].tolist())
    shown += f" and {count(len(grades) - 3, 'more', 'more')}" if len(grades) > 3 else ""
    rel = lowest_rel([one for one in asked if one.measure in silent])
    relevant = int(np.count_nonzero(table.number >= rel))
    yield Finding(
        code="graded",
        severity="warning",
        count=len(grades),
        what=f"there are {len(grades)} grades above 0 ({shown}), and nobody said from which on a "
        f"document is relevant to {names}",
        effect=f"all labels from {rel:g} on count alike there: {count(relevant, 'row')}",
        remedy=f"say it, as in {silent[0].with_parameters(rel=2)}, or write rel=1 if that is meant",
        places=table.places(positive[first]),
    )
