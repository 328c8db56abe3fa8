"""Recommendations without what users have seen."""

from collections.abc import Iterator

from bench import Bench, server
from sample import interleave
from table import Goal, Row


def seen(bench: Bench) -> Iterator[Row]:
    """Measure five million rows with as many seen ones, against the rows alone."""
    if not bench.can_import("pandas"):
        return
    with server("seen", "with") as without_seen, server("seen", "without") as whole:
        works = {"seen": without_seen.cpu_seconds, "whole": whole.cpu_seconds}
        taken = interleave(works, bench.runs)
    work = "5M rows without 5M seen ones, warm process, CPU"
    yield Row(work, taken["seen"], "rankmark, all rows", taken["whole"], Goal("at most", 4))
