"""What recall costs in queries per second: which settings of which algorithms are best."""

from __future__ import annotations

from typing import Any

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
from rankmark.results.trade_off import Side, TradeOff

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
) -> TradeOff:
    """Find the settings of indexes that no other beats in both recall and queries per second.

    Parameters
    ----------
    table
        A row for each measured setting: rows, a mapping of columns, a data frame, or a file.
    algorithm, recall, qps
        The names of its columns; None for ``algorithm`` if all rows are of one.

    Returns
    -------
    TradeOff
        The rows, and which of them are on the Pareto front; names are those of algorithms, ``x`` is
        recall and ``y`` queries per second.

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
    return TradeOff(
        names,
        Side("recall", recalls),
        Side("qps", speeds, label="queries per second", is_log=True, text="{:,.1f}".format),
        name="algorithm",
        point="row",
    )
