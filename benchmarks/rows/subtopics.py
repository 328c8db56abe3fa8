"""Judgments by subtopic."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYNDEVAL
from sample import interleave
from table import Row


def subtopics(bench: Bench) -> Iterator[Row]:
    """Measure alpha-nDCG@10 of a million judgments against ndeval's own code."""
    if not bench.can_import("pandas") or not bench.has(PYNDEVAL):
        return
    with server("subtopics") as ours, PYNDEVAL.server("subtopics") as theirs:
        bench.compare("judgments by subtopic", ours.means, PYNDEVAL.name, theirs.means)
        works = {"rankmark": ours.cpu_seconds, PYNDEVAL.name: theirs.cpu_seconds}
        taken = interleave(works, bench.runs)
    work = "alpha-nDCG@10, 1M judgments by subtopic, warm process, CPU"
    yield Row(work, taken["rankmark"], PYNDEVAL.name, taken[PYNDEVAL.name])
