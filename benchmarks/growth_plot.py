"""The plot of growth with rows: seconds of each tool by number of rows, both logarithmic."""

from collections import defaultdict
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from table import Row

OURS = "rankmark"


def draw(rows: Sequence[Row], path: Path) -> bool:
    """Draw the rows that have a size; False if there are none, or no matplotlib."""
    times: dict[str, dict[int, float]] = defaultdict(dict)
    for row in rows:
        if row.size is not None:
            times[OURS][row.size] = row.ours.median
            times[row.peer][row.size] = row.theirs.median
    if not times or find_spec("matplotlib") is None:
        return False

    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "rankmark", "font.size": 9}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        for name, points in sorted(times.items(), key=lambda tool: -tool[1][min(tool[1])]):
            sizes = sorted(points)
            width = 2.4 if name == OURS else 1.4
            seconds = [points[size] for size in sizes]
            axes.loglog(sizes, seconds, marker="o", ms=4, lw=width, label=name)
        sizes = sorted(times[OURS])
        axes.set_xticks(sizes, [_rows(size) for size in sizes], minor=False)
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g} s")
        axes.set_xlabel("rows of the run")
        axes.set_ylabel("time of the whole process")
        axes.legend(frameon=False)
        axes.grid(visible=True, which="major", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})
    return True


def _rows(size: int) -> str:
    return f"{size / 1e6:.0f}M" if size >= 1e6 else f"{size / 1e3:.0f}K"
