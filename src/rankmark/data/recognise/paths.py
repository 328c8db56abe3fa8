"""Paths that are not those of one file on disk: folders, patterns and URLs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions

_MAGIC = frozenset("*?[")


def is_not_one_file(path: str) -> bool:
    """Return True for a folder, a URL, and a pattern that is not itself the path of a file."""
    if "://" in path or os.path.isdir(path):  # noqa: PTH112
        return True
    return not _MAGIC.isdisjoint(path) and not os.path.exists(path)  # noqa: PTH110


def of_several_or_url(path: str, kind: Kind, options: SourceOptions) -> Source:
    """Read a folder, a pattern or a URL as one source.

    Raises
    ------
    InputError
        If a format is chosen that files together cannot have, or there are no files.
    """
    if "://" in path:
        from rankmark.data.files.several_files import from_url  # noqa: PLC0415  (most files are here)

        return from_url(path, kind, options)
    from rankmark.data.files.several_files import from_several  # noqa: PLC0415

    if options.format not in {None, "parquet", "arrow"}:
        raise InputError(
            f"format is {options.format!r}, and this is "
            + ("a folder" if os.path.isdir(path) else "a pattern"),  # noqa: PTH112
            "name one file; only files of Parquet or Arrow are read together",
            where=path,
        )
    return from_several(path, kind, options)
