"""Figures and their one style: quiet, and told apart without colour."""

from __future__ import annotations

import io
import textwrap
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, get_args

from rankmark.errors import InputError, MissingDependencyError, warn
from rankmark.formatting.text_width import cut
from rankmark.formatting.text_width import width as width_of

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
_REST = 0.38  # of ink on paper: runs that stand back
_SMALLEST = (0.8, 0.6)  # inches of a drawing without the words around it
_LOWEST_ROW = 4.0  # points

# SVG keeps text as text, and names its parts the same in each run.
_FILES = {"svg.fonttype": "none", "svg.hashsalt": "rankmark", "pdf.fonttype": 42}
_NO_DATES: dict[Format, dict[str, None]] = {
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None},
}
_DOTS_PER_INCH = 300
_LETTER = 0.57  # width of a letter in widths of an m, on average
_SMALLER = (1.0, 0.85, 0.7, 0.55)  # text of a legend that takes too much room
_CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0))}


def colour(ax: Axes, number: int) -> Any:
    """Return the colour of one thing among several, numbered from 0; the first has the text's."""
    at = number % len(COLOURS)
    return COLOURS[at] if at else ink(ax)


def ink(ax: Axes) -> Any:
    """Return the colour of text: black, unless a style is dark."""
    return ax.xaxis.label.get_color()


def paper(ax: Axes) -> Any:
    """Return the colour behind a drawing."""
    return ax.get_facecolor()


def faint(ax: Axes) -> Any:
    """Return the colour of what is hardly there, such as a grid."""
    return _mixed(ax, 0.11)


def run_colour(ax: Axes, number: int | None) -> Any:
    """Return the colour of a run by its number; grey where it stands back."""
    return _mixed(ax, _REST) if number is None else colour(ax, number)


def _mixed(ax: Axes, share: float) -> Any:
    """Return a share of ink on paper."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    pairs = zip(to_rgb(ink(ax)), to_rgb(paper(ax)), strict=True)
    return tuple(share * of_ink + (1 - share) * of_paper for of_ink, of_paper in pairs)


def name_rows(ax: Axes, names: Sequence[str], numbers: Sequence[int | None]) -> None:
    """Write the name of a run beside each row, smaller where rows are low.

    Raises
    ------
    InputError
        If rows are too low for any name.
    """
    room = inches(ax)[1] * 72.0 / len(names)
    if room < _LOWEST_ROW:
        raise InputError(
            f"{len(names)} runs leave {room:.1f} points for a row, which nobody reads; make the "
            "picture higher, or draw fewer runs"
        )
    size = min(font_size(ax), room / 1.1)
    ax.set_yticks(range(len(names)), [fitted(ax, one, 0.5) for one in names], fontsize=size)
    labels = ax.get_yticklabels()
    unparsed(labels)
    for label, number in zip(labels, numbers, strict=True):
        if number is None:
            label.set_color(GREY)


def marker(number: int) -> str:
    """Return its marker."""
    return MARKERS[number % len(MARKERS)]


@contextmanager
def axes(given: Axes | None) -> Iterator[Axes]:
    """Return Axes to draw on: those given, or those of a new figure of pyplot, as notebooks show.

    Nobody's settings change.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    InputError
        If what is given is something else than Axes.
    """
    require_matplotlib()
    from matplotlib.axes import Axes  # noqa: PLC0415

    if isinstance(given, Axes):
        yield given
        return
    if given is not None:
        raise InputError(
            f"ax is a {type(given).__name__}; need one Axes, as plt.subplots() makes, or None"
        )
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
    InputError
        If the words leave no room for the drawing, or it would be too small to be read.
    """
    require_matplotlib()
    from matplotlib import style  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with (
        warnings.catch_warnings(record=True) as said,
        style.context(["default", _FILES | _style(size[0])]),
    ):
        warnings.simplefilter("always")
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
        draw(ax)
        figure.draw_without_rendering()
        _refuse_smaller(ax, size, said)
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=_DOTS_PER_INCH, metadata=_NO_DATES[form])
    for one in said:
        _pass_on(one, form)
    return out.getvalue()


