"""Count the instructions of the hot paths, and compare them with recorded counts.

    python benchmarks/count_instructions.py             # fails if a path takes more than recorded
    python benchmarks/count_instructions.py --record    # after a change that is meant to

Times vary with what else a machine does; the instructions that callgrind counts hardly do. They
depend on the compiler, Python, NumPy and the C library, so counts are compared with those of the
same environment only, of which `instructions.json` has one record each.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from typing import NamedTuple

from peers import TIMED
from rows.measures import THIRTY

RECORDED = Path(__file__).with_name("instructions.json")
MOST = 1.08
"""Times the recorded count: more is a slower path.

Counts of one commit differ by less than 1% on a machine, and by up to 4% between machines.
"""

START = "start of `rankmark evaluate`"
_JUDGED = "1 0 a 1\n1 0 b 0\n2 0 a 2\n"
_RUN = "1 Q0 a 1 2.5 run\n1 Q0 b 2 1.5 run\n2 Q0 c 1 0.5 run\n"


class Counted(NamedTuple):
    """The instructions of each work, and what they depend on."""

    counts: dict[str, int]
    environment: dict[str, str]

    def recorded(self) -> dict[str, int] | None:
        """Return the recorded counts of this environment; None if there are none."""
        for record in json.loads(RECORDED.read_text()):
            if record["environment"] == self.environment:
                counts: dict[str, int] = record["counts"]
                return counts
        return None

    def record(self) -> None:
        """Write the counts in place of those of this environment."""
        records = [
            one
            for one in json.loads(RECORDED.read_text())
            if one["environment"] != self.environment
        ]
        records.append({"environment": self.environment, "counts": self.counts})
        RECORDED.write_text(json.dumps(records, indent=2) + "\n")

    def __str__(self) -> str:
        """Name the environment."""
        return ", ".join(f"{what} {which}" for what, which in self.environment.items())


def counted() -> Counted:
    """Count the instructions of each work, on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "counted")
        # Nothing else calls this function, but `exec` while modules are imported.
        only = ("--collect-atstart=no", "--toggle-collect=PyRun_StringFlags")
        script = str(TIMED / "rankmark_instructions.py")
        options = (*only, "--dump-after=PyRun_StringFlags")
        subprocess.run([sys.executable, script, folder], check=True)
        said = json.loads(_callgrind(out, options, script, folder, *THIRTY))
        dumps = sorted(Path(folder).glob("counted.*"), key=lambda dump: int(dump.suffix[1:]))
        totals = [total for dump in dumps if (total := _total(dump)) is not None]
        counts = dict(zip(said["works"], totals[-len(said["works"]) :], strict=True))
        counts[START] = _of_start(Path(folder))
    return Counted(counts, said["environment"])


def _of_start(folder: Path) -> int:
    """Count the instructions of a whole process that evaluates a few lines."""
    qrels, run, out = folder / "qrels.txt", folder / "run.txt", folder / "started"
    qrels.write_text(_JUDGED)
    run.write_text(_RUN)
    command = ("-m", "rankmark", "evaluate", str(qrels), str(run), "--threads", "1")
    # Python writes what it compiles when it first imports it, which is not to be counted.
    subprocess.run([sys.executable, *command], env=_variables(), check=True, capture_output=True)
    _callgrind(out, (), *command)
    total = _total(out)
    if total is None:
        raise SystemExit(f"callgrind wrote no total in {out}")
    return total


def _callgrind(out: Path, options: tuple[str, ...], *arguments: str) -> str:
    """Run Python under callgrind, and return the last line that it prints."""
    finished = subprocess.run(
        [
            *("valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}"),
            *options,
            *(sys.executable, *arguments),
        ],
        env=_variables(),
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{finished.stderr[-2000:]}")
    return finished.stdout.splitlines()[-1]


def _variables() -> dict[str, str]:
    """Return an environment in which sets have one order, and BLAS one thread."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    return {**kept, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}


def _total(dump: Path) -> int | None:
    found = re.search(r"^(?:summary|totals): (\d+)", dump.read_text(), re.M)
    return int(found[1]) if found else None


def compared(counts: dict[str, int], recorded: dict[str, int]) -> tuple[list[str], list[str]]:
    """Return a line for each work, and a line for each that takes more than recorded."""
    lines, grown = [], []
    for work, count in counts.items():
        if work not in recorded:
            grown.append(f"{work}: nothing is recorded")
            continue
        ratio = count / recorded[work]
        lines.append(f"{count / 1e6:10.1f}M {recorded[work] / 1e6:10.1f}M {ratio:8.3f}  {work}")
        if ratio > MOST:
            grown.append(f"{work}: {count:,} instructions, {100 * (ratio - 1):.1f}% more")
    return lines, grown


def main() -> int:
    """Count, and compare or record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="record the counts")
    options = parser.parse_args()
    if not which("valgrind"):
        print("instructions are not counted: valgrind is not installed")
        return 0
    found = counted()
    if options.record:
        found.record()
        print(f"recorded for {found}")
        return 0
    recorded = found.recorded()
    if recorded is None:
        print(f"instructions are not compared: none are recorded for {found}")
        return 0
    lines, grown = compared(found.counts, recorded)
    print(f"{'now':>11} {'recorded':>11} {'ratio':>8}  instructions of", *lines, sep="\n")
    if grown:
        print("", "more instructions than recorded:", *grown, sep="\n")
        print("if that is meant, `make instructions RECORD=--record` records them anew")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
