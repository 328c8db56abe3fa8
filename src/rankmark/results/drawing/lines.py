"""Lines of values by rank, cutoff, recall or weight, named at their ends, or with bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.results.drawing.figures import (
    DASHES,
    GREY,
    Heading,
    colour,
    count_along,
    faint,
    fitted_names,
    font_size,
    framed,
    headed,
    inches,
    ink,
    letters_across,
    marker,
    paper,
    run_colour,
    split,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats, Ints


_SMALLEST_LABEL = 4.5  # points; smaller text is illegible
_APART = 1.12  # distance of labels, in heights of a label


class End(NamedTuple):
    """The end of a line, in data coordinates, and its label.

    ``colour`` and ``marker`` are the line's. A label without a marker is grey, and left out if
    there is no room.
    """

    x: float
    y: float
    name: str
    colour: Any
    marker: str | None = None


def add_end_labels(ax: Axes, ends: Sequence[End]) -> int:
    """Write a name right of the Axes for each line, and return how many were left out.

    Names are in the order of the ends, joined to these by thin lines. They are placed when the
    figure is drawn, as heights are unknown before.
    """
    from matplotlib.artist import Artist  # noqa: PLC0415
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.text import Text  # noqa: PLC0415
    from matplotlib.transforms import Bbox, IdentityTransform  # noqa: PLC0415

    room = inches(ax)[1] * 72.0
    kept = list(ends)
    if room / (_APART * len(kept)) < _SMALLEST_LABEL:
        kept = [end for end in ends if end.marker is not None]
    size = min(font_size(ax) * 0.9, max(room / (_APART * 1.2 * max(len(kept), 1)), _SMALLEST_LABEL))

    class EndLabels(Artist):
        """All the labels of one drawing."""

        def __init__(self) -> None:
            super().__init__()
            self.texts: list[Text] = []
            self.leaders: list[Line2D] = []
            names = fitted_names(ax, [end.name for end in kept], 0.3)
            for end, name in zip(kept, names, strict=True):
                shade = GREY if end.marker is None else ink(ax)
                text = Text(0, 0, name, color=shade, fontsize=size)
                text.set(verticalalignment="center_baseline", parse_math=False)
                # Dotted, so that a line that ends before the last rank does not seem to continue.
                leader = Line2D([], [], color=end.colour, linewidth=0.5, linestyle=(0, (1, 2)))
                leader.set(marker=end.marker or "None", markevery=[2], markersize=0.6 * size)
                leader.set_markeredgewidth(0.0)
                for part in (text, leader):
                    part.set_transform(IdentityTransform())
                    part.set_figure(ax.figure)
                self.texts.append(text)
                self.leaders.append(leader)

        def place(self, renderer: Any) -> list[Bbox]:
            """Place the labels, and return their boxes."""
            box, point = ax.bbox, renderer.points_to_pixels(1.0)
            places = ax.transData.transform([(end.x, end.y) for end in kept])
            step = _APART * size * point
            heights = spread(places[:, 1], step, box.y0 + step / 2, box.y1 - step / 2)
            for text, leader, (x, y), height in zip(
                self.texts, self.leaders, places.tolist(), heights.tolist(), strict=True
            ):
                text.set_position((box.x1 + 1.9 * size * point, height))
                leader.set_data([x, max(x, box.x1), box.x1 + 1.3 * size * point], [y, y, height])
            return [text.get_window_extent(renderer) for text in self.texts]

        def draw(self, renderer: Any) -> None:
            self.place(renderer)
            for part in (*self.leaders, *self.texts):
                part.draw(renderer)

        def get_window_extent(self, renderer: Any = None) -> Bbox:
            figure: Any = ax.figure
            return Bbox.union(self.place(renderer or figure._get_renderer()))

        def get_tightbbox(self, renderer: Any = None) -> Bbox:
            return self.get_window_extent(renderer)

    for old in [each for each in ax.artists if type(each).__name__ == EndLabels.__name__]:
        old.remove()
    if kept:
        labels = ax.add_artist(EndLabels())
        labels.set_clip_on(False)  # otherwise, the layout leaves no room for it
        labels.set_zorder(3.0)
    return len(ends) - len(kept)


def spread(places: Floats, step: float, low: float, high: float) -> Floats:
    """Move places at least a step apart, within bounds, as little as possible: (n,) float64.

    If there is no room for such steps, they are smaller.
    """
    n = len(places)
    step = min(step, (high - low) / (n - 1)) if n > 1 else step
    order = np.argsort(places, kind="stable")
    # Places minus their steps must not decrease: blocks that do are averaged.
    blocks: list[list[float]] = []
    for row, place in enumerate(places[order].tolist()):
        blocks.append([place - row * step, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, count), (last, more) = blocks[-2], blocks.pop()
            blocks[-1] = [(mean * count + last * more) / (count + more), count + more]
    even = np.concatenate([np.full(int(count), mean) for mean, count in blocks] or [np.zeros(0)])
    even = np.clip(even, low, max(high - (n - 1) * step, low))
    spaced = np.empty(n)
    spaced[order] = even + np.arange(n) * step
    return spaced


_MARKS = 8  # on each line; more would hide it
_SHORT = 200  # up to here, a logarithmic axis has labels between the powers of ten


class Look(NamedTuple):
    """What distinguishes a line from the others.

    Parameters
    ----------
    run
        The number of the run, from 0, for its colour and marker; None for grey without a marker,
        for lines that are not of a run.
    dash
        The number of its dashes; 0 is solid.
    thin
        Whether it is thin, without markers.
    rest
        Whether it is one of the runs without a colour.
    """

    run: int | None
    dash: int
    thin: bool = False
    rest: bool = False


class Line(NamedTuple):
    """A line of points x and y, (n,) each, all or some with markers.

    ``name`` is written at its end. With ``steps``, a value stays the same up to the next point.
    ``every`` is the distance of markers. From the point ``thin_from`` on, the line is thin. A bar
    marks its end if it ``ends_early``.
    """

    x: Floats | Ints
    y: Floats
    look: Look
    name: str | None = None
    steps: bool = False
    every: int | None = None
    thin_from: int | None = None
    ends_early: bool = False


def draw_lines(
    ax: Axes,
    lines: Sequence[Line],
    legend: Sequence[tuple[Look, str]],
    *,
    title: Heading | str,
    x_label: str,
    y_label: str,
) -> None:
    """Draw lines, and a legend of looks."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    runs = 1 + max((line.look.run or 0 for line in lines), default=0)
    for line in lines:
        thin = slice(len(line.x) if line.thin_from is None else max(line.thin_from - 1, 0), None)
        thick = slice(None if line.thin_from is None else line.thin_from)
        marked = [at for at in _marked(line, runs) if at < len(line.x[thick])]
        drawn: dict[str, Any] = {"drawstyle": "steps-post"} if line.steps else {}
        style = _style(ax, line.look)
        ax.plot(line.x[thick], line.y[thick], markevery=marked, **style | drawn)
        if len(line.x[thin]) > 1:
            thinner = _style(ax, line.look._replace(thin=True)) | drawn
            ax.plot(line.x[thin], line.y[thin], **thinner)
        if line.ends_early:
            cap = {"marker": "|", "markersize": font_size(ax), "color": style["color"]}
            ax.add_line(Line2D(line.x[-1:], line.y[-1:], linestyle="none", **cap))
    ends = [
        End(float(line.x[-1]), float(line.y[-1]), line.name, style["color"], style.get("marker"))
        for line, style in ((line, _style(ax, line.look)) for line in lines)
        if line.name is not None and len(line.x)
    ]
    left = add_end_labels(ax, ends) if ends else 0
    if left:
        legend = [*legend, (Look(None, 0, rest=True), f"{left} more runs")]
    handles = [(Line2D([], [], **_style(ax, look)), name) for look, name in legend]
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, y_label, handles)


