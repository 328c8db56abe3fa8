"""Figures and their style, readable without colour."""

from __future__ import annotations

import io
import textwrap
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from rankmark.errors import ESCAPED, InputError, MissingDependencyError, warn
from rankmark.results.text_width import cut, cut_apart
from rankmark.results.text_width import width as width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.text import Text

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)
SIZE = (6.0, 4.0)
"""Default width and height of a figure, in inches."""

# Black for the baseline, and Okabe and Ito's colours, which differ for the colour-blind, with wine
# in place of yellow, which is too light for a line. They do not differ in print without colour, so
# lines also differ in marker and dashes.
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#882255")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (9, 3)))
GREY = "#767676"
_REST = 0.38  # share of ink on paper for runs without a colour
_SMALLEST = (0.8, 0.6)  # inches of a drawing without the text around it
_LOWEST_ROW = 4.0  # points

# SVG keeps text as text, and has reproducible ids.
_FILES = {"svg.fonttype": "none", "svg.hashsalt": "rankmark", "pdf.fonttype": 42}
_NO_DATES: dict[Format, dict[str, None]] = {
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None},
}
LETTER = 0.57
"""The average width of a letter, in widths of an m."""
_DOTS_PER_INCH = 300
_SMALLER = (1.0, 0.85, 0.7, 0.55)  # sizes of the text of a legend, until it fits
_LONG_LEGEND = 3  # names below each other, of which more are shortened to stand in two columns
_LONGEST_NAME = 40  # letters
_CAPTION = "rankmark: caption"  # label of the text, not drawn
_OF_CAPTION = 0.88  # its size
_CONTROLS = {code: repr(chr(code))[1:-1] for code in (*range(0x20), *range(0x7F, 0xA0))}


class Heading(NamedTuple):
    """What stands above and below a drawing.

    Parameters
    ----------
    title
        One line above the drawing. Parts between commas that do not fit begin the caption.
    caption
        How the drawing is to be read, and how its values were found, in small letters below it.
    """

    title: str = ""
    caption: str = ""

    def fitted(self, room: int) -> Heading:
        """Return a title of at most so many letters, and what is left of it in the caption."""
        line, *others = shown(self.title).split(", ")
        while others and width_of(f"{line}, {others[0]}") <= room:
            line += f", {others.pop(0)}"
        below = filter(None, [", ".join(others), shown(self.caption)])
        return Heading(cut(line, room), "; ".join(below))


MOST_RUNS = len(COLOURS) - 1
"""Runs with a colour besides black, which is the baseline's."""
BEST_RUNS = 6
"""Runs with a colour, if there are too many for all."""


def coloured_runs(
    names: Sequence[str], best: Sequence[int], baseline: str | None = None
) -> list[int | None]:
    """Return a number for each run with a colour, and None for grey ones.

    All have one if there are enough colours, or else the baseline and the best, of whose numbers
    ``best`` is a list, the best first. The baseline's is 0, which is black, and that of no other.
    """
    chosen = set(range(len(names)))
    if len(names) > MOST_RUNS:
        first = [] if baseline is None else [names.index(baseline)]
        chosen = set([*first, *(run for run in best if run not in first)][:BEST_RUNS])
    return numbered(names, chosen, baseline)


def numbered(
    names: Sequence[str], chosen: set[int], baseline: str | None = None
) -> list[int | None]:
    """Return numbers from 1 for the chosen runs, in the order of their names; 0 for a baseline."""
    in_order = sorted(chosen, key=lambda run: (names[run], run))
    numbers = [in_order.index(run) + 1 if run in chosen else None for run in range(len(names))]
    if baseline is not None and names.index(baseline) in chosen:
        numbers[names.index(baseline)] = 0
    return numbers


def colour(ax: Axes, number: int) -> Any:
    """Return the colour with a number: from 1, or that of the text for 0, the baseline."""
    return COLOURS[(number - 1) % (len(COLOURS) - 1) + 1] if number else ink(ax)


def ink(ax: Axes) -> Any:
    """Return the colour of text: black, unless a style is dark."""
    return ax.xaxis.label.get_color()


def paper(ax: Axes) -> Any:
    """Return the colour behind a drawing."""
    return ax.get_facecolor()


