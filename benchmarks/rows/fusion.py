"""Three runs fused into one, in memory and from files."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bench import Bench, program, server
from peers import RANX, TIMED
from process import Command, Server
from sample import interleave
from table import Goal, Row

sys.path.append(str(TIMED))

import fused_lists


def fusion(bench: Bench) -> Iterator[Row]:
    """Measure RRF of three dicts, and of three files into a file, 1,000 x 1,000 each."""
    yield from _dicts(bench)
    yield from _files(bench)


def _dicts(bench: Bench) -> Iterator[Row]:
    loop = "a loop over dicts"
    row = "three dicts fused by RRF, 1M entries each"
    with (
        server("fusion", "rrf") as ours,
        server("fusion", "rrf", "dicts") as as_dicts,
        Server(sys.executable, TIMED / "loop_fusion.py") as theirs,
    ):
        bench.compare("fused dicts", ours.means, loop, theirs.means)
        works = {"": ours.seconds, ", as dicts": as_dicts.seconds, loop: theirs.seconds}
        taken = interleave(works, bench.runs)
    for form, least in (("", 2), (", as dicts", 1)):
        yield Row(row + form, taken[form], loop, taken[loop], Goal("at least", least))
    if not bench.has(RANX):
        return
    for method, name in (("rrf", "RRF"), ("wsum", "min-max and a sum")):
        with server("fusion", method) as ours, RANX.server("fusion", method) as theirs:
            bench.compare(f"{name} of dicts", ours.means, "ranx, compiled", theirs.means)
            works = {"rankmark": ours.seconds, "ranx, compiled": theirs.seconds}
            taken = interleave(works, bench.runs)
        row = f"three dicts fused by {name}, 1M entries each"
        yield Row(row, taken["rankmark"], *list(taken.items())[1], Goal("at least", 5))


def _files(bench: Bench) -> Iterator[Row]:
    """Measure processes that read three files, and write one."""
    folder = bench.inputs.folder
    folder.mkdir(parents=True, exist_ok=True)
    runs = [str(path) for path in fused_lists.paths(folder)]
    out = folder / "fused.run"
    works = {"rankmark": Command((program(), "fuse", *runs, "-o", str(out), "--quiet")).seconds}
    for library in ("polars", "duckdb"):
        if not bench.can_import(library):
            continue
        script = str(TIMED / f"{library}_fusion.py")
        works[library] = Command((sys.executable, script, str(out), *runs)).seconds
    taken = interleave(works, bench.runs)
    Path(out).unlink(missing_ok=True)
    for library in [*works][1:]:
        row = "three files fused by RRF into a file, 1M lines each"
        least = {"polars": 1, "duckdb": 2}[library]
        yield Row(row, taken["rankmark"], library, taken[library], Goal("at least", least))
