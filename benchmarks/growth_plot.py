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
        for name, points in sorted(times.items(), key=lambda tool: -max(tool[1].values())):
            sizes = sorted(points)
            width = 2.4 if name == OURS else 1.4
            axes.loglog(sizes, [points[size] for size in sizes], marker="o", ms=4, lw=width)
            axes.annotate(
                name,
                (sizes[-1], points[sizes[-1]]),
                xytext=(6, 0),
                textcoords="offset points",
                va="center",
                weight="bold" if name == OURS else "normal",
            )
        axes.set_xlabel("rows of the run")
        axes.set_ylabel("seconds, whole process")
        axes.margins(x=0.2)
        axes.grid(visible=True, which="major", color="0.9")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})
    return True
