"""Novelty and coverage of recommendations."""

import sys
from collections.abc import Iterator

from bench import Bench, server
from peers import RECTOOLS, TIMED
from process import Command
from sample import Sample, interleave
from table import Goal, Row


def recommended(bench: Bench) -> Iterator[Row]:
    """Measure recommendations to users of five million interactions against RecTools."""
    if not bench.can_import("pandas") or not bench.has(RECTOOLS):
        return
    yield _cpu(bench, 50_000, "5M")
    if bench.tenfold:
        yield _cpu(bench, 500_000, "50M")
        yield _memory(500_000, "50M")


def _cpu(bench: Bench, users: int, many: str) -> Row:
    with (
        server("recommended", str(users)) as ours,
        RECTOOLS.server("recommended", str(users)) as theirs,
    ):
        bench.compare(f"novelty and coverage, {many}", ours.means, RECTOOLS.name, theirs.means)
        works = {"rankmark": ours.cpu_seconds, RECTOOLS.name: theirs.cpu_seconds}
        taken = interleave(works, bench.runs)
    work = f"MIUF@10 and coverage, {many} recommendations, 5M rows of history, warm process, CPU"
    return Row(work, taken["rankmark"], RECTOOLS.name, taken[RECTOOLS.name], Goal("at least", 10))


def _memory(users: int, many: str) -> Row:
    """Measure the peak with both frames, of which the peer has ranks in place of scores."""
    pythons = {"rankmark": sys.executable, "rectools": RECTOOLS.python}
    peaks = {
        stem: Sample((_peak(str(python), stem, users),), "MB") for stem, python in pythons.items()
    }
    return Row(
        f"MIUF@10 and coverage, {many} recommendations, memory with the frames",
        peaks["rankmark"],
        RECTOOLS.name,
        peaks["rectools"],
    )


def _peak(python: str, stem: str, users: int) -> float:
    return Command((python, str(TIMED / f"{stem}_recommended.py"), str(users))).run().peak_mb
