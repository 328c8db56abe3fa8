"""Dense arrays of labels and scores."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

from bench import Bench, server
from peers import SCIKIT_LEARN
from sample import interleave
from table import Goal, Row

GOALS = {"ignored": Goal("at least", 8), "averaged": Goal("at least", 15)}
OURS = {"ignored": "docid", "averaged": "mean"}


def dense(bench: Bench) -> Iterator[Row]:
    """Measure nDCG@10 of 7,000 x 1,000 grades against scikit-learn's, both ways it takes ties."""
    if not bench.has(SCIKIT_LEARN):
        return
    peer = SCIKIT_LEARN
    with ExitStack() as servers:
        works: dict[str, Callable[[], float]] = {}
        for ties in GOALS:
            ours = servers.enter_context(server("matrices", OURS[ties]))
            theirs = servers.enter_context(peer.server("matrices", ties))
            bench.compare(f"dense arrays, ties {ties}", ours.means, peer.name, theirs.means)
            works |= {f"rankmark, ties {ties}": ours.seconds, f"ties {ties}": theirs.seconds}
        taken = interleave(works, bench.runs)
    for ties, goal in GOALS.items():
        row = f"dense 7,000 x 1,000, nDCG@10, ties {ties}"
        yield Row(row, taken[f"rankmark, ties {ties}"], peer.name, taken[f"ties {ties}"], goal)
