"""Paths that callers give, and small files that are read as a whole."""

from __future__ import annotations

import os
from pathlib import Path

from rankmark.data.files.input_file import printable
from rankmark.data.files.temporary import reason_of
from rankmark.errors import InputError, shown


def path_given(name: str, given: object) -> Path:
    """Return a path that an argument holds.

    Raises
    ------
    InputError
        If it is not text or a path of text.
    """
    if not isinstance(given, (str, os.PathLike)) or isinstance(os.fspath(given), bytes):
        raise InputError(f"{name} is {shown(given)}", "need the path of a file as text")
    return Path(given)


def small_file(path: Path, most: int) -> bytes:
    """Read a file that a person or rankmark wrote, and that cannot be large.

    Parameters
    ----------
    most
        In bytes; devices and wrong files may have no end.

    Raises
    ------
    InputError
        If it cannot be read, or is larger.
    """
    name = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        missing = isinstance(error, FileNotFoundError)
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        found = "there is no such file" if missing else f"it cannot be read: {reason}"
        raise InputError(found, "check the path", where=name) from None
    if len(data) > most:
        raise InputError(
            f"it has more than {most >> 20} MiB", "give the file that is meant", where=name
        )
    return data
