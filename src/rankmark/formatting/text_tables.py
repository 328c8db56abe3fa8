"""Tables as text, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence

from rankmark.errors import one_line
from rankmark.formatting.text_width import left, right, width


def separated(head: Iterable[object], rows: Iterable[tuple[Sequence[str], Sequence[float]]]) -> str:
    """Format rows of words and numbers as CSV, numbers in full, NaN as empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for words, numbers in rows:
        writer.writerow([*words, *("" if math.isnan(x) else repr(x) for x in numbers)])
    return out.getvalue()


def text(head: Sequence[str], cells: Sequence[Sequence[str]], keys: int) -> str:
    """Format a table for a terminal; the first ``keys`` columns are words, the others numbers."""
    rows = [[*map(one_line, line)] for line in ([head, *cells] if head else cells)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for line in rows:
        padded = [
            left(cell, most) if column < keys else right(cell, most)
            for column, (cell, most) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip() + "\n")
    return "".join(lines)


def markdown(head: Sequence[str], cells: Sequence[Sequence[str]], keys: int) -> str:
    """Format a table as Markdown."""
    rule = ["---" if column < keys else "---:" for column in range(len(head))]
    escaped = [[one_line(cell).replace("|", "\\|") for cell in line] for line in [head, *cells]]
    lines = [escaped[0], rule, *escaped[1:]]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
