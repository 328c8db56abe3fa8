"""One query explained, whose documents are read again, against the whole run evaluated."""

from collections.abc import Iterator

from bench import Bench, evaluate, program
from process import Command
from sample import interleave
from table import Goal, Row


def explain(bench: Bench) -> Iterator[Row]:
    """Measure nDCG@10 and AP of a query from the middle of the file, and two runs compared."""
    marco, other = bench.inputs.marco(), bench.inputs.second()
    judged = marco.qrels.read_text("utf-8").splitlines()
    query = judged[len(judged) // 2].split()[0]
    one = (program(), "explain", str(marco.qrels), str(marco.run))
    works = {
        "evaluate": evaluate(marco).seconds,
        "nDCG@10 of one query explained": Command((*one, "--query", query)).seconds,
        "AP of one query explained": Command((*one, "--query", query, "-m", "AP")).seconds,
        "one query of two runs explained": Command(
            (*one, "--query", query, "--against", str(other.run))
        ).seconds,
    }
    taken = interleave(works, bench.runs)
    for name in list(works)[1:]:
        limit = 2 if "two runs" in name else 1
        yield Row(
            f"{name}, 7M rows",
            taken[name],
            "one evaluated",
            taken["evaluate"],
            Goal("at most", limit),
        )
