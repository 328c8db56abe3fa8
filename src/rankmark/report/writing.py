"""Output written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from rankmark.errors import InputError


def write_whole(path: Path, text: str) -> None:
    """Write a file under another name and rename it, so that nobody sees it half-written.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    try:
        with NamedTemporaryFile(
            "w",
            dir=path.parent,
            prefix=f".{path.name}.",
            encoding="utf-8",
            newline="",
            delete=False,
        ) as file:
            part = Path(file.name)
            try:
                file.write(text)
                file.flush()
                _allow_as_usual(part)
                file.close()
                part.replace(path)
            except BaseException:
                file.close()
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def _allow_as_usual(part: Path) -> None:
    """Give a temporary file, which only its owner may read, the rights of any new file."""
    mask = os.umask(0)
    os.umask(mask)
    part.chmod(0o666 & ~mask)