def faint(ax: Axes) -> Any:
    """Return a faint colour, such as for a grid."""
    return _mixed(ax, 0.11)


def run_colour(ax: Axes, number: int | None) -> Any:
    """Return the colour of a run by its number; grey for None."""
    return _mixed(ax, _REST) if number is None else colour(ax, number)


def _mixed(ax: Axes, share: float) -> Any:
    """Return a mixture of ink and paper."""
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    pairs = zip(to_rgb(ink(ax)), to_rgb(paper(ax)), strict=True)
    return tuple(share * of_ink + (1 - share) * of_paper for of_ink, of_paper in pairs)


def name_rows(
    ax: Axes, names: Sequence[str], numbers: Sequence[int | None], share: float = 0.5
) -> None:
    """Write the name of a run beside each row, smaller if rows are low.

    ``share`` is the share of the axes' width that the longest name may take.

    Raises
    ------
    InputError
        If rows are too low for any name.
    """
    room = inches(ax)[1] * 72.0 / len(names)
    if room < _LOWEST_ROW:
        raise InputError(
            f"{len(names)} runs leave {room:.1f} points for a row, which is illegible",
            "make the picture higher, or draw fewer runs",
        )
    size = min(font_size(ax), room / 1.1)
    ax.set_yticks(range(len(names)), fitted_names(ax, names, share), fontsize=size)
    labels = ax.get_yticklabels()
    unparsed(labels)
    for label, number in zip(labels, numbers, strict=True):
        if number is None:
            label.set_color(GREY)


def beside(ax: Axes) -> float:
    """Return the width in points of names that were written beside rows."""
    labels = ax.get_yticklabels()
    longest = max((width_of(label.get_text()) for label in labels), default=0)
    return longest * LETTER * float(labels[0].get_fontsize()) if longest else 0.0


def marker(number: int) -> str:
    """Return the marker with a number."""
    return MARKERS[number % len(MARKERS)]


@contextmanager
def axes(given: Axes | None, size: tuple[float, float] = SIZE) -> Iterator[Axes]:
    """Yield Axes to draw on: those given, or those of a new pyplot figure, as shown in notebooks.

    ``size`` is the width and height of a new figure in inches.

    Settings of matplotlib do not change.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    InputError
        If the argument is not Axes.
    """
    require_matplotlib()
    from matplotlib.axes import Axes  # noqa: PLC0415

    if isinstance(given, Axes):
        yield given
        return
    if given is not None:
        raise InputError(
            f"ax is a {type(given).__name__}", "need one Axes, as plt.subplots() makes, or None"
        )
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib import pyplot as plt  # noqa: PLC0415

    # The first figure chooses pyplot's backend, which sets what notebooks show; in the context,
    # these settings would be undone, and no figure would be shown.
    figure = plt.figure(figsize=size, layout="constrained")
    with mpl.rc_context(_style(size[0])):
        yield figure.add_subplot()


def as_file(draw: Callable[[Axes], Axes | None], form: Format, size: tuple[float, float]) -> bytes:
    """Draw on a new figure of a size in inches, and return the bytes of a file.

    ``draw`` may replace the Axes by others, and return the first of them.
    The bytes do not depend on matplotlib's settings.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    InputError
        If the text leaves no room for the drawing, or it would be illegible.
    """
    require_matplotlib()
    from matplotlib import style  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with (
        warnings.catch_warnings(record=True) as caught,
        style.context(["default", _FILES | _style(size[0])]),
    ):
        warnings.simplefilter("always")
        figure = Figure(figsize=size, layout="constrained")
        ax = figure.add_subplot()
        ax = draw(ax) or ax
        figure.draw_without_rendering()
        _refuse_smaller(ax, size, caught)
        out = io.BytesIO()
        figure.savefig(out, format=form, dpi=_DOTS_PER_INCH, metadata=_NO_DATES[form])
    for warning in caught:
        _pass_on(warning, form)
    return out.getvalue()


