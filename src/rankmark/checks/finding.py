"""What a check says of one file: facts and findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rankmark.sources.contract.source_options import Kind

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
        Row from 0 of a table that has no lines; neither is there in a mapping or a matrix.
    query_id, doc_id
        What stands there.
    """

    line: int | None = None
    row: int | None = None
    query_id: str | None = None
    doc_id: str | None = None

    def __str__(self) -> str:
        """Write the place: the line or row, and in brackets what stands there."""
        ids = [named for named in (self.query_id, self.doc_id) if named is not None]
        named = ", ".join(map("{} {}".format, ("query", "document"), ids))
        if self.line is None and self.row is None:
            return named
        where = f"line {self.line:,}" if self.line is not None else f"row {self.row:,}"
        there = named if len(ids) == 1 else ", ".join(ids)
        return f"{where} ({there})" if ids else where

    def to_dict(self) -> dict[str, Any]:
        """Write what is known of the place."""
        fields = {
            "line": self.line,
            "row": self.row,
            "query_id": self.query_id,
            "doc_id": self.doc_id,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    Parameters
    ----------
    code
        A word that stays the same, for programs.
    severity
        "error" where evaluate would refuse, or the numbers would mean nothing; "warning" where a
        number may not be what was meant; "note" for what is good to know.
    count
        How many.
    what, effect, remedy
        What was found, what it does to the result, and what to do.
    places
        The first three.
    moves
        What it does to the measures asked whose printed digits change: by measure, of ties the
        least and the greatest value that another order could give; of others the value as it is
        and as it would be under the other rule. None where that is not known.
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
        """How much it can move a measure, as a share of its value: 0 where that is not known."""
        return max(map(relative_move, (self.moves or {}).values()), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Write the finding as JSON knows it."""
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
    """Say how far two values are apart, as a share of the greater."""
    greater = max(map(abs, ends))
    return abs(ends[1] - ends[0]) / greater if greater else 0.0


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings: errors first, and of one severity what moves most."""
    return tuple(
        sorted(findings, key=lambda found: (SEVERITIES.index(found.severity), -found.weight))
    )


@dataclass(frozen=True, slots=True)
class FileReport:
    """What there is to say of one file, or of one mapping, frame or array.

    Parameters
    ----------
    name
        As messages call it.
    kind
        What it was given as: "qrels" or "run".
    sha256
        Of the file's bytes; None where there is no file.
    facts
        Counts, shares and distributions, as JSON knows them.
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
        """Write the report as JSON knows it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "sha256": self.sha256,
            "facts": dict(self.facts),
            "findings": [finding.to_dict() for finding in self.findings],
        }
