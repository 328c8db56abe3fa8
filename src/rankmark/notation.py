"""The notation of names with parameters: NAME(parameter=value, ...)@k, with optional blanks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rankmark.errors import shown

NUMBER = r"-?[^\s(),-]+"
"""A cutoff; it has no hyphen inside, which would begin ranx's -l2."""


class NotationError(Exception):
    """An invalid name: what was found, the position in the text, from 0, and what to do."""

    def __init__(
        self, found: str, at: int, remedy: str = "write NAME(parameter=value, ...)@k"
    ) -> None:
        super().__init__(found)
        self.found = found
        self.at = at
        self.remedy = remedy


def whole(digits: str | None, at: int) -> int:
    """Read a cutoff."""
    if digits is None:
        raise NotationError("the cutoff is missing", at, "need a whole number from 1")
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 18:
        raise NotationError(f"the cutoff is {shown(digits)}", at, "need a whole number from 1")
    return int(digits)


class Notation:
    """A parser of names, at position ``at``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: int = 0

    def value(self) -> Any:
        """Read a quoted text, a mapping {a: b, ...}, a list [a, ...], a number or a word."""
        if self.take("{"):
            return self._mapping()
        if self.take("["):
            return self._list()
        return self._scalar()

    def _scalar(self) -> Any:
        """Read a quoted text, a number or a word."""
        at = self.skip_blanks()
        if quoted := self.match(r"\"[^\"]*\"|'[^']*'"):
            return quoted[1:-1]
        word = self.match(r"[^\s,(){}\[\]=:@\"']+")
        if not word:
            raise NotationError("expected a value", at)
        try:
            return float(word) if not word.isdecimal() else int(word)
        except ValueError:
            return word

    def parameters(self) -> Iterator[tuple[str, Any, int]]:
        """Read (name=value, ...) if present: name, value, and the position of the name."""
        if not self.take("("):
            return
        while not self.take(")"):
            at = self.skip_blanks()
            name = self.match(r"\w+")
            if not name or not self.take("="):
                raise NotationError("expected parameter=value or )", self.at)
            yield name, self.value(), at
            if not self.take(",") and not self.text.startswith(")", self.skip_blanks()):
                raise NotationError("expected , or )", self.at)

    def _mapping(self) -> dict[Any, Any]:
        pairs: dict[Any, Any] = {}
        while not self.take("}"):
            key = self._scalar()
            if not self.take(":"):
                raise NotationError("expected label: gain", self.at)
            if key in pairs:
                raise NotationError(f"label {key} is given twice", self.at, "keep one of the two")
            pairs[key] = self._scalar()
            if not self.take(",") and not self.text.startswith("}", self.skip_blanks()):
                raise NotationError("expected , or }", self.at)
        return pairs

    def _list(self) -> list[Any]:
        values: list[Any] = []
        while not self.take("]"):
            values.append(self._scalar())
            if not self.take(",") and not self.text.startswith("]", self.skip_blanks()):
                raise NotationError("expected , or ]", self.at)
        return values

    def cutoff(self) -> int | None:
        """Read @k if present."""
        if not self.take("@"):
            return None
        at = self.skip_blanks()
        return whole(self.match(NUMBER), at)

    def another(self) -> tuple[str, int] | None:
        """Read another cutoff, ", k", if present; return it with its position."""
        number = self.match(r"\s*,\s*(?:[0-9]*\.)?[0-9]+(?=\s*(?:,|$))")
        if number is None:
            return None
        digits = number.replace(",", "").strip()
        return digits, self.at - len(digits)

    def skip_blanks(self) -> int:
        """Skip blanks, and return the position after them."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def match(self, pattern: str) -> str | None:
        """Read what matches a pattern, if it does."""
        found = re.compile(pattern).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def take(self, mark: str) -> bool:
        """Read a mark and any blanks before it, if present; return whether it was."""
        if not self.text.startswith(mark, self.skip_blanks()):
            return False
        self.at += len(mark)
        return True

    def end(self) -> None:
        """Refuse any text that is left."""
        if self.skip_blanks() < len(self.text):
            raise NotationError(f"did not expect {shown(self.text[self.at :])}", self.at)
