"""What the second core brings."""

from collections.abc import Iterator

from bench import Bench, evaluate
from machine import cores
from sample import interleave
from table import Goal, Row


def threads(bench: Bench) -> Iterator[Row]:
    """Measure two threads against one on the large collection's files."""
    if cores() < 2:
        bench.note("threads: not measured, this machine has one core")
        return
    marco = bench.inputs.marco()
    one, two = "rankmark, 1 thread", "rankmark, 2 threads"
    works = {
        one: evaluate(marco, "--threads", "1").seconds,
        two: evaluate(marco, "--threads", "2").seconds,
    }
    taken = interleave(works, bench.runs)
    yield Row("the second core, 7M rows", taken[two], one, taken[one], Goal("at least", 1.7))
