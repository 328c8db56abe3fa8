"""Whether ten times the rows take ten times as long."""

from collections.abc import Iterator

from bench import Bench, evaluate
from sample import interleave
from table import Goal, Row


def growth(bench: Bench) -> Iterator[Row]:
    """Measure ten times the rows against the rows."""
    one, ten = "rankmark, 7M rows", "rankmark, 70M rows"
    works = {
        one: evaluate(bench.inputs.marco()).seconds,
        ten: evaluate(bench.inputs.tenfold()).seconds,
    }
    taken = interleave(works, bench.runs)
    yield Row("files, 70M rows", taken[ten], one, taken[one], Goal("at most", 11))
