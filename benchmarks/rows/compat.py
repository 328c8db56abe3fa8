"""Other tools' interfaces, computed by rankmark, against the tools themselves."""

from collections.abc import Iterator

from bench import Bench, program, server
from peers import PYTREC_EVAL, TREC_EVAL_MEASURES
from process import Command
from sample import Sample, interleave
from table import Goal, Row

COMMANDS = {
    "trec_eval's command, its four": [word for m in TREC_EVAL_MEASURES for word in ("-m", m)],
    "trec_eval's command, official": [],
    "trec_eval's command, -q -m all_trec": ["-q", "-m", "all_trec"],
}


def compat(bench: Bench) -> Iterator[Row]:
    """Measure the same calls and commands of both."""
    yield from _commands(bench)
    yield from _calls(bench)


def _commands(bench: Bench) -> Iterator[Row]:
    """Measure the command line of trec_eval, where there is one."""
    theirs = bench.trec_eval
    if theirs is None or not bench.has(theirs):
        return
    marco = bench.inputs.marco()
    for work, options in COMMANDS.items():
        arguments = (*options, str(marco.qrels), str(marco.run))
        works = {
            "rankmark": Command((program(), "trec_eval", *arguments)).seconds,
            theirs.name: Command((str(theirs.program), *arguments)).seconds,
        }
        mine, other = interleave(works, bench.runs).values()
        yield Row(work, mine, theirs.name, other, Goal("at least", 30))


def _calls(bench: Bench) -> Iterator[Row]:
    """Measure pytrec_eval's calls, on large dicts and on one small query."""
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
