"""The peak memory of the commands beside evaluate, and how it grows with rows."""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import Bench, program
from inputs import Collection
from process import Command
from sample import Sample
from table import Row

QUERY = "413441"  # in both sizes


def verbs(bench: Bench) -> Iterator[Row]:
    """Measure each command on 1M rows a run and on 7M."""
    few, many = bench.inputs.thousand(), (bench.inputs.marco(), bench.inputs.second())
    idle = min(Command((sys.executable, "-c", "import numpy")).run().peak_mb for _ in range(3))
    rows = 7_000_000 - 20_000 - 1_000_000  # more rows in a run of `many` than of `few`
    growth = []
    with tempfile.TemporaryDirectory() as folder:
        for name, words in commands(few, Path(folder)).items():
            small = _beyond(idle, words, bench.runs)
            large = _beyond(idle, commands(many, Path(folder))[name], bench.runs)
            growth.append(f"{name} {round((large.median - small.median) * 1e6 / rows)}")
            yield Row(f"memory of {name}, 7M rows a run", large, "1M rows a run", small)
    bench.note(f"bytes for each further row of a run: {', '.join(growth)}")


def commands(runs: tuple[Collection, Collection], folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the command lines to measure, by name."""
    qrels, first, second = str(runs[0].qrels), str(runs[0].run), str(runs[1].run)
    named = {
        "evaluate": ("evaluate", qrels, first),
        "compare": ("compare", qrels, first, second),
        "explain": ("explain", qrels, first, "--query", QUERY),
        "explain --against": ("explain", qrels, first, "--against", second),
        "check": ("check", qrels, first),
        "similarity": ("similarity", first, second),
        "similarity -m tau": ("similarity", first, second, "-m", "tau"),
        "convert to TREC": ("convert", first, str(folder / "converted.run")),
        "convert to JSON": ("convert", first, str(folder / "converted.json")),
        "convert to Parquet": ("convert", first, str(folder / "converted.parquet")),
    }
    return {name: (program(), *words) for name, words in named.items()}


def _beyond(idle: float, words: tuple[str, ...], runs: int) -> Sample:
    return Sample(tuple(Command(words).run().peak_mb - idle for _ in range(runs)), "MB")
