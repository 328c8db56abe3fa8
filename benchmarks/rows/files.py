"""A large collection's files, by the command line and in a warm process."""

from collections.abc import Iterator

from bench import Bench, evaluate, server
from peers import IR_MEASURES, PYTREC_EVAL, RANX, Peer
from process import Command
from sample import interleave
from table import Goal, Row

WORK = "files, 7M rows"
WARM = "files, 7M rows, warm process"
GOALS = {IR_MEASURES.name: 80, RANX.name: 100}


def files(bench: Bench) -> Iterator[Row]:
    """Measure against all peers that read files, and against counting lines."""
    marco = bench.inputs.marco()
    reference = bench.reference()
    wanted: list[Peer | None] = [reference, PYTREC_EVAL, IR_MEASURES, RANX]
    peers = {peer.name: peer.files(marco) for peer in wanted if peer and bench.has(peer)}
    if RANX.name in peers:
        peers[RANX.name].run()
        bench.note("ranx ran once before, uncounted, so that its compiled code was cached")

    with server("files", marco.qrels, marco.run) as warm:
        works = {
            "rankmark": evaluate(marco).seconds,
            WARM: warm.seconds,
            **{name: command.seconds for name, command in peers.items()},
            "wc -l": Command(("wc", "-l", str(marco.run))).seconds,
        }
        taken = interleave(works, bench.runs)

    goals = GOALS | ({reference.name: 36} if reference else {})
    for name in peers:
        goal = Goal("at least", goals[name]) if name in goals else None
        yield Row(WORK, taken["rankmark"], name, taken[name], goal)
    yield Row(WORK, taken["rankmark"], "wc -l", taken["wc -l"], Goal("at most", 5))
    if reference:
        yield Row(WARM, taken[WARM], reference.name, taken[reference.name], Goal("at least", 60))
