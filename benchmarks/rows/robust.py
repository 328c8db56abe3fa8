"""A collection of deep judgments, its run in order and out of order."""

from collections.abc import Iterator

from bench import Bench, evaluate
from inputs import Collection
from sample import interleave
from table import Row


def robust(bench: Bench) -> Iterator[Row]:
    """Measure graded judgments, 1,200 a query, on runs with ties."""
    yield from _against_reference(bench, bench.inputs.robust(), "Robust, in score order")
    yield from _against_reference(bench, bench.inputs.shuffled(), "Robust, in any order")


def _against_reference(bench: Bench, collection: Collection, work: str) -> Iterator[Row]:
    reference = bench.reference()
    if reference is None:
        return
    works = {
        "rankmark": evaluate(collection).seconds,
        reference.name: reference.files(collection).seconds,
    }
    taken = interleave(works, bench.runs)
    yield Row(work, taken["rankmark"], reference.name, taken[reference.name])
