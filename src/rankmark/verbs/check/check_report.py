"""The result of a check: a report for each file, and findings about several runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankmark.results.result import Result
from rankmark.results.table_schema import columns_of
from rankmark.results.text_width import REPORT, line_width
from rankmark.verbs.check.finding import SEVERITIES, FileReport, Finding
from rankmark.verbs.check.report_text import as_html, written
from rankmark.version import __version__

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""

_COLUMNS = ("code", "severity", "count", "what", "effect", "remedy", "consequence")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport(Result):
    """What a check found: a report for each file, and findings about the runs together.

    Parameters
    ----------
    files
        Reports on the judgments, then on each run.
    together
        Findings about several runs.
    measures
        Names of the measures for which effects are shown.
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
        """Return everything for JSON; ``schema`` is the version of this form."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "ok": self.ok,
            "measures": list(self.measures),
            "files": [file.to_dict() for file in self.files],
            "together": [finding.to_dict() for finding in self.together],
        }

    def _table(self) -> dict[str, Any]:
        rows = [
            {"file": file.name, "kind": file.kind} | _row(finding)
            for file in self.files
            for finding in file.findings
        ]
        rows += [{"file": None, "kind": None} | _row(finding) for finding in self.together]
        return columns_of(rows, "file", "kind", *_COLUMNS)

    def to_text(self, *, width: int = REPORT) -> str:
        """Return the report for people, in lines of ``width`` columns."""
        return written(self.files, self.together, width)

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width() or REPORT)

    def _repr_html_(self) -> str:
        return as_html(self.files, self.together)

    def __repr__(self) -> str:
        """Return the number of findings."""
        severities = [finding.severity for finding in self.findings]
        errors, warnings, notes = map(severities.count, SEVERITIES)
        return (
            f"CheckReport({len(self.files)} files: "
            f"{errors} errors, {warnings} warnings, {notes} notes)"
        )


def _row(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in _COLUMNS}
