"""Files of pictures, which the ending of a name gives a format, and pages with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmark.command_parts.grouped_help import option
from rankmark.errors import ESCAPED
from rankmark.marks.figures import FORMATS

if TYPE_CHECKING:
    from rankmark.marks.figures import Format
    from rankmark.marks.result_page import HasPage

page_option = option(
    "Output",
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Also write a page of HTML with the tables and the plots; requires matplotlib.",
)


def write_page(result: HasPage, file: Path) -> None:
    """Write the page of a result, completely or not at all."""
    from rankmark.marks.result_page import result_page  # noqa: PLC0415
    from rankmark.sources.files.writing import whole_file  # noqa: PLC0415

    text = result_page(result)
    with whole_file(file) as stream:
        stream.write(text.encode("utf-8", ESCAPED))


def picture_format(file: Path, option: str) -> Format:
    """Return the format of a picture by the ending of its file, which an option names.

    Raises
    ------
    BadParameter
        If it has no known ending.
    """
    for form in FORMATS:
        if file.suffix.lower() == f".{form}":
            return form
    raise click.BadParameter(
        f"{str(file)!r} has no known format; end it in .svg, .png or .pdf",
        param_hint=f"'{option}'",
    )
