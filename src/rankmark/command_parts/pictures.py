"""Files of pictures, which the ending of a name gives a format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.marks.figures import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.marks.figures import Format


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
