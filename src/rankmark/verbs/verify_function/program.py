"""A program in any language in the place of a function."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, NoReturn

from rankmark.errors import InputError, shown


class Program:
    """A program that computes a measure, in the place of a function for ``which_convention``.

    It reads its standard input line by line until that ends. A line is a JSON object with a case,
    such as ``{"retrieved": ["d2", "d1"], "judged": {"d1": 1}, "k": 3}``. For each, it writes a line
    with a number at once, or with ``{"error": "why"}`` if it refuses the case.

    Parameters
    ----------
    command
        The program with its arguments, as text or as a list. No shell reads it.

    Raises
    ------
    InputError
        If the command is empty, or a quotation mark is not closed.

    Examples
    --------
    >>> from rankmark.testing import Program, which_convention
    >>> which_convention(Program("node ndcg.js"), expect="nDCG@10")  # doctest: +SKIP
    """

    ARGUMENTS = "retrieved, judged, k"

    def __init__(self, command: str | Sequence[str]) -> None:
        try:
            is_posix = os.name != "nt"
            words = shlex.split(command, posix=is_posix) if isinstance(command, str) else [*command]
        except ValueError as error:
            raise InputError(f"the command has an error: {error}", "close it") from None
        except TypeError:
            words = []
        if not words or not all(isinstance(word, str) and word for word in words):
            raise InputError(f"the command is {shown(command)}", "name a program")
        self.words: list[str] = words
        # Windows splits text itself, by rules of its own.
        self.command = words if is_posix or not isinstance(command, str) else command
        plain = [word for word in words if not word.startswith("-") and " " not in word]
        self.__name__ = PurePath((plain or words)[-1].strip("\"'")).stem

    def __call__(self, *_: Any) -> NoReturn:
        """Refuse a call: a program is given to ``which_convention``."""
        raise InputError(f"{self.__name__} is a program", "give it to which_convention")

    def __repr__(self) -> str:
        return f"Program({shlex.join(self.words)!r})"
