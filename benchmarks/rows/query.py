"""One small query at a time, as in a notebook, and a batch of them, as in a training loop."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import Sample, interleave
from table import Goal, Row

_WAYS = {
    "dicts": "dicts",
    "prepared": "judgments prepared",
    "accumulator": "dicts, through an accumulator",
}


def query(bench: Bench) -> Iterator[Row]:
    """Measure one query of ten documents and five measures, then batches of 100 queries."""
    if not bench.has(PYTREC_EVAL):
        return
    yield _one_query(bench)
    for way in ("dicts", "prepared", "accumulator"):
        theirs = "prepared" if way == "prepared" else "dicts"
        with server("step", way) as ours, PYTREC_EVAL.server("step", theirs) as other:
            works = {"rankmark": ours.seconds, PYTREC_EVAL.name: other.seconds}
            mine, peer = interleave(works, bench.runs).values()
        row = f"100 queries x 100 documents, {_WAYS[way]}"
        yield Row(row, mine, PYTREC_EVAL.name, peer, Goal("at least", 10))


def _one_query(bench: Bench) -> Row:
    """Measure one query, the qrels prepared."""
    with server("query") as ours, PYTREC_EVAL.server("query") as theirs:
        works = {"rankmark": ours.seconds, PYTREC_EVAL.name: theirs.seconds}
        taken = interleave(works, bench.runs)
    mine, other = (
        Sample(tuple(1e6 * seconds for seconds in sample.values), "µs") for sample in taken.values()
    )
    goal = Goal("at most", 25, of="ours")
    return Row("one query of 10 documents", mine, PYTREC_EVAL.name, other, goal)
