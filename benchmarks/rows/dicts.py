"""Dicts that are already there."""

from collections.abc import Iterator, Mapping

from bench import Bench, server
from peers import PYTREC_EVAL
from sample import interleave
from table import Goal, Row

# Half a unit in the fourth decimal, which is as far as anyone prints.
TOLERANCE = 5e-5


def dicts(bench: Bench) -> Iterator[Row]:
    """Measure both on the same dicts, without making them, and compare the means."""
    if not bench.has(PYTREC_EVAL):
        return
    marco = bench.inputs.marco()
    paths = (marco.qrels, marco.run)
    with server("dicts", *paths) as ours, PYTREC_EVAL.server("dicts", *paths) as theirs:
        bench.note(_agreement(ours.means, theirs.means))
        works = {"rankmark": ours.seconds, PYTREC_EVAL.name: theirs.seconds}
        taken = interleave(works, bench.runs)
    mine, other = taken.values()
    yield Row("dicts, 7M entries", mine, PYTREC_EVAL.name, other, Goal("at least", 25))


def _agreement(ours: Mapping[str, float], theirs: Mapping[str, float]) -> str:
    apart = [name for name, mean in theirs.items() if abs(ours[name] - mean) > TOLERANCE]
    verdict = f"{', '.join(apart)} DIFFER from" if apart else f"{', '.join(theirs)} agree with"
    return f"the means of {verdict} {PYTREC_EVAL.name}'s on the same dicts"
