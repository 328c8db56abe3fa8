"""What recall costs in queries per second: which settings of which algorithms are best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.arguments import checked
from rankmark.data.given_tables.role_tables import (
    Role,
    TableKind,
    named_roles,
    refuse_unused,
    role_table,
)
from rankmark.errors import InputError
from rankmark.results.escaped_bytes import encodable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import Look, Notes, Part
from rankmark.results.shown_result import DrawnResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats

_TABLE = TableKind(
    "the table",
    (
        Role("recall", ("recall",)),
        Role("qps", ("qps",)),
        Role("algorithm", ("algorithm",), optional=True),
    ),
    "a row for each measured setting, with the columns recall, qps and algorithm: rows, columns, a "
    "frame or a file",
)


@checked
def ann_tradeoff(
    table: Any, *, algorithm: str | None = "algorithm", recall: str = "recall", qps: str = "qps"
) -> NeighbourTradeoff:
    """Find the settings of indexes that no other beats in both recall and queries per second.

    Parameters
    ----------
    table
        A row for each measured setting: rows, a mapping of columns, a data frame, or a file.
    algorithm, recall, qps
        The names of its columns; None for ``algorithm`` if all rows are of one.

    Returns
    -------
    NeighbourTradeoff
        The rows, and which of them are on the Pareto front.

    Raises
    ------
    SchemaError
        If a column is missing, columns have different lengths, or a cell holds no finite number.
    InputError
        If there are no rows, or a speed is not above 0.

    Examples
    --------
    >>> import rankmark as rm
    >>> found = rm.ann_tradeoff(
    ...     {
    ...         "algorithm": ["hnsw", "hnsw", "hnsw", "ivf"],
    ...         "recall": [0.90, 0.95, 0.94, 0.93],
    ...         "qps": [9000, 4000, 3000, 5000],
    ...     }
    ... )
    >>> found.front.tolist()
    [True, True, False, True]
    """
    named = {"recall": recall, "qps": qps}
    if algorithm is not None:
        named["algorithm"] = algorithm
    read = role_table(table, _TABLE, named_roles(named, _TABLE.roles))
    refuse_unused(named, read)
    speeds, recalls = read.numbers("qps"), read.numbers("recall")
    for row in np.flatnonzero(speeds <= 0)[:1].tolist():
        found = f"{qps}{read.places.of(row)} is {speeds[row]:g}"
        raise read.places.error(row, found, "need queries per second, above 0", InputError)
    names = [""] * len(recalls) if algorithm is None else read.ids("algorithm")
    return NeighbourTradeoff(names, recalls, speeds)


class NeighbourTradeoff(DrawnResult):
    """Settings of indexes by recall and queries per second.

    Attributes
    ----------
    algorithms
        (n_rows,) names.
    recall, qps
        (n_rows,) float64.
    front
        (n_rows,) bool: whether no other row is at least as good in both and better in one.
    front_of_algorithm
        The same, among the rows of the same algorithm.
    """

    _captions = {"front": "Queries per second by recall, and the front of each algorithm"}  # noqa: RUF012

    def __init__(self, algorithms: Sequence[str], recall: Floats, qps: Floats) -> None:
        self.algorithms = tuple(algorithms)
        self.recall = recall
        self.qps = qps
        self.front = _front(recall, qps)
        self.front_of_algorithm = np.zeros(len(recall), dtype=bool)
        for name in self._names():
            rows = self._rows(name)
            self.front_of_algorithm[rows] = _front(recall[rows], qps[rows])
        for values in (self.recall, self.qps, self.front, self.front_of_algorithm):
            values.flags.writeable = False

    def _names(self) -> list[str]:
        return list(dict.fromkeys(self.algorithms))

    def _rows(self, name: str) -> Bools:
        return np.array([one == name for one in self.algorithms])

    @property
    def headline(self) -> str:
        """How many rows no other beats."""
        return f"{int(self.front.sum()):,} of {len(self.front):,} rows are on the Pareto front"

    @property
    def notes(self) -> list[str]:
        """The line below the table."""
        return [self.headline]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        algorithm
            Its name.
        recall, qps
            The recall, and queries per second.
        """
        rows = zip(*self._table().values(), strict=True)
        return {"rows": [dict(zip(self._table(), row, strict=True)) for row in rows]}

    def _table(self) -> dict[str, Any]:
        return {
            "algorithm": [*map(encodable, self.algorithms)],
            "recall": self.recall.tolist(),
            "qps": self.qps.tolist(),
            "front": self.front.tolist(),
            "front_of_algorithm": self.front_of_algorithm.tolist(),
        }

    def _grids(self) -> list[MarkedTable]:
        """Return the rows on the front, by rising recall."""
        rows = sorted(np.flatnonzero(self.front).tolist(), key=lambda row: self.recall[row])
        cells = (
            [self.algorithms[row], f"{self.recall[row]:.4f}", f"{self.qps[row]:,.1f}"]
            for row in rows
        )
        head = ["algorithm", "recall", "qps"]
        return [MarkedTable(head, cells, caption=f"{self.headline}.", label="tab:tradeoff")]

    def _parts(self, look: Look, **_: Any) -> Sequence[Part]:
        return [*self._grids(), *([] if look.is_pasted else [Notes(self.notes)])]

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:  # noqa: ARG002  (there is one)
        from rankmark.results.drawing.points import Cloud, draw_fronts  # noqa: PLC0415

        clouds = []
        for name in self._names():
            rows = self._rows(name)
            joined = self.front_of_algorithm[rows]
            clouds.append(Cloud(name, self.recall[rows], self.qps[rows], joined))
        told = self.headline if title else ""
        draw_fronts(ax, clouds, title=told, x_label="recall", y_label="queries per second")


def _front(recall: Floats, qps: Floats) -> Bools:
    """Return whether no other point is at least as good in both values and better in one."""
    front = np.zeros(len(recall), dtype=bool)
    fastest = -np.inf
    # By falling recall, and falling speed within a recall: a point is beaten by those before it.
    order = np.lexsort((-qps, -recall))
    for at, row in enumerate(order.tolist()):
        before = int(order[at - 1]) if at else row
        is_same = front[before] and recall[row] == recall[before] and qps[row] == qps[before]
        front[row] = is_same or qps[row] > fastest
        fastest = max(fastest, qps[row])
    return front
