"""The large collection's run as Parquet, and packed."""

from collections.abc import Iterator

from bench import Bench, evaluate, server
from process import Command
from sample import interleave
from table import Goal, Row


def formats(bench: Bench) -> Iterator[Row]:
    """Measure Parquet against the text that it holds, and gzip against unpacking alone."""
    if bench.can_import("pyarrow"):
        yield from _parquet(bench)
    yield from _gzip(bench)


def _parquet(bench: Bench) -> Iterator[Row]:
    text, parquet = bench.inputs.marco(), bench.inputs.parquet()
    with (
        server("files", parquet.qrels, parquet.run) as ours,
        server("files", text.qrels, text.run) as other,
    ):
        bench.compare("Parquet", ours.means, "rankmark on the text", other.means)
        works = {"Parquet": ours.seconds, "TREC text": other.seconds}
        taken = interleave(works, bench.runs)
    work = "Parquet, 7M rows, warm process"
    goal = Goal("at least", 1)
    yield Row(work, taken["Parquet"], "rankmark, TREC text", taken["TREC text"], goal)


def _gzip(bench: Bench) -> Iterator[Row]:
    packed = bench.inputs.packed()
    unpack = Command(("sh", "-c", 'zcat "$1" > /dev/null', "sh", str(packed.run)))
    works = {"rankmark": evaluate(packed).seconds, "zcat": unpack.seconds}
    taken = interleave(works, bench.runs)
    goal = Goal("at most", 1.15)
    yield Row("files, 7M rows, gzip", taken["rankmark"], "zcat > /dev/null", taken["zcat"], goal)
