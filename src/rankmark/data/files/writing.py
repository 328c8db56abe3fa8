"""Write output files completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from rankmark.data.files.input_file import printable
from rankmark.data.files.temporary import reason_of
from rankmark.errors import ESCAPED, InputError

unfinished: set[Path] = set()
"""Files that are being written, under other names."""


def write_whole(path: Path, text: str) -> None:
    """Write text to a file, completely or not at all.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    with whole_file(path) as file:
        file.write(text.encode("utf-8", ESCAPED))  # escapes ids that are not UTF-8


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file, which is renamed after everything is written.

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
        unfinished.add(target)  # first, so that an interrupt leaves no temporary file
        try:
            descriptor, name = mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
            temporary = Path(name)
            file = open(descriptor, "wb")  # noqa: PTH123, SIM115  (closed below)
            try:
                yield file
                file.close()
                _set_usual_mode(temporary)
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                with suppress(OSError):  # a full disk refuses the rest once more
                    file.close()
                raise
        finally:
            unfinished.discard(target)
    except OSError as error:
        raise InputError(
            f"cannot be written: {reason_of(error)}",
            "choose another path",
            where=printable(str(path)),
        ) from None


def _refuse_name(path: Path) -> None:
    try:
        loops = path.resolve().is_symlink()  # which Python 3.13 leaves as it is
    except RuntimeError:  # of earlier versions
        loops = True
    except OSError:  # reported when the file is opened
        return
    except ValueError:
        raise InputError(
            f"{printable(str(path))}: no file can have this name, as it contains an invalid "
            "character",
            "choose another",
        ) from None
    if loops:
        raise InputError(f"{printable(str(path))}: this link points to itself", "choose another")


def _set_usual_mode(temporary: Path) -> None:
    """Return a temporary file, which only its owner may read, the permissions of a new file."""
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o666 & ~mask)
