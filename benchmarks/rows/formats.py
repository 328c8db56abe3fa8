"""The large collection's run as Parquet, and packed."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack

from bench import Bench, evaluate, server
from inputs import Collection
from process import Command
from sample import interleave
from table import Goal, Row

TEXT = "rankmark, TREC text"
PARQUET = "Parquet, 7M rows"
# Times the CPU of the same rows as text.
GOALS = {"Snappy": 1.3, "zstd": 1.3, "whole numbers, not packed": 1.0}


def formats(bench: Bench) -> Iterator[Row]:
    """Measure Parquet against the text that it holds, and packed text against unpacking alone."""
    yield _packed(bench, "gzip", "zcat", bench.inputs.packed())
    if not bench.can_import("pyarrow"):  # which writes the other files, too
        return
    yield from _parquet(bench)
    if shutil.which("zstd"):
        yield _packed(bench, "zstd", "zstd -dc", bench.inputs.packed_zstd())
    else:
        bench.note("text in zstd is not measured: there is no zstd to compare with")


def _parquet(bench: Bench) -> Iterator[Row]:
    inputs = bench.inputs
    files = {
        TEXT: inputs.marco(),
        "Snappy": inputs.parquet(),
        "zstd": inputs.parquet_zstd(),
        "whole numbers, not packed": inputs.parquet_integers(),
    }
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(server("files", file.qrels, file.run))
            for name, file in files.items()
        }
        for name in GOALS:
            means = servers[name].means, servers[TEXT].means
            bench.compare(f"Parquet, {name}", means[0], "rankmark on the text", means[1])
        used = interleave({name: one.cpu_seconds for name, one in servers.items()}, bench.runs)
        taken = interleave(
            {name: one.seconds for name, one in servers.items() if name in (TEXT, "Snappy")},
            bench.runs,
        )
    for name, goal in GOALS.items():
        work = f"{PARQUET}, {name}, warm process, CPU"
        yield Row(work, used[name], TEXT, used[TEXT], Goal("at most", goal))
    yield Row(f"{PARQUET}, Snappy, warm process", taken["Snappy"], TEXT, taken[TEXT])


def _packed(bench: Bench, packing: str, program: str, packed: Collection) -> Row:
    alone = f"{program} > /dev/null"
    unpack = Command(("sh", "-c", f'{program} "$1" > /dev/null', "sh", str(packed.run)))
    works = {"rankmark": evaluate(packed).seconds, alone: unpack.seconds}
    taken = interleave(works, bench.runs)
    goal = Goal("at most", 1.15)
    return Row(f"files, 7M rows, {packing}", taken["rankmark"], alone, taken[alone], goal)