def _refuse_smaller(
    ax: Axes, size: tuple[float, float], caught: Sequence[warnings.WarningMessage]
) -> None:
    """Refuse a drawing that is illegible because of the text around it."""
    box = ax.get_window_extent()
    width, height = box.width / ax.figure.dpi, box.height / ax.figure.dpi
    collapsed = any("collapsed to zero" in str(warning.message) for warning in caught)
    if collapsed or width < _SMALLEST[0] or height < _SMALLEST[1]:
        raise InputError(
            f"text leaves no room for a drawing in {size[0]:g}x{size[1]:g} inches",
            "make it larger, or give runs shorter names",
        )


def _pass_on(warning: warnings.WarningMessage, form: Format) -> None:
    """Repeat matplotlib's warning, in our words if it is about fonts."""
    if "missing from" not in str(warning.message):
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    elif form != "svg":  # viewers of SVG use their own fonts
        warn(
            f"some letters of names or ids are missing from the font, and {form} shows them as "
            "boxes",
            "svg keeps them",
        )


def framed(
    ax: Axes,
    title: Heading | str,
    x_label: str,
    y_label: str,
    legend: Sequence[tuple[Artist, str]] = (),
) -> None:
    """Add a title, a legend below it, labels of the axes, and a caption below these."""
    size = font_size(ax)
    width, height = (letters_across(side, size) for side in inches(ax))
    ax.set_xlabel(wrapped(x_label, width), parse_math=False)
    ax.set_ylabel(wrapped(y_label, height), parse_math=False)
    pad = 6.0 + (_add_legend(ax, legend) if legend else 0.0)
    heading = _heading(title).fitted(width)
    ax.set_title(heading.title, loc="left", pad=pad, fontsize=size, parse_math=False)
    if not heading.title and legend:
        ax.set_title(" ", loc="left", pad=pad - size, fontsize=1, parse_math=False)
    _add_caption(ax, _filled(heading.caption, width))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set_axisbelow(True)


def _heading(title: Heading | str) -> Heading:
    return title if isinstance(title, Heading) else Heading(title)


def _add_caption(ax: Axes, caption: str) -> None:
    """Write a caption below the label of the horizontal axis, instead of an earlier one."""
    for old in [text for text in ax.texts if text.get_label() == _CAPTION]:
        old.remove()
    if not caption:
        return
    label = ax.xaxis.label
    is_below = ax.xaxis.get_label_position() == "bottom"
    added = ax.annotate(
        caption,
        (0.0, 0.0),
        xycoords=("axes fraction", label if is_below else "axes fraction"),
        xytext=(0.0, -5.0),
        textcoords="offset points",
        ha="left",
        va="top",
        annotation_clip=False,
        **_caption_style(ax),
    )
    added.set_label(_CAPTION)


def _filled(caption: str, letters: int) -> str:
    """Break a caption into lines as long as so many letters of the title."""
    return "\n".join(textwrap.wrap(shown(caption), int(letters / _OF_CAPTION)))


def _caption_style(ax: Axes) -> dict[str, Any]:
    return {"fontsize": _OF_CAPTION * font_size(ax), "color": GREY, "parse_math": False}


def headed(ax: Axes, title: Heading | str) -> Heading:
    """Add the title and the caption of a figure with one drawing; return what is to be framed.

    They begin at the left of the figure, where a drawing with names at its sides is narrow. In a
    figure with several drawings, or without a layout that leaves room, all is to be framed.
    """
    figure: Any = ax.figure
    heading = _heading(title)
    if not heading.title or len(figure.axes) > 1 or figure.get_layout_engine() is None:
        return heading
    size = font_size(ax)
    room = letters_across(0.98 * figure.bbox.width / figure.dpi, size)
    heading = heading.fitted(room)
    style: dict[str, Any] = {"x": 0.01, "ha": "left"}
    figure.suptitle(heading.title, fontsize=size, parse_math=False, **style)
    figure.supxlabel(_filled(heading.caption, room), **style, **_caption_style(ax))
    return Heading()


