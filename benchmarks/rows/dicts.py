"""Dicts that are already there."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import interleave
from table import Goal, Row


def dicts(bench: Bench) -> Iterator[Row]:
    """Measure both on the same dicts, without making them, and compare the means."""
    if not bench.has(PYTREC_EVAL):
        return
    marco = bench.inputs.marco()
    paths = (marco.qrels, marco.run)
    with server("dicts", *paths) as ours, PYTREC_EVAL.server("dicts", *paths) as theirs:
        bench.compare("dicts", ours.means, PYTREC_EVAL.name, theirs.means)
        works = {"rankmark": ours.seconds, PYTREC_EVAL.name: theirs.seconds}
        taken = interleave(works, bench.runs)
    mine, other = taken.values()
    yield Row("dicts, 7M entries", mine, PYTREC_EVAL.name, other, Goal("at least", 30))
