"""`python benchmarks`: print design.md's performance table, measured here and now."""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import machine
import table
from bench import Bench
from inputs import HERE, Inputs, RoomError
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
    bench = Bench(inputs, options.runs, LARGE in names, trec_eval(options.trec_eval))
    found = machine.describe()
    rows = measure(bench, names)

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


def measure(bench: Bench, names: Sequence[str]) -> list[Row]:
    """Measure groups one after another; one that fails leaves a note."""
    rows: list[Row] = []
    try:
        for name in names:
            print(f"{name}:", file=sys.stderr)
            try:
                rows.extend(GROUPS[name](bench))
            except (RoomError, ProcessError) as error:
                bench.note(f"{name}: not measured: {error}")
    finally:
        bench.inputs.discard()
    return rows


if __name__ == "__main__":
    sys.exit(main())
