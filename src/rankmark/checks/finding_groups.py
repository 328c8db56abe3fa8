"""Findings of several runs, gathered: one finding, and the runs that have it, the worst first."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankmark.checks.finding import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankmark.checks.finding import FileReport, Finding, Severity


@dataclass(frozen=True, slots=True)
class Group:
    """One finding, and who has it.

    Parameters
    ----------
    found
        The names of runs with what was found in each, the worst first; a name is nothing where the
        finding is of the judgments, or of the runs side by side.
    """

    found: tuple[tuple[str, Finding], ...]

    @property
    def worst(self) -> Finding:
        """The finding of the run in which it can do most."""
        return self.found[0][1]

    @property
    def severity(self) -> Severity:
        """What all of them have."""
        return self.worst.severity

    @property
    def code(self) -> str:
        """What all of them have."""
        return self.worst.code

    @property
    def names(self) -> list[str]:
        """The runs, the worst first."""
        return [name for name, _ in self.found if name]


def groups_of(files: Sequence[FileReport], together: Iterable[Finding]) -> list[Group]:
    """Gather all findings: errors first, then by what they can do to the measures."""
    judged, *runs = files
    alone = (Group((("", finding),)) for finding in (*judged.findings, *together))
    return _in_order([*alone, *groups_of_runs(runs)])


def groups_of_runs(runs: Sequence[FileReport]) -> list[Group]:
    """Gather the findings of the runs."""
    gathered: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for name, file in zip(shown_names(runs), runs, strict=True):
        for finding in file.findings:
            gathered.setdefault((finding.severity, finding.code), []).append((name, finding))
    return _in_order(
        Group(tuple(sorted(found, key=lambda of_run: (-of_run[1].weight, -of_run[1].count))))
        for found in gathered.values()
    )


def _in_order(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (SEVERITIES.index(group.severity), -group.worst.weight))


def shown_names(runs: Sequence[FileReport]) -> list[str]:
    """Name runs without the folder that all are in; of one name twice, with their numbers."""
    names = [run.name for run in runs]
    folder = common_folder(runs)
    short = [name.removeprefix(folder) for name in names]
    return [
        f"{name} {number}" if short.count(name) > 1 else name
        for number, name in enumerate(short, 1)
    ]


def common_folder(runs: Sequence[FileReport]) -> str:
    """Give the folder that all runs are in, with its last slash; nothing where there is none."""
    if len(runs) < 2:
        return ""
    folders = {os.path.split(run.name)[0] for run in runs}
    (folder,) = folders if len(folders) == 1 else ("",)
    return f"{folder}{os.sep}" if folder else ""
