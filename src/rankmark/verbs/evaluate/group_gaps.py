"""Gaps between groups of users, from the scores of an evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError, counted, listed
from rankmark.measures.of_runs.gap import GapOfGroups, gap_by_chance, gap_of
from rankmark.measures.of_runs.run_measure import LeftOut
from rankmark.results.number_style import written_p
from rankmark.scoring.run_values import Jackknifed
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.query_attributes import (
    NO_VALUE,
    attributes_of,
    column_or_file,
    slices_of,
)


def add_gaps(found: Evaluation, measures: Sequence[Any], user_groups: Any, qrels: Any) -> None:
    """Add the gaps between groups of users to an evaluation, with what must be known of them."""
    gaps = [one for one in measures if isinstance(one, GapOfGroups)]
    if user_groups is None and not gaps:
        return
    if not gaps:
        raise InputError(
            "user_groups is given, and no measure needs it",
            'leave it out, or ask for a gap, as Gap(of="nDCG@10")',
        )
    if user_groups is None:
        raise InputError(
            f"{gaps[0]} needs groups of users", "give user_groups, {user: group} or a table"
        )
    given = column_or_file(user_groups, qrels, "user_groups")
    attributes = attributes_of(given, found.queries, "user_groups")
    values: dict[Any, LeftOut] = {}
    notes = []
    for gap in gaps:
        names, group = _groups(gap, attributes)
        scores = found.scores[:, found.column(gap.inner)]
        group = np.where(np.isnan(scores), -1, group)
        present = np.unique(group[group >= 0])
        if len(present) < 2:
            raise InputError(
                f"{gap} has users with a value in {counted(len(present), 'group')}",
                "give two groups at least",
                where="user_groups",
            )
        names = [names[number] for number in present.tolist()]
        group = np.where(group >= 0, np.searchsorted(present, group), -1)
        values[gap] = gap_of(scores, group)
        notes.append(_note(gap, values[gap], names, scores, found.queries))
    found.left_out = {**found.left_out, **values}
    found.list_notes = (*found.list_notes, *notes)


def _groups(gap: GapOfGroups, attributes: Mapping[str, Sequence[str]]) -> tuple[list[str], Ints]:
    """Return the names of the groups, and the number of each user's, -1 for none."""
    if gap.by not in attributes and (gap.by or len(attributes) > 1):
        raise InputError(
            f"{gap} does not name one of the columns of groups: {listed([*attributes])}",
            f'write it as Gap(of="{gap.of}", by="{next(iter(attributes))}")',
            where="user_groups",
        )
    name = gap.by or next(iter(attributes))
    rows_of = slices_of({name: attributes[name]})
    rows_of.pop(NO_VALUE, None)
    group = np.full(len(attributes[name]), -1)
    for number, rows in enumerate(rows_of.values()):
        group[rows] = number
    return [*rows_of], group


def _note(
    gap: GapOfGroups, found: LeftOut, names: list[str], scores: Floats, users: Sequence[str]
) -> str:
    """Say what the groups are, how likely such a gap is by chance, and who has no group."""
    group = found.strata
    assert group is not None  # noqa: S101
    order = np.array(sorted(range(len(users)), key=users.__getitem__))
    drawn = gap_by_chance(scores[order], group[order])
    means = [float(scores[group == number].mean()) for number in range(len(names))]
    sizes = np.bincount(group[group >= 0]).tolist()
    best = sorted(zip(means, names, sizes, strict=True), reverse=True)
    shown = [best[0], best[-1]] if len(best) > 2 else best
    told = ", ".join(f"{name} {mean:.4f} ({counted(n, 'user')})" for mean, name, n in shown)
    p, test = Jackknifed.of(*found).p, "Welch's t"
    if len(names) > 2:
        told = f"{len(names)} groups, best and worst {told}"
        p, test = (
            (1 + np.count_nonzero(drawn >= found.value - 1e-12)) / (1 + len(drawn)),
            "permutation",
        )
    line = f"{gap}: {told}; "
    line += "" if np.isnan(p) else f"p {written_p(p)} ({test}); "
    line += f"{drawn.mean():.4f} expected by chance"
    none = int(np.count_nonzero(group < 0))
    if none:
        line += f"; {counted(none, 'user')} without a group or a value, in no mean of it"
    return line
