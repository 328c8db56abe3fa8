"""Write results to stdout or to a file, pictures and pages, and records for ``rankmark verify``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts.faults import print_note, stdout
from rankmark.commands.parts.options import is_csv_safe, picture_format
from rankmark.errors import printable_lines
from rankmark.results.text_width import fitted, line_width

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from rankmark.results.drawing.result_page import HasPage
    from rankmark.results.records.run_record import Computed
    from rankmark.results.result import Result

_FURTHER_FILES = ("reference", "clusters", "weights", "draws", "by", "user_groups")
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


def write_page(result: HasPage, file: Path) -> None:
    """Write the page of a result, completely or not at all."""
    from rankmark.data.files.whole_files import write_whole  # noqa: PLC0415
    from rankmark.results.drawing.result_page import result_page  # noqa: PLC0415

    write_whole(file, result_page(result))


def write_plot(
    plot: Callable[..., Any], file: Path, size: tuple[float, float] | None = None
) -> None:
    """Write what a ``plot`` method draws, in a size in inches, completely or not at all."""
    from rankmark.results.drawing.figures import SIZE, as_file  # noqa: PLC0415

    write_picture(as_file(lambda ax: plot(ax=ax), picture_format(file), size or SIZE), file)


def write_picture(drawn: bytes, file: Path) -> None:
    """Write the bytes of a picture, completely or not at all."""
    from rankmark.data.files.whole_files import whole_file  # noqa: PLC0415

    with whole_file(file) as stream:
        stream.write(drawn)


def refuse_recording(path: Path | None, inputs: Sequence[str]) -> None:
    """Refuse to record what cannot be read again, before it is read."""
    if path is not None and "-" in inputs:
        raise click.UsageError("--record needs files; standard input cannot be read again")


def write_record(
    path: Path,
    command: str,
    qrels: str,
    runs: Sequence[str],
    choices: Mapping[str, Any],
    computed: Computed,
) -> None:
    """Write the record of a command.

    Parameters
    ----------
    path
        The file to write, completely or not at all.
    command, qrels, runs
        Which command read which files.
    choices
        Keywords of the call that ``verify`` repeats; files among them become inputs.
    computed
        What was found.
    """
    from pathlib import Path  # noqa: PLC0415  (importing it takes long)

    from rankmark.data.contract.reading_options import FILES, WITHOUT_EFFECT, WORDS  # noqa: PLC0415
    from rankmark.results.records.run_record import Recorded  # noqa: PLC0415

    chosen = {k: v for k, v in choices.items() if v is not None and k not in WITHOUT_EFFECT}
    others = {
        name: str(chosen.pop(name))
        for name in (*FILES, *_FURTHER_FILES)
        if name in chosen
        and chosen[name] not in WORDS.get(name, ())
        and Path(chosen[name]).exists()  # --by may name a column
    }
    if isinstance(chosen.get("queries"), tuple):
        chosen["queries"] = list(chosen["queries"])
    recorded = Recorded(command, qrels, tuple(runs), others, chosen)
    write_output(recorded.text(computed, path), path)