def split(ax: Axes, number: int, abreast: int, **options: Any) -> list[Axes]:
    """Replace the only Axes of a figure by so many, with ``abreast`` in a row."""
    figure: Any = ax.figure
    ax.remove()
    grid = figure.add_gridspec(-(-number // abreast), abreast)
    parts: list[Axes] = []
    for at in range(number):
        shared = {side: parts[0] if parts else None for side, is_on in options.items() if is_on}
        parts.append(figure.add_subplot(grid[at // abreast, at % abreast], **shared))
    return parts


def shown(text: str) -> str:
    """Escape control characters and bytes that are not UTF-8."""
    return text.translate(_CONTROLS).encode("utf-8", ESCAPED).decode("utf-8")


def fitted(ax: Axes, name: str, share: float) -> str:
    """Shorten a name to a share of the axes' width, or 16 letters if that is less."""
    return fitted_names(ax, [name], share)[0]


def fitted_names(ax: Axes, names: Sequence[str], share: float) -> list[str]:
    """Shorten names as ``fitted`` does, so that they still differ."""
    room = int(share * inches(ax)[0] * 72.0 / font_size(ax) / LETTER)
    return cut_apart([*map(shown, names)], min(max(room, 16), _LONGEST_NAME))


def name_columns(ax: Axes, names: Sequence[str], room: float) -> bool:
    """Write names below columns 1, 2, ... if there is room for all, and return whether there is.

    They are upright where a column of ``room`` points is too narrow for the longest.
    """
    size = font_size(ax) * 0.8
    longest = 0.6 * size * max(map(width_of, map(shown, names)))
    is_upright = longest > 0.8 * room
    if is_upright and (room < 1.2 * size or longest > inches(ax)[1] * 72.0 / 3):
        count_along(ax)
        return False
    places, texts = range(1, len(names) + 1), [*map(shown, names)]
    ax.set_xticks(places, texts, rotation=90 if is_upright else 0, fontsize=size)
    ax.tick_params(axis="x", length=0)
    unparsed(ax.get_xticklabels())
    return True


def unparsed(texts: Sequence[Text]) -> None:
    """Keep dollar signs in ids and names, instead of reading them as mathematics."""
    for text in texts:
        text.set_parse_math(False)


def font_size(ax: Axes) -> float:
    """Return the size of the axes' labels in points."""
    return float(ax.xaxis.label.get_fontsize())


def count_along(ax: Axes) -> None:
    """Label the horizontal axis with whole numbers, with thousands separators."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter("{x:,.0f}")


def inches(ax: Axes) -> tuple[float, float]:
    """Return the width and height of Axes, estimated before layout."""
    figure, box = ax.figure, ax.get_position()
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    if len(figure.axes) == 1:
        taken = 5.0 * font_size(ax) / 72.0  # by numbers and labels
        return width - taken, height - taken
    return width * box.width, height * box.height


def letters_across(side: float, size: float) -> int:
    """Return how many letters of a size in points fit into a side in inches, at least 16."""
    return max(int(side * 72.0 / size / LETTER), 16)


def wrapped(text: str, room: int) -> str:
    """Break a text into lines of at most ``room`` letters, after commas if possible."""
    *parts, last = shown(text).split(", ")
    lines = [""]
    for part in [*(part + "," for part in parts), last]:
        longer = f"{lines[-1]} {part}".lstrip()
        if len(longer) <= room:
            lines[-1] = longer
        elif len(part) <= room:
            lines.append(part)
        else:
            lines[-1:] = textwrap.wrap(longer, room)
    return "\n".join(line for line in lines if line)


def _add_legend(ax: Axes, entries: Sequence[tuple[Artist, str]]) -> float:
    """Add a legend between title and drawing, and return its height in points."""
    width, height = (side * 72.0 for side in inches(ax))
    width -= beside(ax)
    names = cut_apart([shown(name) for _, name in entries], _LONGEST_NAME)
    if len(names) > _LONG_LEGEND:
        names = cut_apart(names, max(int((width / font_size(ax) / 2 - 4.6) / LETTER), 16))
    for share in _SMALLER:
        size = share * font_size(ax)
        room = width / size  # in widths of an m
        fit = max(1, min(len(names), int(room / (LETTER * max(map(width_of, names)) + 4.6))))
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
    # Set afterwards, as matplotlib leaves out names that begin with an underscore.
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)
    return taken


def _style(width: float) -> Any:
    """Return the style of a new figure, with text that grows with its width."""
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
