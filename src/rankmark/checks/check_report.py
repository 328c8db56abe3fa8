"""What a check comes to: a report of each file, and what only shows of runs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmark.checks.finding import SEVERITIES, FileReport, Finding
from rankmark.checks.report_text import written
from rankmark.formatting.per_query import as_json
from rankmark.version import __version__

SCHEMA = 1
"""Version of what ``to_dict`` writes; it rises when a field changes its meaning or goes."""


@dataclass(frozen=True, slots=True)
class CheckReport:
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

    def to_json(self, *, indent: int | None = None) -> str:
        """Write ``to_dict`` as JSON text."""
        return as_json(self.to_dict(), indent)

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
