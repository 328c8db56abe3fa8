"""The peak memory beyond the interpreter."""

import sys
from collections.abc import Iterator

from bench import Bench, evaluate
from process import Command
from sample import Sample
from table import Goal, Row

GOAL = Goal("at most", 64, of="ours")


def memory(bench: Bench) -> Iterator[Row]:
    """Measure the command line's peak, less that of an interpreter that imported numpy."""
    interpreter = Command((sys.executable, "-c", "import numpy"))
    idle = min(interpreter.run().peak_mb for _ in range(bench.runs))
    bench.note(f"memory is the peak resident size beyond the {idle:.0f} MB of `import numpy`")

    marco = bench.inputs.marco()
    ours = _beyond(idle, evaluate(marco), bench.runs)
    if reference := bench.reference():
        theirs = _beyond(idle, reference.files(marco), 1)
        yield Row("memory, 7M rows", ours, reference.name, theirs, GOAL)
    packed = _beyond(idle, evaluate(bench.inputs.packed()), bench.runs)
    yield Row("memory, 7M rows in gzip", packed, "rankmark, 7M rows", ours, GOAL)
    if bench.can_import("pyarrow"):
        with_pyarrow = Command((sys.executable, "-c", "import numpy, pyarrow.parquet"))
        library = min(with_pyarrow.run().peak_mb for _ in range(bench.runs))
        bench.note(f"for Parquet, it is the size beyond the {library:.0f} MB with pyarrow imported")
        parquet = _beyond(library, evaluate(bench.inputs.parquet()), bench.runs)
        yield Row("memory, 7M rows of Parquet", parquet, "rankmark, TREC text", ours, GOAL)
        for groups in (1, 10, 50):
            command = evaluate(bench.inputs.parquet_groups(groups))
            grouped = _beyond(library, command, bench.runs)
            work = f"memory, 7M rows of Parquet in {groups} row group{'s'[: groups - 1]}"
            yield Row(work, grouped, "rankmark, TREC text", ours, GOAL)
    if bench.tenfold:
        tenfold = _beyond(idle, evaluate(bench.inputs.tenfold()), bench.runs)
        yield Row("memory, 70M rows", tenfold, "rankmark, 7M rows", ours, GOAL)
        command = evaluate(bench.inputs.interleaved(), "--memory", "256M")
        gathered = _beyond(idle, command, 1)
        within = Goal("at most", 256, of="ours")
        work = "memory, 70M rows, interleaved, --memory 256M"
        yield Row(work, gathered, "rankmark, 70M rows", tenfold, within)


def _beyond(idle: float, command: Command, runs: int) -> Sample:
    return Sample(tuple(command.run().peak_mb - idle for _ in range(runs)), "MB")
