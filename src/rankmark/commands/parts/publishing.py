"""Write results to stdout or to a file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from rankmark.commands.parts.faults import print_note, stdout
from rankmark.commands.parts.options import is_csv_safe
from rankmark.errors import printable_lines
from rankmark.results.text_width import fitted, line_width

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankmark.results.result import Result

_PASTED = {"csv", "parquet", "markdown", "latex"}
TABULAR = ("csv", "parquet")
"""The formats that are made of the rows of a result alone."""


def is_pasted(form: str) -> bool:
    """Return whether a format is pasted elsewhere, so that notes do not belong to it."""
    return form in _PASTED


def width_of(output: Path | None) -> int | None:
    """Return the columns of lines in the output; None for no limit, as in a file."""
    return line_width() if _is_stdout(output) else None


def _is_stdout(output: Path | None) -> bool:
    return output is None or str(output) == "-"


def write_notes(form: str, notes: Iterable[str]) -> None:
    """Write the audit and the conventions to stderr, if stdout holds only what is pasted."""
    if is_pasted(form):
        for note in notes:
            print_note(fitted(printable_lines(note), line_width(sys.stderr)))


def write_table(found: Result, form: str, output: Path | None) -> None:
    """Write the rows of a result as CSV or Parquet, to stdout or to a file."""
    if form == "csv":
        write_output(found.to_csv(safe=is_csv_safe()), output)
        return
    table = found.to_arrow()
    from pyarrow import parquet  # noqa: PLC0415

    if output is not None and str(output) != "-":
        from rankmark.data.files.whole_files import whole_file  # noqa: PLC0415

        with whole_file(output) as file:
            parquet.write_table(table, file)
        return
    stream = stdout()
    if stream.isatty():
        raise click.UsageError("a terminal cannot show Parquet; name a file: -o results.parquet")
    parquet.write_table(table, stream.buffer)
    stream.buffer.flush()


def write_result(
    found: str | Result, form: str, output: Path | None, *, styled: bool = False
) -> None:
    """Write text as it is, and the rows of a result as CSV or Parquet."""
    if isinstance(found, str):
        write_output(found, output, styled=styled)
    else:
        write_table(found, form, output)


def write_output(text: str, output: Path | None, *, styled: bool = False) -> None:
    """Write text to stdout, or to a file, completely or not at all.

    Parameters
    ----------
    styled
        Whether it contains styles for a terminal, which stdout is then.
    """
    if styled:
        from rich.console import Console  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        Console(highlight=False).print(Text.from_ansi(text), soft_wrap=True, end="")
    elif output is None or _is_stdout(output):
        stream = stdout()
        stream.write(text)
        stream.flush()
    else:
        from rankmark.data.files.whole_files import write_whole  # noqa: PLC0415

        write_whole(output, text)
