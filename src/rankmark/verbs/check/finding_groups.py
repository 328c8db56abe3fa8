"""Findings grouped over runs: each finding once, with the runs that have it, worst first."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankmark.verbs.check.finding import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankmark.verbs.check.finding import FileReport, Finding, Severity


@dataclass(frozen=True, slots=True)
class Group:
    """A finding, and the runs that have it.

    Parameters
    ----------
    found
        Names of runs and their findings, worst first; a finding about the judgments or about the
        runs together has an empty name.
    """

    found: tuple[tuple[str, Finding], ...]

    @property
    def worst(self) -> Finding:
        """The finding of the run that is affected most."""
        return self.found[0][1]

    @property
    def severity(self) -> Severity:
        """The severity, which is the same for all."""
        return self.worst.severity

    @property
    def code(self) -> str:
        """The code, which is the same for all."""
        return self.worst.code

    @property
    def names(self) -> list[str]:
        """The runs, worst first."""
        return [name for name, _ in self.found if name]


def groups_of(files: Sequence[FileReport], together: Iterable[Finding]) -> list[Group]:
    """Group all findings, sorted by severity, then by effect."""
    judged, *runs = files
    single = (Group((("", finding),)) for finding in (*judged.findings, *together))
    return _in_order([*single, *groups_of_runs(runs)])


def groups_of_runs(runs: Sequence[FileReport]) -> list[Group]:
    """Group the findings of the runs."""
    groups: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for name, file in zip(shown_names(runs), runs, strict=True):
        for finding in file.findings:
            groups.setdefault((finding.severity, finding.code), []).append((name, finding))
    return _in_order(
        Group(tuple(sorted(found, key=lambda item: (-item[1].weight, -item[1].count))))
        for found in groups.values()
    )


def _in_order(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (SEVERITIES.index(group.severity), -group.worst.weight))


def shown_names(runs: Sequence[FileReport]) -> list[str]:
    """Return names without the common folder; numbered if names are equal."""
    names = [run.name for run in runs]
    folder = common_folder(runs)
    short = [name.removeprefix(folder) for name in names]
    return [
        f"{name} {number}" if short.count(name) > 1 else name
        for number, name in enumerate(short, 1)
    ]


def common_folder(runs: Sequence[FileReport]) -> str:
    """Return the folder that contains all runs, with a slash at the end; empty if there is none."""
    if len(runs) < 2:
        return ""
    folders = {os.path.split(run.name)[0] for run in runs}
    (folder,) = folders if len(folders) == 1 else ("",)
    return f"{folder}{os.sep}" if folder else ""
