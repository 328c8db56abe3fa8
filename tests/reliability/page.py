"""Write docs/reliability.md from the records of campaigns: ``make reliability``."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.page import table
from reliability.campaign_records import read_records

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
TOP = """\
# Reliability

What you may rely on when inputs are damaged, disks are full and processes are killed, how each promise is tested, and how much was tried.

Tests run on every change, and take minutes.
The campaigns below take hours, and are run before a release; each figure is from the run of the date that is given.
This page is generated from their records in `tests/reliability/records`, with `make reliability`.
Whether numbers are right is on another page: [Conformance](conformance.md).
"""  # noqa: E501


def page(records: Sequence[Mapping[str, Any]]) -> str:
    """Write the page."""
    return TOP + "\n" + "".join(table(summary(records))) + "".join(map(section, records))


def summary(records: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Give the rows of the table of promises."""
    yield ["campaign", "what you may rely on"]
    for record in records:
        name = title(record)
        yield [f"[{name}](#{name.lower().replace(' ', '-')})", sentence(record["promise"])]


def section(record: Mapping[str, Any]) -> str:
    """Write what a campaign did and found."""
    parts = [f"\n## {title(record)}\n\n"]
    parts += [f"{sentence(record[part])}\n" for part in ("promise", "method")] + ["\n"]
    parts += table(iter([record["columns"], *([*map(cell, row)] for row in record["rows"])]))
    parts += [f"\nRun by `{record['command']}` on {record['date']}, commit {record['commit']}"]
    parts += [f", {record['machine']}.\n"]
    for name, heading in (("found", "Found and mended"), ("not covered", "Not shown by this")):
        if record[name]:
            parts += [f"\n{heading}:\n\n", *(f"- {sentence(line)}\n" for line in record[name])]
    return "".join(parts)


def title(record: Mapping[str, Any]) -> str:
    """Give the heading of a campaign."""
    return str(record["campaign"]).replace("_", " ").capitalize()


def sentence(text: str) -> str:
    """Begin with a capital letter, and end with a full stop."""
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def cell(value: object) -> str:
    """Format a figure."""
    return f"{value:,}" if isinstance(value, int | float) else str(value)


if __name__ == "__main__":
    PAGE.write_text(page(read_records()), encoding="utf-8")
