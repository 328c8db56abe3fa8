"""Paths that callers give: small files read whole, and files written completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import IO

from rankmark.data.files.byte_streams import reason_of
from rankmark.data.files.input_file import printable
from rankmark.errors import ESCAPED, InputError, shown


def path_given(name: str, given: object) -> Path:
    """Return a path that an argument holds."""
    if not isinstance(given, (str, os.PathLike)) or isinstance(os.fspath(given), bytes):
        raise InputError(f"{name} is {shown(given)}", "need the path of a file as text")
    return Path(given)


def small_file(path: Path, most: int) -> bytes:
    """Read a file that a person or rankmark wrote, and that cannot be large.

    Parameters
    ----------
    most
        In bytes; devices and wrong files may have no end.
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


unfinished: set[Path] = set()
"""Files that are being written, under other names."""


def write_whole(path: Path, text: str) -> None:
    """Write text to a file, completely or not at all."""
    with whole_file(path) as file:
        file.write(text.encode("utf-8", ESCAPED))  # escapes ids that are not UTF-8


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file, which is renamed after everything is written."""
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
                mask = os.umask(0)  # only its owner may read a temporary file
                os.umask(mask)
                temporary.chmod(0o666 & ~mask)
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