def limit_values(ax: Axes, lines: Sequence[Line], last: float, *, log: bool = False) -> None:
    """Set the limits of the axes: values from 0 unless some are negative, and up to 1 if close.

    Ranks and cutoffs go from 1 to ``last``; small budgets begin below.
    """
    values = np.concatenate([line.y for line in lines])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0:
        top = 1.02 if 0.8 < high <= 1 else max(high * 1.06, 0.02)
        ax.set_ylim(-0.02 * top if low < 0.01 * top else 0.0, top)
    first = min(float(line.x[0]) for line in lines)
    are_whole = first == 1 or last > 10
    if log:
        from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415

        ax.set_xscale("log")
        if last <= _SHORT * first:
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.set_xlim(0.93 * first, max(last, 2 * first) * 1.07)
        ax.xaxis.set_major_formatter("{x:,.0f}" if are_whole else "{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        return
    margin = max(0.02 * (last - first), 0.5 if first == 1 else 0.0)
    ax.set_xlim(first - margin, last + margin)
    if are_whole:
        count_along(ax)


def limit_shares(ax: Axes) -> None:
    """Set the limits of both axes to 0 and 1."""
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)


def _style(ax: Axes, look: Look) -> dict[str, Any]:
    """Return matplotlib's properties of a look, for the size of the axes' text."""
    size = font_size(ax)
    shade = GREY if look.run is None else colour(ax, look.run)
    style: dict[str, Any] = {
        "color": run_colour(ax, None) if look.rest else shade,
        "linestyle": DASHES[look.dash % len(DASHES)],
        "linewidth": size * (0.09 if look.thin or look.rest else 0.16),
    }
    if look.rest:
        return style | {"zorder": 1.8, "alpha": 0.6 if look.thin else 1.0}
    if look.thin:
        return style | {"alpha": 0.75, "zorder": 1.9}
    if look.run is None:
        return style
    return style | {"marker": marker(look.run), "markersize": size * 0.5, "markeredgewidth": 0.0}


