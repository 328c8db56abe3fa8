"""Dicts that are already there."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench import Bench, server
from machine import cores
from peers import PYTREC_EVAL
from sample import interleave
from table import Goal, Row

GOAL = Goal("at least", 30)


def dicts(bench: Bench) -> Iterator[Row]:
    """Measure both on the same dicts, without making them, and compare the means."""
    if not bench.has(PYTREC_EVAL):
        return
    marco = bench.inputs.marco()
    paths = (marco.qrels, marco.run)
    with server("dicts", *paths) as ours, PYTREC_EVAL.server("dicts", *paths) as theirs:
        bench.compare("dicts", ours.means, PYTREC_EVAL.name, theirs.means)
        works = {"rankmark": ours.seconds, PYTREC_EVAL.name: theirs.seconds}
        mine, other = interleave(works, bench.runs).values()
        yield Row("dicts, 7M entries", mine, PYTREC_EVAL.name, other, GOAL)
        with _busy():
            mine, other = interleave(works, bench.runs).values()
        yield Row("dicts, 7M entries, busy machine", mine, PYTREC_EVAL.name, other, GOAL)
    bench.note("on the busy machine, each core also has a process that never rests")


@contextmanager
def _busy() -> Iterator[None]:
    restless = (sys.executable, "-c", "while True: pass")
    others = [subprocess.Popen(restless) for _ in range(cores())]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
