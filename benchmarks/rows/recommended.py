"""Novelty and coverage of recommendations."""

from collections.abc import Iterator

from bench import Bench, server
from peers import RECTOOLS
from sample import interleave
from table import Goal, Row


def recommended(bench: Bench) -> Iterator[Row]:
    """Measure five million recommendations with a history as long, against RecTools."""
    if not bench.can_import("pandas") or not bench.has(RECTOOLS):
        return
    with server("recommended") as ours, RECTOOLS.server("recommended") as theirs:
        bench.compare("novelty and coverage", ours.means, RECTOOLS.name, theirs.means)
        works = {"rankmark": ours.cpu_seconds, RECTOOLS.name: theirs.cpu_seconds}
        taken = interleave(works, bench.runs)
    work = "MIUF@10 and coverage, 5M recommendations, 5M rows of history, warm process, CPU"
    yield Row(work, taken["rankmark"], RECTOOLS.name, taken[RECTOOLS.name], Goal("at least", 10))
