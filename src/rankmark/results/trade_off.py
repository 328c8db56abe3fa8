"""Points of two values each, such as quality and cost: which no other beats in both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.results.escaped_bytes import encodable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN
from rankmark.results.shown_parts import Look, Notes, Part
from rankmark.results.shown_result import DrawnResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats
    from rankmark.results.drawing.figures import Heading


class Side(NamedTuple):
    """One of the two values of each point.

    Parameters
    ----------
    name
        What it is, such as a measure's name.
    values
        (n_points,) float64.
    ends
        (n_points, 2) float64, their intervals, NaN where there is none; or None.
    more_is_better
        Whether higher values are better.
    label
        Of the axis in a picture; "" for the name.
    is_log
        Whether that axis is logarithmic.
    text
        How a value is written in tables.
    """

    name: str
    values: Floats
    ends: Floats | None = None
    more_is_better: bool = True
    label: str = ""
    is_log: bool = False
    text: Callable[[float], str] = "{:.4f}".format

    @property
    def merits(self) -> Floats:
        """The values, or their negatives if lower ones are better."""
        return self.values if self.more_is_better else -self.values

    @property
    def on_axis(self) -> str:
        """The label of the axis."""
        return (self.label or self.name) + ("" if self.more_is_better else ", lower is better")

    @property
    def head(self) -> list[str]:
        """The columns of a table: of the values and, if there are any, of their intervals."""
        return [self.name] if self.ends is None else [self.name, "interval"]

    def cells(self, row: int) -> list[str]:
        """Return what these columns have for a point."""
        value = self.text(self.values[row])
        if self.ends is None:
            return [value]
        ends = ", ".join(map(self.text, self.ends[row].tolist()))
        return [value, UNKNOWN if np.isnan(self.ends[row]).any() else f"[{ends}]"]

    def columns(self, name: str) -> dict[str, list[Any]]:
        """Return the values and, if there are any, the ends of their intervals."""
        ends = {} if self.ends is None else {"_low": self.ends[:, 0], "_high": self.ends[:, 1]}
        values = {"": self.values} | ends
        return {f"{name}{ending}": each.tolist() for ending, each in values.items()}


class TradeOff(DrawnResult):
    """Points of two values each, and the Pareto front: those that no other point beats in both.

    Attributes
    ----------
    names
        (n_points,) what each point is of, such as a run or an algorithm; several points may have
        one name.
    x, y
        The two values of each point: ``name``, ``values`` and ``ends``, their intervals.
    front
        (n_points,) bool: whether no other point is at least as good in both and better in one.
    front_of_name
        The same, among the points of the same name.
    """

    _captions = {"front": "The two values of each, and the Pareto front"}  # noqa: RUF012

    def __init__(
        self,
        names: Sequence[str],
        x: Side,
        y: Side,
        *,
        name: str = "run",
        point: str = "run",
        notes: Sequence[str] = (),
    ) -> None:
        # ``name`` says what names are of, and ``point`` what points are: several of an algorithm
        # are rows, and lines join them, but a run is one point.
        self.names = tuple(names)
        self.x, self.y = x, y
        self._name, self._point, self._notes = name, point, notes
        for side in (x, y):
            for row in np.flatnonzero(~np.isfinite(side.values))[:1].tolist():
                raise InputError(
                    f"{side.name} of {self.names[row]!r} is {side.values[row]}",
                    "leave it out, or choose another measure",
                )
        self.front = _front(x.merits, y.merits)
        self.front_of_name = np.zeros(len(self.front), dtype=bool)
        for one in dict.fromkeys(self.names):
            rows = self._rows(one)
            self.front_of_name[rows] = _front(x.merits[rows], y.merits[rows])
        for values in (x.values, y.values, self.front, self.front_of_name):
            values.flags.writeable = False

    def _rows(self, name: str) -> Bools:
        return np.array([one == name for one in self.names])

    @property
    def _is_joined(self) -> bool:
        """Whether a name has points of its own, which a line joins."""
        return self._name != self._point

    @property
    def _front_rows(self) -> list[int]:
        """The points on the front, by rising x."""
        return sorted(np.flatnonzero(self.front).tolist(), key=lambda row: self.x.values[row])

    @property
    def headline(self) -> str:
        """How many points no other beats, and which."""
        rows = self._front_rows
        found = f"{len(rows):,} of {len(self.front):,} {self._point}s are on the Pareto front"
        if self._is_joined:
            return found
        return f"{found}: {', '.join(self.names[row] for row in rows)}"

    @property
    def notes(self) -> list[str]:
        """The lines below the table."""
        return [self.headline, *self._notes]

    def _beaten_by(self) -> list[str | None]:
        """Return a point on the front that is at least as good in both, None for those on it."""
        x, y = self.x.merits, self.y.merits
        found: list[str | None] = []
        for row, is_on_front in enumerate(self.front.tolist()):
            better = self.front & (x >= x[row]) & (y >= y[row])
            found.append(None if is_on_front else self.names[int(better.argmax())])
        return found

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        x, y
            The names of the two values.
        rows
            An object for each point: ``name``, ``x`` and ``y`` with the ends of their intervals, if
            there are any, and whether it is on the Pareto front.
        """
        columns = self._columns("name", "x", "y")
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {"x": self.x.name, "y": self.y.name, "rows": rows}

    def _table(self) -> dict[str, Any]:
        """Return the columns, which are called after what points are of, and after their values.

        Returns
        -------
        algorithm, recall, qps
            What each point is of, and its two values; of a comparison, ``run`` and two measures.
        front_of_algorithm
            Whether it is on the Pareto front of the points of the same name.
        """
        return self._columns(self._name, self.x.name, self.y.name)

    def _columns(self, name: str, x: str, y: str) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {name: [*map(encodable, self.names)]}
        columns |= self.x.columns(x) | self.y.columns(y) | {"front": self.front.tolist()}
        if self._is_joined:
            return columns | {f"front_of_{name}": self.front_of_name.tolist()}
        return columns | {"beaten_by": self._beaten_by()}

    def _grids(self) -> list[MarkedTable]:
        """Return the points by rising x; if a name has several, those on the front."""
        head = [self._name, *self.x.head, *self.y.head]
        rows = self._front_rows
        cells = [
            [name, *self.x.cells(row), *self.y.cells(row)] for row, name in enumerate(self.names)
        ]
        if not self._is_joined:
            head.append("beaten by")
            rows = np.argsort(self.x.values, kind="stable").tolist()
            cells = [[*row, by or ""] for row, by in zip(cells, self._beaten_by(), strict=True)]
        return [
            MarkedTable(
                head,
                [cells[row] for row in rows],
                attached=["interval"],
                caption=f"{self.headline}.",
                label="tab:tradeoff",
            )
        ]

    def _parts(self, look: Look, **_: Any) -> Sequence[Part]:
        return [*self._grids(), *([] if look.is_pasted else [Notes(self.notes)])]

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:  # noqa: ARG002  (there is one)
        self.draw(ax, self.headline if title else "")

    def draw(
        self, ax: Axes, title: Heading | str, numbers: Sequence[int | None] | None = None
    ) -> None:
        """Draw the points; ``numbers`` are those of the names' colours, None for grey ones."""
        from rankmark.results.drawing.points import Cloud, draw_fronts  # noqa: PLC0415

        names = list(dict.fromkeys(self.names))
        joined = self.front_of_name if self._is_joined else self.front
        clouds = []
        for number, name in enumerate(names):
            rows = self._rows(name)
            clouds.append(
                Cloud(
                    name,
                    self.x.values[rows],
                    self.y.values[rows],
                    joined[rows],
                    number if numbers is None else numbers[number],
                    None if self.x.ends is None else self.x.ends[rows],
                    None if self.y.ends is None else self.y.ends[rows],
                )
            )
        front = self._front_rows
        draw_fronts(
            ax,
            clouds,
            () if self._is_joined else (self.x.values[front], self.y.values[front]),
            title=title,
            labels=(self.x.on_axis, self.y.on_axis),
            logs=(self.x.is_log, self.y.is_log),
        )


def _front(x: Floats, y: Floats) -> Bools:
    """Return whether no other point is at least as good in both values and better in one."""
    front = np.zeros(len(x), dtype=bool)
    best = -np.inf
    # By falling x, and falling y within an x: a point is beaten by those before it.
    order = np.lexsort((-y, -x))
    for at, row in enumerate(order.tolist()):
        before = int(order[at - 1]) if at else row
        is_same = front[before] and x[row] == x[before] and y[row] == y[before]
        front[row] = is_same or y[row] > best
        best = max(best, y[row])
    return front
