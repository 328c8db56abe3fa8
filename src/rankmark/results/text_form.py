"""Text, the form of results in a terminal, and what all forms have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from rankmark.errors import one_line, printable_lines
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import (
    Command,
    Decision,
    Folded,
    Formula,
    Heading,
    InText,
    Items,
    Labelled,
    Lines,
    Notes,
    Part,
    Section,
    Title,
    Values,
)
from rankmark.results.text_width import filled, fitted

_METHODS: dict[type, str] = {
    MarkedTable: "_table",
    Title: "_title",
    Decision: "_decision",
    Heading: "_heading",
    Formula: "_formula",
    Command: "_command",
    Lines: "_lines",
    Notes: "_notes",
    Items: "_items",
    Values: "_values",
    Folded: "_folded",
    InText: "_in_text",
    Section: "_section",
}


class Form(ABC):
    """A form in which parts are written, with a method for each kind; "" leaves a part out."""

    def write(self, parts: Sequence[Part]) -> str:
        """Write all parts of a result."""
        return self.joined(parts)

    def joined(self, parts: Sequence[Part]) -> str:
        """Write parts one after the other."""
        return "\n".join(text for part in parts if (text := self._part(part)))

    def _part(self, part: Part) -> str:
        write: Callable[[Any], str] = getattr(self, _METHODS.get(type(part), "_sentence"))
        return write(part)

    @abstractmethod
    def _table(self, table: MarkedTable) -> str: ...

    def _title(self, text: str) -> str:
        return self._sentence(text)

    def _decision(self, part: Decision) -> str:
        return self._title(part.text)

    def _heading(self, text: str) -> str:
        return self._sentence(text)

    def _sentence(self, text: str) -> str:  # noqa: ARG002  (some forms have tables only)
        return ""

    def _formula(self, text: str) -> str:
        return self._sentence(text)

    def _command(self, part: Command) -> str:
        return self._sentence(f"{part.use}: {part.command}")

    def _lines(self, part: Lines | Notes) -> str:  # noqa: ARG002
        return ""

    def _notes(self, part: Notes) -> str:
        return self._lines(part)

    def _items(self, part: Items) -> str:
        return self._lines(Lines(map(str, part)))

    def _values(self, part: Values) -> str:
        return self._table(MarkedTable(("", "value"), part))

    def _folded(self, part: Folded) -> str:
        return self.joined([Heading(f"{part.heading}, {part.name}"), part.table])

    def _in_text(self, part: InText) -> str:
        return self.joined(part.parts)

    def _section(self, part: Section) -> str:
        return self.joined([Heading(part.name), *part.parts])


class Text(Form):
    """Text for a terminal, in lines of ``width`` columns, or of any length if None.

    Parts have a blank line between them, except above a command, below a heading, and below names
    and numbers.
    """

    def __init__(self, width: int | None = None, *, styled: bool = False) -> None:
        self.width = width
        self.styled = styled

    def joined(self, parts: Sequence[Part]) -> str:
        """Write parts, without an end of the last line."""
        written, is_close = "", False
        for part in parts:
            if text := self._part(part):
                is_close = is_close or isinstance(part, Command)
                written += ("\n" if is_close else "\n\n") * bool(written) + text
                is_close = isinstance(part, (Heading, Values))
        return fitted(written, self.width)

    def _table(self, table: MarkedTable) -> str:
        return table.as_text(styled=self.styled, width=self.width).rstrip("\n")

    def _sentence(self, text: str) -> str:
        return fitted(one_line(text), self.width)

    def _lines(self, part: Lines | Notes) -> str:
        return "\n".join(
            self._labelled(line) if isinstance(line, Labelled) else self._sentence(line)
            for line in part
        )

    def _labelled(self, line: Labelled) -> str:
        label = f"{'':{line.indent}}{line.label:<{line.width}}"
        text = one_line(line.text)
        if self.width is None:
            return f"{label}{text}"
        return "\n".join(filled(text, self.width, label, " " * len(label)))

    def _values(self, part: Values) -> str:
        width = max(len(name) for name, _ in part)
        return "\n".join(f"{one_line(name):<{width}}  {value}" for name, value in part)

    def _in_text(self, part: InText) -> str:
        return fitted(printable_lines("\n".join(part.lines)), self.width)

    def _section(self, part: Section) -> str:
        return f"[{one_line(part.name)}] {self.joined(part.parts)}"
