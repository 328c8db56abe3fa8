"""The large collection's run as Parquet, and packed."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack

from bench import Bench, evaluate, server
from inputs import Collection
from peers import TIMED
from process import Command, Server
from sample import interleave
from table import Goal, Row

TEXT = "rankmark, TREC text"
PARQUET = "Parquet, 7M rows"
DECODED = "pyarrow, decoding alone"
FILES = ("Snappy", "zstd", "whole numbers, not packed")


def formats(bench: Bench) -> Iterator[Row]:
    """Measure Parquet against decoding it alone, and packed text against unpacking alone."""
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
    runs = dict(
        zip(
            FILES, (inputs.parquet(), inputs.parquet_zstd(), inputs.parquet_integers()), strict=True
        )
    )
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(server("files", file.qrels, file.run))
            for name, file in {TEXT: inputs.marco(), **runs}.items()
        }
        for name in FILES:
            means = servers[name].means, servers[TEXT].means
            bench.compare(f"Parquet, {name}", means[0], "rankmark on the text", means[1])
        script = TIMED / "pyarrow_columns.py"
        decoders = {
            f"{DECODED}, {name}": stack.enter_context(Server(sys.executable, script, file.run))
            for name, file in runs.items()
        }
        used = interleave(
            {name: one.cpu_seconds for name, one in (servers | decoders).items()}, bench.runs
        )
    for name in FILES:
        work = f"{PARQUET}, {name}, warm process, CPU"
        alone = used[f"{DECODED}, {name}"]
        yield Row(work, used[name], DECODED, alone, Goal("at most", 1.25))
    work = f"{PARQUET}, Snappy, warm process, CPU"
    yield Row(work, used["Snappy"], TEXT, used[TEXT])


def _packed(bench: Bench, packing: str, program: str, packed: Collection) -> Row:
    alone = f"{program} > /dev/null"
    unpack = Command(("sh", "-c", f'{program} "$1" > /dev/null', "sh", str(packed.run)))
    works = {"rankmark": evaluate(packed).seconds, alone: unpack.seconds}
    taken = interleave(works, bench.runs)
    goal = Goal("at most", 1.15)
    return Row(f"files, 7M rows, {packing}", taken["rankmark"], alone, taken[alone], goal)
