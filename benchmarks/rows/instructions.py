"""How many instructions the hot paths take, which hardly varies where times do."""

from collections.abc import Iterator
from shutil import which

from bench import Bench
from count_instructions import MOST, counted
from sample import Sample
from table import Goal, Row


def instructions(bench: Bench) -> Iterator[Row]:
    """Count each work's instructions by callgrind, against those recorded."""
    if not which("valgrind"):
        bench.note("instructions: not counted, valgrind is not installed")
        return
    found = counted()
    if bench.record:
        found.record()
        bench.note(f"instructions: recorded for {found}")
    recorded = found.recorded()
    if recorded is None:
        bench.note(f"instructions: none are recorded for {found}")
        return
    for work, count in found.counts.items():
        if work in recorded:
            theirs = Sample((recorded[work] / 1e6,), "M")
            yield Row(work, Sample((count / 1e6,), "M"), "recorded", theirs, Goal("at most", MOST))
    bench.note(
        "instructions are counted by callgrind, in millions, on one thread; valgrind knows no "
        "AVX-512, so that text is read by AVX2"
    )
