"""Dense arrays of labels and scores."""

from collections.abc import Iterator

from bench import Bench, server
from peers import SCIKIT_LEARN
from sample import interleave
from table import Goal, Row

GOALS = {"ignored": Goal("at least", 5), "averaged": Goal("at least", 10)}


def dense(bench: Bench) -> Iterator[Row]:
    """Measure nDCG@10 of 7,000 x 1,000 grades against scikit-learn's, both ways it takes ties."""
    if not bench.has(SCIKIT_LEARN):
        return
    peer = SCIKIT_LEARN
    with (
        server("matrices") as ours,
        peer.server("matrices", "ignored") as ignored,
        peer.server("matrices", "averaged") as averaged,
    ):
        bench.compare("dense arrays", ours.means, peer.name, ignored.means)
        works = {
            "rankmark": ours.seconds,
            "ignored": ignored.seconds,
            "averaged": averaged.seconds,
        }
        taken = interleave(works, bench.runs)
    bench.note("dense: rankmark has no rule that averages over ties yet; it breaks them by id")
    for ties, goal in GOALS.items():
        name = f"{peer.name}, ties {ties}"
        yield Row("dense 7,000 x 1,000, nDCG@10", taken["rankmark"], name, taken[ties], goal)
