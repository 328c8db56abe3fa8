"""Figures and their one style: quiet, and told apart without colour."""

from __future__ import annotations

import io
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, get_args

from rankmark.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)
SIZE = (6.0, 4.0)
"""Width and height of a figure where nobody says, in inches."""

# Okabe and Ito's colours without yellow, which is too light for a line: they differ for the
# colour-blind. Grey does not keep them apart, so lines differ in marker and dashes as well.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (9, 3)))
GREY = "#767676"
LIGHT = "#e3e3e3"

# SVG keeps text as text, and names its parts the same in each run.
_FILES = {"svg.fonttype": "none", "svg.hashsalt": "rankmark", "pdf.fonttype": 42}
_NO_DATES: dict[Format, dict[str, None]] = {
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None},
}
_DOTS_PER_INCH = 300
_LETTER = 0.57  # width of a letter in widths of an m, on average


def colour(number: int) -> str:
    """Give the colour of one thing among several, numbered from 0."""
    return COLOURS[number % len(COLOURS)]


def marker(number: int) -> str:
    """Give its marker."""
    return MARKERS[number % len(MARKERS)]


@contextmanager
def axes(given: Axes | None) -> Iterator[Axes]:
    """Give Axes to draw on: those given, or those of a new figure of pyplot, as notebooks show.

    Nobody's settings change.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    if given is not None:
        yield given
        return
    require_matplotlib()
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib import pyplot as plt  # noqa: PLC0415

    with mpl.rc_context(_style(SIZE[0])):
        _, made = plt.subplots(figsize=SIZE, layout="constrained")
        yield made


def as_file(draw: Callable[[Axes], object], form: Format, size: tuple[float, float]) -> bytes:
    """Draw on a new figure of a size in inches, and give the bytes of a file.

    The same drawing gives the same bytes, whatever matplotlib's settings are here.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib import style  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with style.context(["default", _FILES | _style(size[0])]):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.add_subplot())
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=_DOTS_PER_INCH, metadata=_NO_DATES[form])
    return out.getvalue()


def framed(
    ax: Axes,
    title: str,
    x_label: str,
    y_label: str,
    legend: Sequence[tuple[Artist, str]] = (),
) -> None:
    """Set words around a drawing: a title, a legend under it, and what the axes are."""
    size = font_size(ax)
    ax.set_xlabel(shown(x_label), parse_math=False)
    ax.set_ylabel(shown(y_label), parse_math=False)
    room = _width(ax) * 72.0 / size  # in widths of an m
    rows = _add_legend(ax, legend, room) if legend else 0
    lines = _wrapped(shown(title), max(int(room / _LETTER), 16))
    pad = 6.0 + rows * 1.45 * size
    ax.set_title("\n".join(lines), loc="left", pad=pad, fontsize=size, parse_math=False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)


def shown(text: str) -> str:
    """Make a text that any font can try: an id that is no UTF-8 is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def unparsed(texts: Sequence[Text]) -> None:
    """Take dollar signs in ids and names for themselves, not for mathematics."""
    for text in texts:
        text.set_parse_math(False)


def font_size(ax: Axes) -> float:
    """Give the size of the axes' labels in points."""
    return float(ax.xaxis.label.get_fontsize())


def count_along(ax: Axes) -> None:
    """Let the horizontal axis count: whole numbers, thousands set apart."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter("{x:,.0f}")


def inches(ax: Axes) -> tuple[float, float]:
    """Give the width and the height of Axes, as far as they are known before layout."""
    figure, box = ax.figure, ax.get_position()
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    if len(figure.axes) == 1:
        taken = 5.0 * font_size(ax) / 72.0  # by numbers and labels
        return width - taken, height - taken
    return width * box.width, height * box.height


def _width(ax: Axes) -> float:
    return inches(ax)[0]


def _wrapped(title: str, room: int) -> list[str]:
    """Break a title into lines of so many letters, behind commas where that will do."""
    *parts, last = title.split(", ")
    lines = [""]
    for part in [*(part + "," for part in parts), last]:
        longer = f"{lines[-1]} {part}".lstrip()
        if len(longer) <= room:
            lines[-1] = longer
        else:
            lines += textwrap.wrap(part, room)
    return [line for line in lines if line]


def _add_legend(ax: Axes, entries: Sequence[tuple[Artist, str]], room: float) -> int:
    """Put a legend between title and drawing, and say how many rows it has."""
    names = [shown(name) for _, name in entries]
    fit = max(1, min(len(names), int(room / (_LETTER * max(map(len, names)) + 4.6))))
    rows = -(-len(names) // fit)
    columns = -(-len(names) // rows)
    legend = ax.legend(
        [handle for handle, _ in entries],
        [f"{number}" for number in range(len(names))],
        ncols=columns,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        borderpad=0.2,
        labelspacing=0.3,
        columnspacing=1.2,
        handlelength=2.6,
        frameon=False,
        fontsize=font_size(ax),
    )
    # Set afterwards, as matplotlib leaves out what begins with an underscore.
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
    return rows


def _style(width: float) -> Any:
    """Give what a new figure looks like: text grows with its width, from print to slides."""
    size = min(max(7.5 + (width - 3.3) * 0.7, 7.0), 11.0)
    return {
        "font.size": size,
        "axes.titlesize": size,
        "axes.labelsize": size,
        "xtick.labelsize": size - 0.5,
        "ytick.labelsize": size - 0.5,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
    }


def require_matplotlib() -> None:
    """Raise MissingDependencyError if matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401, PLC0415
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", "a picture") from None
