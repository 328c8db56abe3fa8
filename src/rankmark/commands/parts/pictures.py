"""Files of pictures, which the ending of a name gives a format, and pages with pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts.grouped_help import PATH, Command, option
from rankmark.results.drawing.figures import FORMATS, SIZE, as_file, require_matplotlib

if TYPE_CHECKING:
    from rankmark.results.drawing.figures import Format
    from rankmark.results.drawing.result_page import HasPage


def plot_option(
    about: str, flag: str = "--plot", name: str = "picture"
) -> Callable[[Command], Command]:
    """Make the option for the file of a plot, which is refused if its ending is no format."""
    return option(
        "Output",
        flag,
        name,
        metavar="FILE.svg|png|pdf",
        type=PATH,
        callback=_with_known_ending,
        help=about,
    )


def _with_known_ending(
    _context: click.Context, _parameter: click.Parameter, file: Path | None
) -> Path | None:
    if file is not None:
        picture_format(file)
    return file


page_option = option(
    "Output",
    "--html",
    "page",
    metavar="FILE",
    type=PATH,
    help="Also write a page of HTML with the tables and the plots; requires matplotlib.",
)


def require_page(file: Path | None) -> None:
    """Refuse a page that cannot be drawn, before large files are read."""
    if file is not None:
        require_matplotlib()


def write_page(result: HasPage, file: Path) -> None:
    """Write the page of a result, completely or not at all."""
    from rankmark.data.files.whole_files import write_whole  # noqa: PLC0415
    from rankmark.results.drawing.result_page import result_page  # noqa: PLC0415

    write_whole(file, result_page(result))


def write_plot(plot: Callable[..., Any], file: Path, size: tuple[float, float] = SIZE) -> None:
    """Write what a ``plot`` method draws, in a size in inches, completely or not at all."""
    write_picture(as_file(lambda ax: plot(ax=ax), picture_format(file), size), file)


def write_picture(drawn: bytes, file: Path) -> None:
    """Write the bytes of a picture, completely or not at all."""
    from rankmark.data.files.whole_files import whole_file  # noqa: PLC0415

    with whole_file(file) as stream:
        stream.write(drawn)


def picture_format(file: Path, option: str | None = None) -> Format:
    """Return the format of a picture by the ending of its file.

    ``option`` is the option that named the file; callbacks of options leave it to click.

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
        param_hint=None if option is None else f"'{option}'",
    )
