"""What a check comes to: a report of each file, and what only shows of runs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmark.checks.finding import SEVERITIES, FileReport, Finding
from rankmark.checks.report_text import written
from rankmark.formatting.result import Result, columns_of
from rankmark.version import __version__

SCHEMA = 1
"""Version of what ``to_dict`` writes; it rises when a field changes its meaning or goes."""


_COLUMNS = ("code", "severity", "count", "what", "effect", "remedy", "consequence")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport(Result):
    """What a check found: a report a file, judgments first, and what only shows side by side.

    Parameters
    ----------
    files
        Of the judgments, then of each run.
    together
        Findings about the runs side by side.
    measures
        The measures that the check had in mind, by their names.
    """

    files: tuple[FileReport, ...]
    together: tuple[Finding, ...]
    measures: tuple[str, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, file by file."""
        return (*(finding for file in self.files for finding in file.findings), *self.together)

    @property
    def ok(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return all(file.ok for file in self.files)

    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; ``schema`` is this form's version."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "ok": self.ok,
            "measures": list(self.measures),
            "files": [file.to_dict() for file in self.files],
            "together": [finding.to_dict() for finding in self.together],
        }

    def _table(self) -> dict[str, Any]:
        of = [(file, one) for file in self.files for one in file.findings]
        rows = [{"file": file.name, "kind": file.kind} | _row(one) for file, one in of]
        rows += [{"file": None, "kind": None} | _row(one) for one in self.together]
        return columns_of(rows, "file", "kind", *_COLUMNS)

    def __str__(self) -> str:
        """Write the report for people, in 80 columns."""
        return written(self.files, self.together)

    def __repr__(self) -> str:
        """Count what was found."""
        counts = [
            sum(finding.severity == severity for finding in self.findings)
            for severity in SEVERITIES
        ]
        errors, warnings, notes = counts
        return (
            f"CheckReport({len(self.files)} files: "
            f"{errors} errors, {warnings} warnings, {notes} notes)"
        )


def _row(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in _COLUMNS}
