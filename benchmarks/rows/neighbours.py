"""Nearest neighbours that a search found, against NumPy."""

import sys
from collections.abc import Iterator

from bench import Bench, server
from peers import TIMED
from process import Server
from sample import interleave
from table import Goal, Row


def neighbours(bench: Bench) -> Iterator[Row]:
    """Measure recall@100 of 100,000 queries against an intersection row by row."""
    with (
        server("neighbours") as ours,
        Server(sys.executable, TIMED / "numpy_neighbours.py") as theirs,
    ):
        bench.compare("neighbours", ours.means, "NumPy", theirs.means)
        taken = interleave({"rankmark": ours.seconds, "NumPy": theirs.seconds}, bench.runs)
    row = "neighbours of 100,000 queries, 100 each"
    yield Row(row, taken["rankmark"], "NumPy, row by row", taken["NumPy"], Goal("at least", 10))
