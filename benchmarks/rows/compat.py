"""Other tools' interfaces, computed by rankmark, against the tools themselves."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import Sample, interleave
from table import Goal, Row


def compat(bench: Bench) -> Iterator[Row]:
    """Measure the same calls of both, on large dicts and on one small query."""
    if not bench.has(PYTREC_EVAL):
        return
    name = PYTREC_EVAL.name
    marco = bench.inputs.marco()
    paths = (marco.qrels, marco.run)
    with (
        server("pytrec_eval_dicts", *paths) as ours,
        PYTREC_EVAL.server("dicts", *paths) as theirs,
    ):
        bench.compare("compat, dicts", ours.means, name, theirs.means)
        works = {"rankmark": ours.seconds, name: theirs.seconds}
        mine, other = interleave(works, bench.runs).values()
    yield Row("pytrec_eval's calls, 7M entries", mine, name, other, Goal("at least", 15))
    with server("pytrec_eval_query") as ours, PYTREC_EVAL.server("query") as theirs:
        works = {"rankmark": ours.seconds, name: theirs.seconds}
        taken = interleave(works, bench.runs)
    mine, other = (
        Sample(tuple(1e6 * seconds for seconds in sample.values), "µs") for sample in taken.values()
    )
    yield Row("pytrec_eval's calls, one query", mine, name, other, Goal("at least", 1))
