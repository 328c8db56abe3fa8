"""Labels at the ends of lines, moved apart where they would overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.results.drawing.figures import GREY, fitted, font_size, inches, ink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

_SMALLEST = 4.5  # points; smaller text is illegible
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
    if room / (_APART * len(kept)) < _SMALLEST:
        kept = [end for end in ends if end.marker is not None]
    size = min(font_size(ax) * 0.9, max(room / (_APART * 1.2 * max(len(kept), 1)), _SMALLEST))

    class EndLabels(Artist):
        """All the labels of one drawing."""

        def __init__(self) -> None:
            super().__init__()
            self.texts: list[Text] = []
            self.leaders: list[Line2D] = []
            for end in kept:
                shade = GREY if end.marker is None else ink(ax)
                text = Text(0, 0, fitted(ax, end.name, 0.3), color=shade, fontsize=size)
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
