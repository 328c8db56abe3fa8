"""Tables whose best values are marked, as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rankmark.errors import one_line
from rankmark.results.escaped_bytes import readable
from rankmark.results.text_tables import BEST, SECOND, Bar, Cell, Name, markdown, text

if TYPE_CHECKING:
    from rankmark.results.latex_float import LatexFloat

_MINUS = r"(?<![\w.])-(?=[\d.])"
_NUMBER = r"[+-]?(\d+)(?:\.(\d+))?"
_LETTER = r"[^\W\d_]"
_OF_THOUSANDS = r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?"
_LATEX_ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"[": "{[}", "]": "{]}", "<": r"\textless{}", ">": r"\textgreater{}"}
)
_IN_MATHS = {"p": "$p$", "adjusted p": "adjusted $p$", "d_z": "$d_z$"}


class MarkedTable:
    """A table of cells.

    Parameters
    ----------
    head
        The names of the columns.
    rows
        The cells, or their texts, as many as there are columns; or a text that spans all columns.
    keys
        How many columns, at the left, are words; the others are numbers.
    marks_head
        The name of columns of their own for the marks, which would be read with the numbers
        otherwise; "" if they stand behind these. In LaTeX they are always raised.
    attached
        Names of columns that belong to the column at their left, such as its interval.
    ids
        Columns of ids among the numbers, which are folded if a line is too long.
    caption, label, page
        What LaTeX calls the table, and how it stands on the page; None for as usual.
    note
        A line below the table in a text, such as how many rows are left out; or "".
    indent
        Blanks before each line of text.
    """

    def __init__(
        self,
        head: Sequence[str],
        rows: Iterable[Iterable[Cell | str] | str],
        keys: int = 1,
        marks_head: str = "",
        attached: Sequence[str] = (),
        *,
        ids: Sequence[int] = (),
        caption: str = "",
        label: str = "",
        page: LatexFloat | None = None,
        note: str = "",
        indent: int = 0,
    ) -> None:
        # What would not be printed is escaped, such as a line break in the name of a run.
        self.head = [one_line(name) for name in head]
        self.lines = [
            one_line(row) if isinstance(row, str) else [*map(_printable, row)] for row in rows
        ]
        self.keys = keys
        self.marks_head = marks_head
        self.rows = [row for row in self.lines if not isinstance(row, str)]
        self.attached = attached
        self.ids = ids
        self.caption, self.label, self.page = caption, label, page
        self.note, self.indent = note, indent

    def turned(self) -> MarkedTable:
        """Exchange rows and columns, for a table with one column of words."""
        names = [row[0].text for row in self.rows]
        rows = [
            [Cell(name), *(row[at] for row in self.rows)]
            for at, name in enumerate(self.head)
            if at > 0
        ]
        return MarkedTable(["measure", *names], rows)

    def only(self, columns: Sequence[int]) -> MarkedTable:
        """Return some of the columns, among them all words."""
        rows = [[row[at] for at in columns] for row in self.rows]
        head = [self.head[at] for at in columns]
        return MarkedTable(head, rows, self.keys, self.marks_head, self.attached)

    def _marks_apart(self) -> MarkedTable:
        """Return the table with columns of their own for marks, if they are to have any."""
        marked = [at for at in self._columns if any(row[at].marks for row in self.rows)]
        if not self.marks_head or not marked:
            return self
        head: list[str] = []
        rows: list[list[Cell]] = [[] for _ in self.rows]
        for at in self._columns:
            head += [self.head[at], *[self.marks_head] * (at in marked)]
            for row, given in zip(rows, self.rows, strict=True):
                own = [Cell(given[at].marks)] if at in marked else []
                row.extend([given[at]._replace(marks=""), *own])
        return MarkedTable(head, rows, self.keys)

    def as_text(self, *, styled: bool = False, width: int | None = None) -> str:
        """Format the table for a terminal, in lines of ``width`` columns; None for no limit.

        The best values are bold, and the second best underlined, if ``styled``.
        """
        apart = self._marks_apart()
        written = text(
            apart.head,
            apart.lines,
            apart.keys,
            width=None if width is None else width - self.indent,
            ids=self.ids,
            attached=[*self.attached, *([self.marks_head] if self.marks_head else [])],
            styled=styled,
        )
        if not self.indent:
            return written
        return "".join(f"{'':{self.indent}}{line}" for line in written.splitlines(keepends=True))

    def as_markdown(self) -> str:
        """Format the table as Markdown, the best values in bold."""
        from rankmark.results.github_markdown import code, sparing  # noqa: PLC0415

        if (apart := self._marks_apart()) is not self:
            return apart.as_markdown()

        def cell(at: int, one: Cell) -> str:
            # Numbers and their intervals stay as they are, where brackets have no meaning.
            is_text = at < self.keys or re.search(_LETTER, one.text)
            shown = sparing(one.text) if is_text else one.text
            shown = code(one.text) if isinstance(one.text, Name) else shown
            shown = f"**{shown}**" if one.place == BEST else shown
            return shown + (f"<sup>{one.marks}</sup>" if one.marks else "")

        empty = [""] * (len(self.head) - 1)
        rows = [
            [sparing(row), *empty]
            if isinstance(row, str)
            else [cell(*one) for one in enumerate(row)]
            for row in self.lines
        ]
        return markdown([*map(sparing, self.head)], rows, self.keys)

    def as_html(self) -> str:
        """Format the table as HTML."""
        from html import escape  # noqa: PLC0415

        from rankmark.results.html_parts import bar, table_of_html  # noqa: PLC0415

        if (apart := self._marks_apart()) is not self:
            return apart.as_html()

        def cell(one: Cell) -> str:
            shown = escape(one.text)
            if isinstance(one.text, Bar):
                shown = bar(one.text, one.text.share)
            mark = {BEST: "b", SECOND: "u"}.get(one.place)
            shown = f"<{mark}>{shown}</{mark}>" if mark else shown
            return shown + (f"<sup>{escape(one.marks)}</sup>" if one.marks else "")

        rows = [
            f"<small>{escape(row)}</small>" if isinstance(row, str) else [*map(cell, row)]
            for row in self.lines
        ]
        return readable(table_of_html([*map(escape, self.head)], rows, self.keys))

    def as_latex(self) -> str:
        """Format the table as a float for LaTeX, with booktabs and columns of siunitx."""
        from rankmark.results.latex_float import IN_A_COLUMN  # noqa: PLC0415

        page = self.page or IN_A_COLUMN
        caption = self.caption if page.caption is None else page.caption
        columns, head = [], []
        for at in self._columns:
            kind, marked = self._kind(at), any(row[at].marks for row in self.rows)
            columns.append(kind + (r"@{\,}l" if marked else ""))
            name = _IN_MATHS.get(self.head[at]) or escaped_latex(self.head[at])
            name = f"{{{name}}}" if kind.startswith("S") else name
            head.append(rf"\multicolumn{{2}}{{c}}{{{name}}}" if marked else name)
        spanned = len(head) + sum(name.startswith(r"\multicolumn") for name in head)
        body = [
            rf"\multicolumn{{{spanned}}}{{l}}{{{escaped_latex(row)}}}"
            if isinstance(row, str)
            else " & ".join(self._latex_cells(row))
            for row in self.lines
        ]
        signed = any(one.text.startswith("+") for row in self.rows for one in row[self.keys :])
        plus = ",retain-explicit-plus=true" if signed else ""
        tabular = [
            f"  \\begin{{tabular}}{{@{{}}{' '.join(columns)}@{{}}}}",
            r"    \toprule",
            f"    {' & '.join(head)} \\\\",
            r"    \midrule",
            *(f"    {line} \\\\" for line in body),
            r"    \bottomrule",
            r"  \end{tabular}",
        ]
        lines = page.lines(
            tabular,
            caption=escaped_latex(_on_one_line(caption)),
            label=self.label,
            # Bold numbers, in versions 2 and 3 of siunitx, and + before differences.
            setup=rf"\sisetup{{detect-weight=true,mode=text{plus}}}",
        )
        return "".join(f"{line}\n" for line in lines)

    @property
    def _columns(self) -> range:
        return range(len(self.head))

    def _kind(self, at: int) -> str:
        """Return the type of a column in LaTeX: words, numbers, or other text on the right."""
        if at < self.keys:
            return "l"
        numbers = [found for row in self.rows if (found := re.fullmatch(_NUMBER, row[at].text))]
        # siunitx takes the comma of 1,690 for a decimal one.
        if not numbers or any(re.fullmatch(_OF_THOUSANDS, row[at].text) for row in self.rows):
            return "r"
        before, after = (max(len(found[part] or "") for found in numbers) for part in (1, 2))
        sign = "-" if any(found[0][0] in "+-" for found in numbers) else ""
        return f"S[table-format={sign}{before}.{after}]"

    def _latex_cells(self, row: Sequence[Cell]) -> Iterator[str]:
        for at, one in enumerate(row):
            found = re.fullmatch(_NUMBER, one.text) if at >= self.keys else None
            text = escaped_latex(one.text)
            if found is None and at >= self.keys:
                text = re.sub(_MINUS, "$-$", text)
            if found is None:
                yield f"{{{text}}}" if self._kind(at).startswith("S") else _styled(text, one.place)
            elif one.place == SECOND:  # siunitx does not underline numbers
                digits = int(re.findall(r"\d+", self._kind(at))[0]) - len(found[1])
                missing = f"\\phantom{{{'0' * digits}}}" if digits else ""
                yield f"{{{missing}\\underline{{{text}}}}}"
            else:
                yield rf"\bfseries {text}" if one.place == BEST else text
            if any(other[at].marks for other in self.rows):
                yield rf"\textsuperscript{{{_raised(one.marks)}}}" if one.marks else ""


def _printable(given: Cell | str) -> Cell:
    one = Cell(given) if isinstance(given, str) else given
    if one.text.isprintable():
        return one
    kind = Name if isinstance(one.text, Name) else str
    return one._replace(text=kind(one_line(one.text)))


def _on_one_line(text: str) -> str:
    """Join lines, as an empty one would end a caption, and escape what would not be printed."""
    return one_line(" ".join(text.split()))


def escaped_latex(text: str) -> str:
    """Escape characters that are commands in LaTeX, or would end a row's options."""
    return text.translate(_LATEX_ESCAPES)


def _raised(marks: str) -> str:
    return escaped_latex(marks).replace("–", "--").replace(", ", ",")


def _styled(text: str, place: int) -> str:
    if place == BEST:
        return rf"\textbf{{{text}}}"
    return rf"\underline{{{text}}}" if place == SECOND else text


def places(
    values: Sequence[float], written: Sequence[str], *, more_is_better: bool = True
) -> list[int]:
    """Return the place of each value of a column: 1 for the best, 2 for the second best, else 0.

    Values that are written alike share a place. Without two different ones, there is none.
    """
    sign = 1.0 if more_is_better else -1.0
    known = [
        (sign * value, text)
        for value, text in zip(values, written, strict=True)
        if not math.isnan(value)
    ]
    order = [*dict.fromkeys(text for _, text in sorted(known, reverse=True))]
    if len(order) < 2:
        return [0] * len(written)
    by_text = {order[0]: BEST, order[1]: SECOND}
    return [by_text.get(text, 0) for text in written]
