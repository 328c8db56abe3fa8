"""Two runs compared, against one of them evaluated."""

from collections.abc import Iterator

from bench import Bench, evaluate, program
from process import Command
from sample import interleave
from table import Goal, Row


def similarity(bench: Bench) -> Iterator[Row]:
    """Measure RBO and tau@100 of two runs by the command line, each process a fresh one."""
    one, other = bench.inputs.marco(), bench.inputs.second()
    asked = ("-m", "RBO(p=0.9)", "-m", "tau@100")
    works = {
        "evaluate": evaluate(one).seconds,
        "similarity": Command(
            (program(), "similarity", str(one.run), str(other.run), *asked)
        ).seconds,
    }
    taken = interleave(works, bench.runs)
    yield Row(
        "two runs by RBO and tau@100, 7M rows each",
        taken["similarity"],
        "one evaluated",
        taken["evaluate"],
        Goal("at most", 3),
    )