def _refuse_smaller(
    ax: Axes, size: tuple[float, float], said: Sequence[warnings.WarningMessage]
) -> None:
    """Refuse a drawing that is too small to be read once the words around it have their room."""
    box = ax.get_window_extent()
    width, height = box.width / ax.figure.dpi, box.height / ax.figure.dpi
    collapsed = any("collapsed to zero" in str(one.message) for one in said)
    if collapsed or width < _SMALLEST[0] or height < _SMALLEST[1]:
        raise InputError(
            f"words leave no room for a drawing in {size[0]:g}x{size[1]:g} inches; make it larger, "
            "or give runs shorter names"
        )


def _pass_on(said: warnings.WarningMessage, form: Format) -> None:
    """Say in our words what matplotlib warned of."""
    message = str(said.message)
    if "missing from" not in message:
        warnings.warn_explicit(said.message, said.category, said.filename, said.lineno)
    elif form != "svg":  # the text of SVG is drawn by whoever shows it, in fonts of theirs
        warn(
            f"the font lacks some letters of names or ids, which {form} shows as boxes; svg keeps "
            "them",
        )


def framed(
    ax: Axes,
    title: str,
    x_label: str,
    y_label: str,
    legend: Sequence[tuple[Artist, str]] = (),
) -> None:
    """Set words around a drawing: a title, a legend under it, and what the axes are."""
    size = font_size(ax)
    width, height = (max(int(side * 72.0 / size / _LETTER), 16) for side in inches(ax))
    ax.set_xlabel(_wrapped(x_label, width), parse_math=False)
    ax.set_ylabel(_wrapped(y_label, height), parse_math=False)
    pad = 6.0 + (_add_legend(ax, legend) if legend else 0.0)
    ax.set_title(_wrapped(title, width), loc="left", pad=pad, fontsize=size, parse_math=False)
    if not title and legend:
        ax.set_title(" ", loc="left", pad=pad - size, fontsize=1, parse_math=False)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)


def shown(text: str) -> str:
    """Make a text that any font can try: control characters, and what is no UTF-8, are escaped."""
    return text.translate(_CONTROLS).encode("utf-8", "backslashreplace").decode("utf-8")


def fitted(ax: Axes, name: str, share: float) -> str:
    """Cut a name so that it takes a share of the axes' width at most, or 16 letters."""
    room = share * inches(ax)[0] * 72.0 / font_size(ax) / _LETTER
    return cut(shown(name), max(int(room), 16))


def unparsed(texts: Sequence[Text]) -> None:
    """Take dollar signs in ids and names for themselves, not for mathematics."""
    for text in texts:
        text.set_parse_math(False)


def font_size(ax: Axes) -> float:
    """Return the size of the axes' labels in points."""
    return float(ax.xaxis.label.get_fontsize())


def count_along(ax: Axes) -> None:
    """Let the horizontal axis count: whole numbers, thousands set apart."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter("{x:,.0f}")


def inches(ax: Axes) -> tuple[float, float]:
    """Return the width and the height of Axes, as far as they are known before layout."""
    figure, box = ax.figure, ax.get_position()
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    if len(figure.axes) == 1:
        taken = 5.0 * font_size(ax) / 72.0  # by numbers and labels
        return width - taken, height - taken
    return width * box.width, height * box.height


def _wrapped(text: str, room: int) -> str:
    """Break a text into lines of so many letters, behind commas where that will do."""
    *parts, last = shown(text).split(", ")
    lines = [""]
    for part in [*(part + "," for part in parts), last]:
        longer = f"{lines[-1]} {part}".lstrip()
        if len(longer) <= room:
            lines[-1] = longer
        else:
            lines += textwrap.wrap(part, room)
    return "\n".join(line for line in lines if line)


def _add_legend(ax: Axes, entries: Sequence[tuple[Artist, str]]) -> float:
    """Put a legend between title and drawing, and say how high it is, in points."""
    names = [shown(name) for _, name in entries]
    width, height = (side * 72.0 for side in inches(ax))
    for share in _SMALLER:
        size = share * font_size(ax)
        room = width / size  # in widths of an m
        fit = max(1, min(len(names), int(room / (_LETTER * max(map(width_of, names)) + 4.6))))
        rows = -(-len(names) // fit)
        taken = rows * 1.45 * size
        if taken <= 0.4 * height:
            break
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
        fontsize=size,
    )
    # Set afterwards, as matplotlib leaves out what begins with an underscore.
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
    return taken


def _style(width: float) -> Any:
    """Return what a new figure looks like: text grows with its width, from print to slides."""
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
