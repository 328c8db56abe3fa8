"""Single rankings, as a training loop rewards them, and a million at once."""

from collections.abc import Iterator

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import Sample, interleave
from table import Goal, Row

CALLS = 70_000  # of each turn, in which each ranking is another one, or all are the same
_SINGLE = {
    "known": ("one ranking of 10 ids rewarded, its pattern known", Goal("at least", 1)),
    "new": ("the same, each pattern new", Goal("at least", 1)),
}


def rewards(bench: Bench) -> Iterator[Row]:
    """Measure nDCG@10 of rankings, each a run of its own for the peer, which takes dicts."""
    if not bench.has(PYTREC_EVAL):
        return
    name = PYTREC_EVAL.name
    for way, (work, goal) in _SINGLE.items():
        with server("reward", way) as ours, PYTREC_EVAL.server("reward", way) as theirs:
            taken = interleave({"rankmark": ours.seconds, name: theirs.seconds}, bench.runs)
        calls = CALLS if way == "new" else 1
        mine, other = (
            Sample(tuple(1e6 * seconds / calls for seconds in sample.values), "µs")
            for sample in taken.values()
        )
        yield Row(work, mine, name, other, goal)
    with server("reward", "batch") as ours, PYTREC_EVAL.server("reward", "batch") as theirs:
        bench.compare("rewards", ours.means, name, theirs.means)
        taken = interleave({"rankmark": ours.seconds, name: theirs.seconds}, bench.runs)
    mine, other = taken.values()
    goal = Goal("at most", 1, of="ours")
    yield Row("10^6 rankings of 10 ids in a batch", mine, name, other, goal)
