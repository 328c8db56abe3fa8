"""Draw the packages of rankmark by their imports: ``python docs/draw_packages.py``.

The floors are those that import-linter checks, in pyproject.toml. An arrow says that a package
imports another one; it is left out where a longer way leads there.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rankmark"
PICTURE = ROOT / "docs" / "packages.svg"
WIDTH, FLOOR, HEIGHT, GAP = 960, 76, 34, 16


def floors() -> list[list[str]]:
    """List the packages and modules of each floor, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (
        one["layers"] for one in contracts if one["type"] == "layers" and "containers" not in one
    )
    return [[name.strip().removeprefix("rankmark.") for name in f.split("|")] for f in layers]


def imported(room: str) -> Iterator[str]:
    """Name the packages and modules that a package imports."""
    folder = SOURCE / room
    files = folder.rglob("*.py") if folder.is_dir() else [SOURCE / f"{room}.py"]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rankmark."):
                yield str(node.module).split(".")[1]


def arrows(rooms: list[str]) -> dict[str, set[str]]:
    """Find what each package imports, without what it reaches through others."""
    direct = {room: {*imported(room)} & {*rooms} - {room} for room in rooms}
    reached: dict[str, set[str]] = {}
    for room in reversed(rooms):
        reached[room] = direct[room].union(*(reached.get(one, set()) for one in direct[room]))
    return {
        room: {one for one in below if not any(one in reached[other] for other in below - {one})}
        for room, below in direct.items()
    }


def drawn() -> str:
    """Draw the picture as SVG."""
    storeys = floors()
    box: dict[str, tuple[float, float, float]] = {}
    for floor, rooms in enumerate(storeys):
        width = (WIDTH - GAP) / len(rooms) - GAP
        narrow = min(width, 170.0)
        left = (WIDTH - len(rooms) * (narrow + GAP) + GAP) / 2
        for place, room in enumerate(rooms):
            box[room] = left + place * (narrow + GAP), GAP + floor * FLOOR, narrow
    order = [room for rooms in storeys for room in rooms]
    lines = []
    for room, below in arrows(order).items():
        x, y, width = box[room]
        for other in sorted(below):
            to_x, to_y, to_width = box[other]
            start, end = (x + width / 2, y + HEIGHT), (to_x + to_width / 2, to_y - 2)
            bend = (end[1] - start[1]) / 2
            lines.append(
                f'<path d="M{start[0]:.0f} {start[1]:.0f} C{start[0]:.0f} {start[1] + bend:.0f} '
                f'{end[0]:.0f} {end[1] - bend:.0f} {end[0]:.0f} {end[1]:.0f}"/>'
            )
    boxes = [
        f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{x + width / 2:.0f}" y="{y + HEIGHT / 2 + 4:.0f}">{room}</text>'
        for room, (x, y, width) in box.items()
    ]
    height = 2 * GAP + (len(storeys) - 1) * FLOOR + HEIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            "<title>The packages of rankmark, and which imports which</title>",
            "<style>rect{fill:#eef3f8;stroke:#4a6785}text{font:13px sans-serif;fill:#1d2b3a;"
            "text-anchor:middle}path{fill:none;stroke:#8aa0b6;marker-end:url(#tip)}</style>",
            '<defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" '
            'markerHeight="6" orient="auto"><path d="M0 0 L6 3 L0 6 z" '
            'style="fill:#8aa0b6;stroke:none;marker-end:none"/></marker></defs>',
            '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>',
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
