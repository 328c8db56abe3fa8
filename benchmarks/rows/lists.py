"""Mappings of lists that are already there."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import interleave
from table import Row


def lists(bench: Bench) -> Iterator[Row]:
    """Measure lists of ids; the peer takes dicts alone, which say the same."""
    if not bench.has(PYTREC_EVAL):
        return
    marco = bench.inputs.marco()
    paths = (marco.qrels, marco.run)
    with server("lists", *paths) as ours, PYTREC_EVAL.server("dicts", *paths) as theirs:
        bench.compare("lists", ours.means, PYTREC_EVAL.name, theirs.means)
        works = {"rankmark": ours.seconds, PYTREC_EVAL.name: theirs.seconds}
        mine, other = interleave(works, bench.runs).values()
    yield Row("lists, 7M ids", mine, f"{PYTREC_EVAL.name}, dicts", other)
