"""Output written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from rankmark.errors import InputError
from rankmark.sources.files.files import printable, told_by


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, so that nobody sees it half-written.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with whole_file(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))  # ids that are no UTF-8 are escaped


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file under another name, and rename it once everything is written.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    _refuse_name(path)
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            with target.open("wb") as file:  # a pipe or a device
                yield file
            return
        with NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name[:50]}.", delete=False
        ) as file:
            part = Path(file.name)
            try:
                yield file
                file.close()
                _allow_as_usual(part)
                part.replace(target)
            except BaseException:
                file.close()
                part.unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"{printable(str(path))}: cannot be written: {told_by(error)}") from None


def _refuse_name(path: Path) -> None:
    try:
        path.resolve()
    except RuntimeError:
        raise InputError(
            f"{printable(str(path))}: is a link that leads back to itself; choose another"
        ) from None
    except OSError:  # said by whoever opens it
        return
    except ValueError:
        raise InputError(
            f"{printable(str(path))}: no file can have this name, for a character in it; choose "
            "another"
        ) from None


def _allow_as_usual(part: Path) -> None:
    """Give a temporary file, which only its owner may read, the rights of any new file."""
    mask = os.umask(0)
    os.umask(mask)
    part.chmod(0o666 & ~mask)
