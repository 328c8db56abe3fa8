"""The chart of speed on the front page, from the figures that docs/evidence/benchmarks.md records.

``make bench`` draws it, and so does ``python benchmarks/speed_chart.py``.
"""

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
PAGE = DOCS / "evidence" / "benchmarks.md"
CHART = DOCS / "pictures" / "speed.svg"

WORK = "files, 7M rows"
LEFT_OUT = {"wc -l"}  # counts lines, and evaluates nothing
ROW = re.compile(
    rf"\| {WORK} \| ([\d.]+ m?s) [^|]*\| (?P<peer>[^|]+) \| (?P<time>[\d.]+ m?s) [^|]*"
    r"\| (?P<ratio>\d+)x \|"
)
WIDTH, LEFT, RIGHT, STEP, TOP = 680, 150, 170, 26, 34


def main() -> None:
    """Draw the chart."""
    CHART.write_text(drawn(recorded(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


def recorded(page: str) -> dict[str, tuple[str, str]]:
    """Return the time of each program, and how many times ours that is, the fastest first."""
    of_files = page.partition("## Files")[2].partition("\n## ")[0]
    rows = [row for row in ROW.finditer(of_files) if row["peer"] not in LEFT_OUT]
    of_peers = {row["peer"]: (row["time"], f", {row['ratio']} times as long") for row in rows}
    found = {"rankmark": (rows[0][1], "")} | of_peers
    return dict(sorted(found.items(), key=lambda one: seconds(one[1][0])))


def seconds(time: str) -> float:
    """Read a time such as 234 ms or 8.52 s."""
    number, unit = time.split()
    return float(number) / (1000 if unit == "ms" else 1)


def drawn(times: dict[str, tuple[str, str]]) -> str:
    """Write a bar for each program, as SVG."""
    longest = max(seconds(time) for time, _ in times.values())
    height = TOP + STEP * len(times) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" font-family="sans-serif" font-size="13">',
        "<title>The time that each program takes for the same evaluation</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        '<text x="12" y="20" fill="#555">7 million lines, nDCG@10, AP, RR@10 and R@100: '
        "time of the whole process</text>",
    ]
    for at, (name, (time, more)) in enumerate(times.items()):
        y = TOP + STEP * at
        length = (WIDTH - LEFT - RIGHT) * seconds(time) / longest
        style = 'fill="#222"' if more else 'fill="#222" font-weight="bold"'
        colour = "#b8b8b8" if more else "#0072b2"
        lines += [
            f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end" {style}>{name}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="16" fill="{colour}"/>',
            f'<text x="{LEFT + length + 6:.1f}" y="{y + 13}" {style}>{time}{more}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
