"""Shapes of which the pictures of the course are made, as parts of an SVG file.

A picture has a white card as its background, so that it can be read on light and on dark pages.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

PICTURES = Path(__file__).parent / "pictures"
STYLE = (
    "text{font:14px sans-serif;fill:#1d2b3a}"
    ".small{font-size:12px;fill:#4a5b6d}.strong{font-weight:bold}"
    ".middle{text-anchor:middle}.end{text-anchor:end}"
    ".card{fill:#fff;stroke:#c9d4df}"
    ".box{fill:#eef3f8;stroke:#4a6785}.relevant{fill:#cfe8d5;stroke:#2f7d4f;stroke-width:2.5}"
    ".unknown{fill:#fff;stroke:#8a6d1b;stroke-dasharray:4 3}"
    ".line{fill:none;stroke:#4a6785;stroke-width:1.5}.faint{fill:none;stroke:#c9d4df}"
    ".tie{fill:none;stroke:#b4491f;stroke-width:2}"
    ".blue,.green,.red,.gold{fill:none;stroke-width:2.5}"
    ".blue{stroke:#2b5d8c}.green{stroke:#2f7d4f}.red{stroke:#b4491f}.gold{stroke:#8a6d1b}"
    ".dot{fill:#fff}.dashed{stroke-dasharray:7 4}.dotted{stroke-dasharray:2 4}"
    ".outline{fill:#eef3f8;stroke:#8aa0b6}.bar{fill:#2f7d4f}.pale{fill:#c9d4df}"
    ".cardboard{fill:#e2c08f;stroke:#7a5630;stroke-width:1.5}"
    ".wood{fill:#b98a5a;stroke:#5e4022;stroke-width:1.5}"
    ".basket{fill:#eedd9a;stroke:#7d6a1e;stroke-width:1.5}"
    ".set{fill:none;stroke:#4a6785;stroke-width:2}.axis{fill:none;stroke:#1d2b3a}"
    ".area{fill:#cfe0f1;stroke:#4a6785;stroke-width:1.5}.mark{fill:#1d2b3a}"
    ".other{fill:#fbe6cf;stroke:#a05a12}.clicked{fill:none;stroke:#1d2b3a;stroke-width:3}"
    ".interval{fill:none;stroke:#1d2b3a;stroke-width:3}.tip{fill:#4a6785}"
    ".cat{fill:#55687b;stroke:#1d2b3a}.dog{fill:#8b5e3c;stroke:#3a2616}.eye{fill:#fff}"
)
Points = Sequence[tuple[float, float]]


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Write one line of text, starting at x or, by its kind, centred there or ending there."""
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{words}</text>'


def box(x: float, y: float, width: float, height: float, kind: str = "box", r: int = 6) -> str:
    """Draw a box with round corners of radius r."""
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" rx="{r}"/>'
    )


def circle(x: float, y: float, r: float, kind: str) -> str:
    """Draw a circle."""
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'


def path(points: Points, kind: str = "line") -> str:
    """Draw a line through points."""
    places = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="{kind}" d="M{places}"/>'


def arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    """Draw a line to the right or down, with a tip."""
    tip = f"M{to_x:.1f} {to_y:.1f} " + ("l-9 -5 v10 z" if to_x > x else "l-5 -9 h10 z")
    return path([(x, y), (to_x, to_y)]) + f'<path class="tip" d="{tip}"/>'


def shape(points: Points, kind: str) -> str:
    """Draw a closed shape with these corners."""
    return path(points, kind).replace('"/>', ' Z"/>')


def documents(
    ids: Sequence[str], x: float, y: float, labels: Mapping[str, float], width: float = 52
) -> list[str]:
    """Draw documents side by side: green if relevant, dashed if unjudged."""
    parts = []
    for place, one in enumerate(ids):
        kind = "unknown" if one not in labels else "relevant" if labels[one] > 0 else "box"
        left = x + place * (width + 8)
        parts += [
            box(left, y, width, 30, kind),
            text(left + width / 2, y + 20, one, "middle"),
        ]
    return parts


def chart(
    place: tuple[float, float, float, float],
    curves: Mapping[str, tuple[str, Sequence[float]]],
    across: str,
    top: float = 1,
) -> list[str]:
    """Draw curves over the ranks 1, 2, ..., with a dot at every rank and a name on the right.

    Place is the left and upper end of the axes, their width and their height. Each curve has a
    kind and a value for every rank, from 0 to top.
    """
    left, upper, width, height = place
    ranks = max(len(values) for _, values in curves.values())
    step = width / (ranks - 0.5)
    across_of = [left + step * (rank + 0.5) for rank in range(ranks)]
    parts = []
    for tenth in range(0, 11, 2 if height < 250 else 1):
        y = upper + height * (1 - tenth / 10)
        parts += [
            path([(left, y), (left + width, y)], "faint"),
            text(left - 8, y + 4, f"{top * tenth / 10:g}", "small end"),
        ]
    parts += [
        text(x, upper + height + 18, str(rank), "small middle")
        for rank, x in enumerate(across_of, 1)
    ]
    parts.append(text(left + width / 2, upper + height + 38, across, "small middle"))
    ends: list[float] = []
    for name, (kind, values) in sorted(curves.items(), key=lambda one: one[1][1][-1]):
        points = [
            (x, upper + height * (1 - value / top))
            for x, value in zip(across_of, values, strict=False)
        ]
        parts.append(path(points, kind))
        parts += [circle(x, y, 3.5, f"{kind.split()[0]} dot") for x, y in points]
        end = points[-1][1] + 5
        if ends:
            end = min(end, ends[-1] - 18)
        ends.append(end)
        parts.append(text(left + width + 8, end, name))
    return parts


def save(name: str, title: str, width: int, height: int, parts: Sequence[str]) -> None:
    """Write a picture on a white card, with a title for those who cannot see it."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        box(0.5, 0.5, width - 1, height - 1, "card"),
        *parts,
        "</svg>",
        "",
    ]
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / name).write_text("\n".join(lines), encoding="utf-8")
