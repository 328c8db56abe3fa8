"""The names of files, without pathlib, whose import is a part of the time of small commands."""

from __future__ import annotations

import os

_SEPARATORS = os.sep + (os.altsep or "")


def file_name(path: str) -> str:
    """Return the last part of a path, also of a folder's.

    >>> file_name("runs/bm25.run"), file_name("runs/")
    ('bm25.run', 'runs')
    """
    return os.path.basename(path.rstrip(_SEPARATORS))  # noqa: PTH119


def file_extensions(path: str) -> list[str]:
    """Return what follows the first part of a file's name, each with its dot.

    >>> file_extensions("runs/bm25.run.gz")
    ['.run', '.gz']
    """
    return [f".{part}" for part in file_name(path).lstrip(".").split(".")[1:]]
