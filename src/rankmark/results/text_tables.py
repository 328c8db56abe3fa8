"""Tables as text and Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Self

from rankmark.errors import one_line
from rankmark.named_tuples import NamedTuple
from rankmark.results.text_width import fitted, folded, left, right
from rankmark.results.text_width import width as width_of

BEST, SECOND = 1, 2
_STYLES = {BEST: "\x1b[1m", SECOND: "\x1b[4m"}
_PLAIN = "\x1b[0m"
_GAP = 2
_NARROWEST = 16  # columns to which words are folded before a table is broken into blocks
_SHORTEST = 8  # columns to which they are folded if one block would be too wide otherwise


class Name(str):
    """A cell that is written as code in Markdown."""

    __slots__ = ()


class Bar(str):
    """A cell with a number, which HTML shows with a bar.

    Parameters
    ----------
    text
        The number.
    share
        Its share of the greatest number in size, from -1 to 1.
    """

    __slots__ = ("share",)
    share: float

    def __new__(cls, text: str, share: float) -> Self:
        """Make a text with a share."""
        made = super().__new__(cls, text)
        made.share = share
        return made


class Cell(NamedTuple):
    """A cell of a table.

    Parameters
    ----------
    text
        What it says.
    place
        1 if it is the best of its column, 2 if it is the second best; else 0.
    marks
        Letters that are raised behind it, such as those of runs that it beats.
    """

    text: str
    place: int = 0
    marks: str = ""


def text(
    head: Sequence[str],
    rows: Iterable[Sequence[str | Cell] | str],
    words: int,
    *,
    width: int | None = None,
    ids: Collection[int] = (),
    attached: Collection[str] = (),
    styled: bool = False,
) -> str:
    """Format a table for a terminal.

    In a table that is too wide, headings take several lines, then words and ids are folded into
    several lines, and then the table is broken into blocks, each with the first columns. Nothing is
    left out.

    Parameters
    ----------
    head
        The names of the columns; empty for a table without.
    rows
        Cells, or a text that spans all columns.
    words
        The number of columns of words, which come first; the others are numbers.
    width
        The columns of a line; None for no limit.
    ids
        Other columns that may be folded.
    attached
        Names of columns that stay behind the column at their left, such as its interval.
    styled
        Whether the best values are bold, and the second best underlined.
    """
    body = [row if isinstance(row, str) else [*map(_cell, row)] for row in rows]
    names = [*map(one_line, head)]
    columns = [*zip(*(row for row in body if not isinstance(row, str)), strict=True)]
    columns = columns or [()] * len(names)
    raised = [max((width_of(cell.marks) for cell in column), default=0) for column in columns]
    widths = [
        max((width_of(cell.text) for cell in column), default=0) + marks
        for column, marks in zip(columns, raised, strict=True)
    ]
    natural = _with_names(widths, names, raised)
    blocks = [[*range(len(natural))]]
    if width is not None and _total(natural) > width:
        natural = _with_names(widths, names, raised, _NARROWEST)
        least = {at: min(natural[at], _NARROWEST) for at in {*range(words), *ids}}
        narrowed = _narrowed(natural, least, width - _GAP * (len(natural) - 1))
        if _total(narrowed) > width:
            first = [*range(max(words, 1))]
            follows = [bool(head) and head[at] in attached for at in range(len(natural))]
            groups = _groups(follows, len(first))
            sizes = [_GAP + _total([natural[at] for at in group]) for group in groups]
            keys = _narrowed(natural[: len(first)], least, width // 3)
            room = width - max(sizes, default=0) - _GAP * (len(first) - 1)
            keys = _narrowed(keys, dict.fromkeys(range(words), _SHORTEST), room)
            narrowed = [*keys, *natural[len(first) :]]
            blocks = _blocks(narrowed, first, groups, width)
        natural = narrowed
    looks = _Looks(natural, raised, words, width, styled)
    return "\n".join(
        "".join(f"{line.rstrip()}\n" for line in looks.lines(names, body, block))
        for block in blocks
    )


class _Looks(NamedTuple):
    """The columns of a table: their widths, and the widths of their marks."""

    widths: Sequence[int]
    raised: Sequence[int]
    words: int
    width: int | None
    styled: bool

    def lines(
        self, names: Sequence[str], rows: Sequence[Sequence[Cell] | str], columns: Sequence[int]
    ) -> Iterator[str]:
        """Yield the lines of a table with some of the columns.

        Columns that are left out are in other blocks, as are then the rows without any number here.
        """
        own = columns[max(self.words, 1) :]
        if names:
            heads = [folded(names[at], self.widths[at] - self.raised[at]) for at in columns]
            depth = max(map(len, heads))
            stacked = ([""] * (depth - len(lines)) + lines for lines in heads)
            for line in zip(*stacked, strict=True):
                parts = zip(columns, line, strict=True)
                yield (" " * _GAP).join(self._padded(part, at) for at, part in parts)
        for row in rows:
            if isinstance(row, str):
                yield fitted(row, self.width)
            elif not own or len(columns) == len(row) or any(row[at].text for at in own):
                yield from self._row([row[at] for at in columns], columns)

    def _row(self, cells: Sequence[Cell], columns: Sequence[int]) -> Iterator[str]:
        folds = [
            folded(cell.text, self.widths[at] - self.raised[at], _GAP)
            for cell, at in zip(cells, columns, strict=True)
        ]
        for number in range(max(map(len, folds))):
            parts = []
            for cell, at, fold in zip(cells, columns, folds, strict=True):
                part = fold[number] if number < len(fold) else ""
                shown = self._padded(part, at)
                if self.styled and cell.place and part:
                    shown = shown.replace(part, f"{_STYLES[cell.place]}{part}{_PLAIN}")
                parts.append(shown + left("" if number else cell.marks, self.raised[at]))
            yield (" " * _GAP).join(parts)

    def _padded(self, text: str, at: int) -> str:
        return (left if at < self.words else right)(text, self.widths[at] - self.raised[at])


def _cell(given: str | Cell) -> Cell:
    cell = Cell(given) if isinstance(given, str) else given
    return Cell(one_line(cell.text), cell.place, cell.marks)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _with_names(
    widths: Sequence[int], names: Sequence[str], raised: Sequence[int], most: int | None = None
) -> list[int]:
    """Widen columns for their names, or for the longest word of these, ``most`` columns of it."""
    if not names:
        return [*widths]
    needed = [*map(width_of, names)]
    if most is not None:
        needed = [min(max(map(width_of, name.split(" "))), most) for name in names]
    return [max(wide, name + r) for wide, name, r in zip(widths, needed, raised, strict=True)]


def _narrowed(widths: Sequence[int], least: dict[int, int], most: int) -> list[int]:
    """Narrow the widest of the columns in ``least`` until the sum of all is at most ``most``."""
    narrowed = list(widths)
    foldable = [at for at in least if at < len(widths)]
    while sum(narrowed) > most and (wider := [at for at in foldable if narrowed[at] > least[at]]):
        narrowed[max(wider, key=narrowed.__getitem__)] -= 1
    return narrowed


def _groups(attached: Sequence[bool], begin: int) -> list[list[int]]:
    """Return the columns behind the first ones, each with those that stay behind it."""
    groups: list[list[int]] = []
    for at in range(begin, len(attached)):
        if attached[at] and groups:
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


def _blocks(
    widths: Sequence[int], first: Sequence[int], groups: Sequence[Sequence[int]], width: int
) -> list[list[int]]:
    """Return the columns of each block, the first of which are the same."""
    blocks = [[*first]]
    for group in groups:
        is_begun = len(blocks[-1]) > len(first)
        if is_begun and _total([widths[at] for at in (*blocks[-1], *group)]) > width:
            blocks.append([*first])
        blocks[-1] += group
    return blocks


def markdown(head: Sequence[str], cells: Sequence[Sequence[str]], keys: int) -> str:
    """Format a table as Markdown."""
    rule = ["---" if column < keys else "---:" for column in range(len(head))]
    escaped = [[one_line(cell).replace("|", "\\|") for cell in line] for line in [head, *cells]]
    lines = [escaped[0], rule, *escaped[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
