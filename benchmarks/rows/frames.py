"""Polars and pandas frames that are already there."""

from collections.abc import Iterator
from contextlib import ExitStack

from bench import Bench, server
from peers import POLARS, RECTOOLS
from sample import interleave
from table import Goal, Row

LIBRARIES = {"polars": "Polars", "pandas": "pandas"}
PIPELINE = "hand-written Polars"
RECTOOLS_FRAMES = "RecTools, pandas with ranks"
OBJECTS = Goal("at least", 1)  # against ids as text of Polars's own


def frames(bench: Bench) -> Iterator[Row]:
    """Measure ids of text and whole numbers, and rows in random order."""
    libraries = [library for module, library in LIBRARIES.items() if bench.can_import(module)]
    for ids in ("string", "integer"):
        objects = ["pandas objects"] if "pandas" in libraries and ids == "string" else []
        yield from _in_order(bench, ids, [*libraries, *objects])
    if "Polars" in libraries:
        for ids in ("string", "integer"):
            yield from _shuffled(bench, ids)


def _in_order(bench: Bench, ids: str, libraries: list[str]) -> Iterator[Row]:
    marco = bench.inputs.marco()
    paths = (marco.qrels, marco.run)
    with ExitStack() as stack:
        ours = {
            library: stack.enter_context(server("frames", library, ids, "in-order", *paths))
            for library in libraries
        }
        theirs = {}
        if bench.has(RECTOOLS):
            theirs[RECTOOLS_FRAMES] = stack.enter_context(RECTOOLS.server("frames", ids, *paths))
        if bench.has(POLARS):
            theirs[PIPELINE] = stack.enter_context(POLARS.server("frames", ids, "in-order", *paths))
        for one in ours.values():
            for name, other in theirs.items():
                bench.compare(f"frames of {ids} ids", one.means, name, other.means)
        works = {name: one.seconds for name, one in (ours | theirs).items()}
        taken = interleave(works, bench.runs)
    goals = {RECTOOLS_FRAMES: Goal("at least", 10), PIPELINE: Goal("at least", 8)}
    for library in ours:
        for name in theirs:
            work = f"{library}, {ids} ids, 7M rows"
            goal = OBJECTS if (library, name) == ("pandas objects", PIPELINE) else goals[name]
            yield Row(work, taken[library], name, taken[name], goal)


def _shuffled(bench: Bench, ids: str) -> Iterator[Row]:
    if not bench.has(POLARS):
        return
    marco = bench.inputs.marco()
    order = (ids, "shuffled", marco.qrels, marco.run)
    with server("frames", "Polars", *order) as ours, POLARS.server("frames", *order) as theirs:
        bench.compare("shuffled frames", ours.means, PIPELINE, theirs.means)
        works = {"rankmark": ours.seconds, PIPELINE: theirs.seconds}
        mine, other = interleave(works, bench.runs).values()
    work = f"Polars, {ids} ids, 7M rows shuffled"
    yield Row(work, mine, PIPELINE, other, Goal("at least", 2))
