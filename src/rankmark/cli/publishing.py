"""Write results to stdout or to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.cli.faults import stdout

if TYPE_CHECKING:
    from pathlib import Path


def write_output(text: str, output: Path | None) -> None:
    """Write text to stdout, or to a file, completely or not at all."""
    if output is None or str(output) == "-":
        stream = stdout()
        stream.write(text)
        stream.flush()
        return
    from rankmark.report.writing import write_whole  # noqa: PLC0415

    write_whole(output, text)
