"""Facts and findings about a file, and how counts and shares are written in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankmark.results.table_schema import fields_of

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was found.

    Parameters
    ----------
    line
        1-based line of the file.
    row
        Row, from 0, of a table without lines; mappings and matrices have neither.
    query_id, doc_id
        The ids found there.
    """

    line: int | None = None
    row: int | None = None
    query_id: str | None = None
    doc_id: str | None = None

    def __str__(self) -> str:
        """Return the line or row, with the ids in parentheses."""
        held = {"query": self.query_id, "document": self.doc_id}
        ids = [one for one in held.values() if one is not None]
        named = ", ".join(f"{name} {one}" for name, one in held.items() if one is not None)
        if self.line is None and self.row is None:
            return named
        where = f"line {self.line:,}" if self.line is not None else f"row {self.row:,}"
        there = named if len(ids) == 1 else ", ".join(ids)
        return f"{where} ({there})" if ids else where

    def to_dict(self) -> dict[str, Any]:
        """Return what is known, for JSON."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem or a peculiarity that a check found.

    Parameters
    ----------
    code
        A stable name, for programs.
    severity
        "error" if evaluate would refuse the input, or its numbers would be meaningless; "warning"
        if a number may not be what was meant; "note" for anything else worth knowing.
    count
        How many were found.
    what, effect, remedy
        What was found, its effect on the result, and what to do.
    places
        The first three.
    moves
        The measures whose printed digits change, with two values: for ties, the minimum and the
        maximum over all orders; for others, the value now and under the other convention. None if
        unknown.
    consequence
        The same in words.
    """

    code: str
    severity: Severity
    count: int
    what: str
    effect: str
    remedy: str
    places: tuple[Place, ...] = ()
    moves: Mapping[str, tuple[float, float]] | None = None
    consequence: str = ""

    @property
    def weight(self) -> float:
        """The largest relative change of a measure; 0 if unknown."""
        return max(map(relative_move, (self.moves or {}).values()), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the finding for JSON."""
        written: dict[str, Any] = {
            "code": self.code,
            "severity": self.severity,
            "count": self.count,
            "what": self.what,
            "places": [place.to_dict() for place in self.places],
            "effect": self.effect,
            "remedy": self.remedy,
        }
        if self.moves is not None:
            written["consequence"] = self.consequence
            written["moves"] = {name: [*ends] for name, ends in self.moves.items()}
        return written


def relative_move(ends: tuple[float, float]) -> float:
    """Return the difference of two values, relative to the greater one."""
    greater = max(map(abs, ends))
    return abs(ends[1] - ends[0]) / greater if greater else 0.0


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings by severity, then by effect, largest first."""
    return tuple(
        sorted(findings, key=lambda found: (SEVERITIES.index(found.severity), -found.weight))
    )


@dataclass(frozen=True, slots=True)
class FileReport:
    """Facts and findings about a file, a mapping, a frame or an array.

    Parameters
    ----------
    name
        Its name in messages.
    kind
        What it was given as: "qrels" or "run".
    sha256
        Hash of the file; None if it is not a file.
    facts
        Counts, shares and distributions, for JSON.
    findings
        Errors first.
    """

    name: str
    kind: Kind
    sha256: str | None
    facts: Mapping[str, Any]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return all(finding.severity != "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON."""
        findings = [finding.to_dict() for finding in self.findings]
        return {**fields_of(self), "facts": dict(self.facts), "findings": findings}


def verb(number: int, one: str, many: str) -> str:
    """Choose the form of a verb."""
    return one if number == 1 else many


def per_cent(share: float) -> str:
    """Write a share in per cent; only 0 is 0.0%, and only 1 is 100.0%."""
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "more than 99.9%"
    return f"{share:.1%}"


def and_more(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """Write the first items of a list: "a, b and 3 more"."""
    if len(items) <= most:
        return separator.join(items)
    return f"{separator.join(items[:most])} and {len(items) - most:,} more"
