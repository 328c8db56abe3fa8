"""How many instructions the hot paths take, which hardly varies where times do."""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import Bench
from peers import TIMED
from process import Command
from sample import Sample
from table import Goal, Row

RECORDED = Path(__file__).parents[1] / "instructions.json"
GOAL = Goal("at most", 1.05)


def instructions(bench: Bench) -> Iterator[Row]:
    """Count each work's instructions by callgrind, against those recorded."""
    if not shutil.which("valgrind"):
        bench.note("instructions: not counted, valgrind is not installed")
        return
    counts = _counts()
    if bench.record:
        RECORDED.write_text(json.dumps(counts, indent=2) + "\n")
        bench.note(f"instructions: recorded in {RECORDED.name}")
    recorded = json.loads(RECORDED.read_text())
    for work, count in counts.items():
        if work in recorded:
            theirs = Sample((recorded[work] / 1e6,), "M")
            yield Row(work, Sample((count / 1e6,), "M"), "recorded", theirs, GOAL)
    bench.note(
        "instructions are counted by callgrind, in millions, on one thread; valgrind knows no "
        "AVX-512, so that text is read by AVX2"
    )


def _counts() -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counted")
        # Nothing else calls this function, but `exec` while modules are imported.
        command = Command(
            (
                *("env", "PYTHONHASHSEED=0", "OPENBLAS_NUM_THREADS=1"),
                *("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}"),
                *("--collect-atstart=no", "--toggle-collect=PyRun_StringFlags"),
                *("--dump-after=PyRun_StringFlags", sys.executable),
                str(TIMED / "rankmark_instructions.py"),
            )
        )
        names = json.loads(command.run().output.splitlines()[-1])
        dumps = sorted(Path(folder).glob("counted.*"), key=lambda dump: int(dump.suffix[1:]))
        found = [re.search(r"^(?:summary|totals): (\d+)", dump.read_text(), re.M) for dump in dumps]
        counted = [int(total[1]) for total in found if total][-len(names) :]
        return dict(zip(names, counted, strict=True))
