"""Dense arrays of labels and scores, and batches of tensors."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

from bench import Bench, server
from peers import SCIKIT_LEARN, TIMED
from process import Server
from sample import interleave
from table import Goal, Row

GOALS = {"ignored": Goal("at least", 8), "averaged": Goal("at least", 15)}
PEER = "torchmetrics"
OURS = {"ignored": "docid", "averaged": "mean"}


def dense(bench: Bench) -> Iterator[Row]:
    """Measure nDCG@10 against scikit-learn's, both ways it takes ties, and torchmetrics'."""
    if bench.has(SCIKIT_LEARN):
        yield from _arrays(bench)
    if bench.can_import("torch") and bench.can_import("torchmetrics"):
        yield _tensors(bench)


def _arrays(bench: Bench) -> Iterator[Row]:
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


def _tensors(bench: Bench) -> Row:
    """Measure a batch by CPU seconds, as torch takes all processors."""
    with server("tensors") as ours, Server(sys.executable, TIMED / f"{PEER}_tensors.py") as theirs:
        bench.compare("tensors", ours.means, PEER, theirs.means)
        works = {"rankmark": ours.cpu_seconds, PEER: theirs.cpu_seconds}
        mine, other = interleave(works, bench.runs).values()
    work = "a batch of 256 x 1,000 tensors, nDCG@10, CPU"
    return Row(work, mine, PEER, other, Goal("at least", 20))
