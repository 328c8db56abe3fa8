"""What the second core brings."""

from collections.abc import Iterator

from bench import Bench, server
from machine import cores
from sample import interleave
from table import Goal, Row


def threads(bench: Bench) -> Iterator[Row]:
    """Measure two threads against one on the large collection's files, in warm processes."""
    if cores() < 2:
        bench.note("threads: not measured, this machine has one core")
        return
    marco = bench.inputs.marco()
    name = "rankmark, 1 thread"
    with (
        server("files", marco.qrels, marco.run, "1") as one,
        server("files", marco.qrels, marco.run, "2") as two,
    ):
        taken = interleave({"two": two.seconds, name: one.seconds}, bench.runs)
    yield Row("the second core, 7M rows", taken["two"], name, taken[name], Goal("at least", 1.8))
