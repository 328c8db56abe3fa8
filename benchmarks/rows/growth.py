"""How time grows with the rows of the run, for rankmark and its peers."""

from collections.abc import Callable, Iterator, Sequence

from bench import Bench, evaluate
from inputs import Collection
from peers import IR_MEASURES, PYTREC_EVAL, RANX, Peer
from sample import interleave
from table import Goal, Row

SIZES = {"70K rows": 70_000, "700K rows": 698_000, "7M rows": 6_980_000}


def growth(bench: Bench) -> Iterator[Row]:
    """Measure a hundredth and a tenth of the rows, the rows, and ten times as many."""
    wanted: list[Peer | None] = [bench.reference(), PYTREC_EVAL, IR_MEASURES, RANX]
    peers = {peer.name: peer for peer in wanted if peer and bench.has(peer)}
    for name, rows in SIZES.items():
        collection = bench.inputs.of_size(rows)
        taken = interleave(_works(collection, tuple(peers.values())), bench.runs)
        for peer in peers:
            yield Row(f"files, {name}", taken["rankmark"], peer, taken[peer], size=rows)

    tenfold, work = bench.inputs.tenfold(), "files, 70M rows"
    # The other peers would need more memory than most machines have.
    largest = [bench.trec_eval] if bench.trec_eval else []
    smaller = "rankmark, 7M rows"
    works = _works(tenfold, largest) | {smaller: evaluate(bench.inputs.marco()).seconds}
    taken = interleave(works, bench.runs)
    yield Row(work, taken["rankmark"], smaller, taken[smaller], Goal("at most", 11))
    for program in largest:
        yield Row(work, taken["rankmark"], program.name, taken[program.name], size=69_800_000)


def _works(collection: Collection, peers: Sequence[Peer]) -> dict[str, Callable[[], float]]:
    commands = {peer.name: peer.files(collection) for peer in peers}
    return {
        "rankmark": evaluate(collection).seconds,
        **{name: command.seconds for name, command in commands.items()},
    }