def _marked(line: Line, runs: int) -> list[int]:
    """Choose the points with markers, different for each run, so that they do not overlap."""
    points = len(line.x)
    if line.every is not None:
        return [*range(0, points, line.every)]
    if points <= 2 * _MARKS:
        return list(range(points))
    step = points / _MARKS
    first = step * ((line.look.run or 0) + 0.5) / runs
    return [int(first + step * number) for number in range(_MARKS)]


class BandedLine(NamedTuple):
    """A line of points x and y, (n,) float64, with a band from ``lows`` to ``highs``, or without.

    ``number`` is that of its colour and marker, from 1.
    """

    name: str
    number: int
    x: Floats
    y: Floats
    lows: Floats | None = None
    highs: Floats | None = None


class Level(NamedTuple):
    """A horizontal line: its name, its height, and the number of its dashes."""

    name: str
    y: float
    dash: int


def draw_banded_lines(
    ax: Axes,
    lines: Sequence[BandedLine],
    levels: Sequence[Level],
    *,
    chosen: tuple[float, float] | None = None,
    chosen_is: str = "chosen",
    title: str,
    x_label: str,
    y_label: str,
) -> None:
    """Draw lines with bands, levels across, and a ring around a point that is called so."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    size = font_size(ax)
    legend: list[tuple[Artist, str]] = []
    for line in lines:
        shade: Any = run_colour(ax, line.number)
        style: dict[str, Any] = {"color": shade, "linewidth": 0.16 * size}
        style |= {"marker": marker(line.number), "markersize": 0.5 * size, "markeredgewidth": 0.0}
        if line.lows is not None and line.highs is not None:
            ax.fill_between(line.x, line.lows, line.highs, color=shade, alpha=0.15, linewidth=0.0)
        ax.plot(line.x, line.y, **style)
        legend.append((Line2D([], [], **style), line.name))
    for level in levels:
        drawn: dict[str, Any] = {"color": GREY if level.dash > 1 else ink(ax)}
        drawn |= {"linestyle": DASHES[level.dash % len(DASHES)], "linewidth": 0.12 * size}
        ax.axhline(level.y, **drawn)
        legend.append((Line2D([], [], **drawn), level.name))
    if chosen is not None:
        ring: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 1.2 * size}
        ring |= {"markerfacecolor": "none", "markeredgecolor": ink(ax), "markeredgewidth": 1.2}
        ax.plot(*([value] for value in chosen), **ring)
        legend.append((Line2D([], [], **ring | {"markersize": 0.8 * size}), chosen_is))
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, y_label, legend)


class DifferenceLine(NamedTuple):
    """One run.

    Parameters
    ----------
    name, number
        Its name, and the number of its colour; None for grey, without intervals.
    differences, lows, highs
        (n_cutoffs,) float64, NaN where there is none.
    apart
        (n_cutoffs,) bool: whether the run differs significantly from the baseline.
    """

    name: str
    number: int | None
    differences: Floats
    lows: Floats
    highs: Floats
    apart: Bools


_LEAST = (1.0, 0.8)  # inches of a panel


def draw_difference_lines(
    ax: Axes,
    k: Ints,
    lines: Sequence[DifferenceLine],
    *,
    titles: tuple[Heading, Heading],
    y_label: str,
) -> Axes:
    """Draw differences at each cutoff k, (n_cutoffs,) int64; filled markers are significant.

    A band shows the intervals of the run in colour. If several have one, each has a panel of its
    own, as bands of several would hide each other, and the Axes of the first is returned. Where
    panels have no room, or not the figure for themselves, all lines are in one drawing without
    bands: ``titles`` is the title with and without them.
    """
    from matplotlib.lines import Line2D  # noqa: PLC0415

    coloured = [line for line in lines if line.number is not None]
    if len(coloured) > 1 and _has_room(ax, len(coloured)):
        return _draw_difference_panels(ax, k, lines, coloured, title=titles[0], y_label=y_label)
    size = _marker_size(ax, k)
    legend: list[tuple[Artist, str]] = []
    for line in sorted(lines, key=lambda line: line.number is not None):
        if line.number is not None:
            legend.append(
                (Line2D([], [], linewidth=1.4, **_difference_style(ax, line, size)), line.name)
            )
        _draw_differences(ax, k, line, size, banded=line.number is not None and len(coloured) == 1)
    if rest := len(lines) - len(coloured):
        grey = Line2D([], [], linewidth=1.4, color=run_colour(ax, None))
        legend.append((grey, "1 more run" if rest == 1 else f"{rest} more runs"))
    framed(ax, titles[0] if len(coloured) == 1 else titles[1], "k", y_label, legend)
    return ax


def abreast(panels: int) -> int:
    """Return how many panels of differences stand in a row."""
    return panels if panels < 4 else 2 if panels == 4 else 3


def _has_room(ax: Axes, panels: int) -> bool:
    """Return whether a figure with nothing else in it can hold so many panels."""
    (width, height), across = inches(ax), abreast(panels)
    if len(ax.figure.axes) > 1:
        return False
    return width / across >= _LEAST[0] and height / -(-panels // across) >= _LEAST[1]


def _draw_difference_panels(
    ax: Axes,
    k: Ints,
    lines: Sequence[DifferenceLine],
    coloured: Sequence[DifferenceLine],
    *,
    title: Heading,
    y_label: str,
) -> Axes:
    """Draw a panel for each run in colour, the others faintly behind it."""
    headed(ax, title._replace(caption=f"grey lines: the other runs; {title.caption}"))
    size = font_size(ax)
    figure: Any = ax.figure
    letters = letters_across(inches(ax)[1], size)
    figure.supylabel(wrapped(y_label, letters), fontsize=size, parse_math=False)
    across = abreast(len(coloured))
    parts = split(ax, len(coloured), across, sharex=True, sharey=True)
    markers = _marker_size(parts[0], k)
    names = fitted_names(parts[0], [line.name for line in coloured], 1.0)
    for at, (part, own, name) in enumerate(zip(parts, coloured, names, strict=True)):
        for line in lines:
            if line is not own:
                faintly = {"color": run_colour(part, None), "alpha": 0.6, "zorder": 1.8}
                part.plot(k, line.differences, linewidth=0.7, **faintly)
        _draw_differences(part, k, own, markers, banded=True)
        framed(part, name, "k" if at + across >= len(coloured) else "", "")
        part.tick_params(labelleft=at % across == 0, labelbottom=at + across >= len(coloured))
    return parts[0]


def _marker_size(ax: Axes, k: Ints) -> float:
    return min(0.5 * font_size(ax), 0.7 * inches(ax)[0] * 72.0 / len(k))


def _difference_style(ax: Axes, line: DifferenceLine, size: float) -> dict[str, Any]:
    style: dict[str, Any] = {"color": run_colour(ax, line.number)}
    return style | {
        "marker": marker(line.number or 0),
        "markersize": size,
        "markeredgewidth": 0.18 * size,
    }


def _draw_differences(
    ax: Axes, k: Ints, line: DifferenceLine, size: float, *, banded: bool
) -> None:
    """Draw the line of a run, a marker at each cutoff, and the band of its intervals."""
    style = _difference_style(ax, line, size)
    shade = style["color"]
    if banded:
        ax.fill_between(k, line.lows, line.highs, color=shade, alpha=0.15, linewidth=0.0)
    ax.axhline(0.0, color=ink(ax), linewidth=0.6)
    ax.plot(k, line.differences, color=shade, linewidth=1.4)
    for filled in (False, True):
        drawn = np.where(line.apart == filled, line.differences, np.nan)
        face = shade if filled else paper(ax)
        ax.plot(k, drawn, linestyle="none", markerfacecolor=face, **style)
    count_along(ax)
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
