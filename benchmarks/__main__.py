"""`python benchmarks`: measure speed and memory against peers, and print them as a table."""

import argparse
import datetime
import json
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import machine
import table
from bench import Bench, SparkSizes
from benchmark_page import PAGE, write
from inputs import HERE, Inputs, RoomError
from measured import Measured, load_all
from peers import TrecEval
from process import ProcessError
from rows import GROUPS
from table import Row

LARGE = "growth"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the rows asked for and print them."""
    options = parse(argv)
    try:
        versions = {name: version(name) for name in ("rankmark", "numpy")}
    except PackageNotFoundError as error:
        sys.exit(f"python benchmarks: {sys.executable} has no {error.name}; install it there first")
    names = chosen(options)
    inputs = Inputs(options.data, keep=options.keep)
    works = tuple(options.spark_works.split(",")) if options.spark_works else ()
    sizes = SparkSizes(options.spark_rows, options.spark_partitions, options.spark_memory, works)
    bench = Bench(inputs, options.runs, LARGE in names, trec_eval(options.trec_eval), sizes)
    bench.record = options.record
    found = machine.describe()
    kept = options.data / "measured"
    rows: list[Row] = []
    try:
        for name in names:
            measured = measure(bench, name, versions)
            rows.extend(measured.rows)
            if options.page and measured.rows:
                measured.save(kept)
    finally:
        inputs.discard()

    render = table.markdown if options.markdown else table.text
    print(render(rows, bench.runs))
    print()
    versions |= bench.versions
    bench.note(f"each figure is a median of {bench.runs}, taken in turns, or of (n)")
    bench.note(found)
    bench.note(", ".join(f"{name} {number}" for name, number in versions.items()))
    for note in bench.notes:
        print(f"- {note}")
    if options.json:
        facts = {
            "machine": found,
            "versions": versions,
            "notes": bench.notes,
            "rows": [row.facts() for row in rows],
        }
        options.json.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    if options.page:
        write(load_all(kept, list(GROUPS)))
        print(f"- wrote {PAGE}")
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python benchmarks", description=__doc__)
    parser.add_argument("--rows", help=f"some of {','.join(GROUPS)}")
    parser.add_argument("--full", action="store_true", help=f"all rows, {LARGE} too (2.7 GB)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each work (5)")
    parser.add_argument("--trec-eval", help="the trec_eval program, if not on the PATH")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the inputs")
    parser.add_argument("--keep", action="store_true", help="keep the 2.7 GB for the next time")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement")
    usual = SparkSizes()
    parser.add_argument("--spark-rows", type=int, default=usual.rows, help="(5,000,000)")
    parser.add_argument("--spark-partitions", type=int, default=usual.partitions, help="(8)")
    parser.add_argument("--spark-memory", default=usual.memory, help="heap of the session (6g)")
    parser.add_argument("--spark-works", help="some of rankmark,files,window,mllib,ml,replay")
    parser.add_argument("--record", action="store_true", help="record the instructions counted")
    parser.add_argument(
        "--page",
        action="store_true",
        help="write docs/evidence/benchmarks.md, keeping figures of other rows",
    )
    options = parser.parse_args(argv)
    unknown = set((options.rows or "files").split(",")) - GROUPS.keys()
    if unknown:
        parser.error(f"no such rows: {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    return options


def chosen(options: argparse.Namespace) -> list[str]:
    """Return the groups to measure, in the table's order."""
    if options.rows:
        return [name for name in GROUPS if name in options.rows.split(",")]
    return [name for name in GROUPS if options.full or name != LARGE]


def trec_eval(given: str | None) -> TrecEval | None:
    """Find trec_eval where the command line says, or on the PATH."""
    program = shutil.which(given or "trec_eval")
    if given and not program:
        sys.exit(f"python benchmarks: --trec-eval {given}: no such program")
    return TrecEval(Path(program)) if program else None


def measure(bench: Bench, name: str, versions: dict[str, str]) -> Measured:
    """Measure one group; one that fails leaves a note."""
    print(f"{name}:", file=sys.stderr)
    found, before = machine.describe(), len(bench.notes)
    rows: list[Row] = []
    try:
        rows.extend(GROUPS[name](bench))
    except (RoomError, ProcessError) as error:
        bench.note(f"{name}: not measured: {error}")
    return Measured(
        group=name,
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        machine=found,
        runs=bench.runs,
        rows=rows,
        notes=bench.notes[before:],
        versions=versions | bench.versions,
    )


if __name__ == "__main__":
    sys.exit(main())
