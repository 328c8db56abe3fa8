"""One small query at a time, as in a training loop or a notebook."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import Sample, interleave
from table import Goal, Row


def query(bench: Bench) -> Iterator[Row]:
    """Measure one query of ten documents and five measures, the qrels prepared."""
    if not bench.has(PYTREC_EVAL):
        return
    with server("query") as ours, PYTREC_EVAL.server("query") as theirs:
        works = {"rankmark": ours.seconds, PYTREC_EVAL.name: theirs.seconds}
        taken = interleave(works, bench.runs)
    mine, other = (
        Sample(tuple(1e6 * seconds for seconds in sample.values), "µs") for sample in taken.values()
    )
    goal = Goal("at most", 40, of="ours")
    yield Row("one query of 10 documents", mine, PYTREC_EVAL.name, other, goal)
