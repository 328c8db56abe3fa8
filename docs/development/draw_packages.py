"""Draw the packages of rankmark by their imports: ``python docs/development/draw_packages.py``.

The floors are those that import-linter checks, in pyproject.toml. A package may import those on
lower floors; an arrow says that it imports one on its own floor, and is left out where a longer way
leads there.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rankmark"
PICTURE = ROOT / "docs" / "development" / "packages.svg"
TITLES = (
    "programs, and what stands outside",
    "what only some need: each could be a package of its own",
    "what users call: a room for each function",
    "other tools, and the scores of a run",
    "measures of one ranking, and of two",
    "tables, text and pictures of results",
    "judgments and runs in one form; mathematics",
    "words and types",
)
WIDTH, BOX, HEIGHT, GAP, BETWEEN, TITLE = 1080, 124, 32, 8, 30, 28
IMPORT = re.compile(r"^ *from rankmark\.(\w+)[\w.]* import ", re.MULTILINE)
Rows = list[list[str]]


def floors() -> Rows:
    """List the packages and modules of each floor, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["name"] == "arrows point down only")
    return [re.split(r"\s*[|:]\s*", floor) for floor in layers]


def imported(room: str) -> Iterator[str]:
    """Name the packages and modules that a package imports."""
    folder = SOURCE / room
    files = folder.rglob("*.py") if folder.is_dir() else [SOURCE / f"{room}.py"]
    for file in files:
        yield from IMPORT.findall(file.read_text(encoding="utf-8"))


def arrows(rooms: list[str]) -> dict[str, list[str]]:
    """Find which packages of a floor each one imports, without what it reaches through others."""
    direct = {room: {*imported(room)} & {*rooms} - {room} for room in rooms}

    def reached(room: str) -> set[str]:
        return direct[room].union(*map(reached, direct[room]))

    return {
        room: sorted(one for one in below if not any(one in reached(b) for b in below))
        for room, below in direct.items()
    }


def rows_of(below: dict[str, list[str]]) -> Rows:
    """Arrange the packages of a floor in rows, each above those that it imports."""

    def height(room: str) -> int:
        return 1 + max(map(height, below[room]), default=0)

    rows = [
        [room for room in sorted(below) if height(room) == level]
        for level in range(max(map(height, below)), 0, -1)
    ]
    joined = {room: [o for o in below if o in below[room] or room in below[o]] for room in below}
    place: dict[str, float] = {}
    for row in [*rows, rows[0]]:  # the first row again, above those that it imports
        row.sort(key=lambda room: _middle([place.get(one) for one in joined[room]]))
        place |= {room: at - (len(row) - 1) / 2 for at, room in enumerate(row)}
    return [part for row in rows for part in _fitting(row)]


def _fitting(row: list[str]) -> Rows:
    """Cut a row that is wider than the picture into rows of about the same length."""
    most = (WIDTH - 2 * GAP) // (BOX + GAP)
    length = math.ceil(len(row) / math.ceil(len(row) / most))
    return [row[at : at + length] for at in range(0, len(row), length)]


def _middle(places: list[float | None]) -> float:
    known = [place for place in places if place is not None]
    return sum(known) / len(known) if known else WIDTH


def drawn() -> str:
    """Draw the picture as SVG."""
    bands, boxes, lines = [], [], []
    top = GAP
    for title, rooms in zip(TITLES, floors(), strict=True):
        below = arrows(rooms)
        rows = rows_of(below)
        height = TITLE + len(rows) * HEIGHT + (len(rows) - 1) * BETWEEN + GAP
        bands.append(
            f'<rect class="floor" x="{GAP}" y="{top}" width="{WIDTH - 2 * GAP}" height="{height}"/>'
            f'<text class="title" x="{2 * GAP}" y="{top + 18}">{title}</text>'
        )
        place: dict[str, tuple[float, int]] = {}
        for number, row in enumerate(rows):
            left = (WIDTH - len(row) * (BOX + GAP) + GAP) / 2
            for at, room in enumerate(row):
                x, y = left + at * (BOX + GAP), top + TITLE + number * (HEIGHT + BETWEEN)
                place[room] = x + BOX / 2, y
                boxes.append(
                    f'<rect x="{x:.0f}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="6"/>'
                    f'<text x="{x + BOX / 2:.0f}" y="{y + HEIGHT / 2 + 4:.0f}">{room}</text>'
                )
        for room, others in below.items():
            x, y = place[room]
            for other in others:
                to_x, to_y = place[other]
                start, end = y + HEIGHT, to_y - 2
                bend = (end - start) / 2
                lines.append(
                    f'<path d="M{x:.0f} {start} C{x:.0f} {start + bend:.0f} '
                    f'{to_x:.0f} {end - bend:.0f} {to_x:.0f} {end}"/>'
                )
        top += height + GAP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img">',
            "<title>The packages of rankmark by floor, and imports within a floor</title>",
            "<style>rect{fill:#eef3f8;stroke:#4a6785}.floor{fill:#fafbfc;stroke:#dde4eb}"
            "text{font:11.5px sans-serif;fill:#1d2b3a;text-anchor:middle}"
            ".title{fill:#5b7186;text-anchor:start}"
            "path{fill:none;stroke:#8aa0b6;marker-end:url(#tip)}</style>",
            '<defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" '
            'markerHeight="6" orient="auto"><path d="M0 0 L6 3 L0 6 z" '
            'style="fill:#8aa0b6;stroke:none;marker-end:none"/></marker></defs>',
            '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>',
            *bands,
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
