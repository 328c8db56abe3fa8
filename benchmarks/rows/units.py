"""Units of a run, such as chunks, mapped to documents while they are read."""

from collections.abc import Iterator

from bench import Bench, server
from sample import interleave
from table import Goal, Row


def units(bench: Bench) -> Iterator[Row]:
    """Measure a run of units, mapped by a separator, against the same lines unmapped."""
    chunks = bench.inputs.chunks()
    files = (chunks.qrels, chunks.run)
    with server("files", *files, "1", "#") as mapped, server("files", *files, "1") as unmapped:
        works = {"mapped": mapped.cpu_seconds, "unmapped": unmapped.cpu_seconds}
        taken = interleave(works, bench.runs)
    work, goal = "7M units mapped to documents, warm process, CPU", Goal("at most", 1.15)
    yield Row(work, taken["mapped"], "rankmark, unmapped", taken["unmapped"], goal)
    bench.note("units are mapped by the separator #, 1,000 to 610 documents a query, on one thread")
