"""Change how the core ranks, one operator at a time, and count the changes that the tests notice.

The same question as ``mutants.py`` asks of the formulas, of the C++ that matches and ranks. A copy
of the sources is changed, compiled and tried on the tests of the core.

    make core-mutants TRIED=60
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reliability.campaign_records import write_record

ROOT = Path(__file__).resolve().parents[2]
FILES = ("ranking.cpp", "query.cpp", "positions.cpp", "table_ranker.cpp", "rankings.cpp")
TESTS = (
    *("tests/unit/core/test_ranking.py", "tests/unit/core/test_ranks_of_arrays.py"),
    *("tests/conformance/test_tie_orders.py", "tests/conformance/test_three_rules_of_ties.py"),
    *("tests/unit/scoring", "tests/unit/core", "tests/conformance/test_reference.py"),
    "tests/property/test_input_forms.py",
)
SECONDS = 600
"""After which a mutant that does not end counts as noticed."""
WITHOUT_EFFECT = Path(__file__).with_name("without_effect.toml")

# The formatter puts spaces around operators, and none into the brackets of templates.
OPERATORS = {
    *((" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != ")),
    *((" != ", " == "), (" + ", " - "), (" - ", " + "), (" * ", " / "), (" && ", " || ")),
    *((" || ", " && "), (" << ", " >> "), (" & ", " | "), (" += ", " -= ")),
}


@dataclass(frozen=True)
class Mutant:
    """A line of the core, before and after a change."""

    file: str
    number: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"core/{self.file}:{self.number}: {self.before.strip()}  ->  {self.after.strip()}"


def mutants_of(file: str) -> Iterator[Mutant]:
    """Give every mutant of a file of the core."""
    lines = (ROOT / "core" / file).read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        code = line.partition("//")[0]
        if code.lstrip().startswith(("#", "template", "static_assert", "using")):
            continue
        for old, new in sorted(OPERATORS):
            for found in re.finditer(re.escape(old), code):
                yield Mutant(file, number, line, line[: found.start()] + new + line[found.end() :])
        for found in re.finditer(r"(?<![\w.\"'])(\d+)(?![\w.\"'])", code):
            one_more = str(int(found[0]) + 1)
            after = line[: found.start()] + one_more + line[found.end() :]
            yield Mutant(file, number, line, after)


class Copy:
    """A copy of the checkout whose core can be changed and compiled."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "rankmark"
        for name in ("core", "seam", "src", "tests", "docs", "examples"):
            shutil.copytree(ROOT / name, self.root / name)
        for name in ("CMakeLists.txt", "pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, self.root)
        self.build = folder / "build"
        subprocess.run(
            ["cmake", "-S", self.root, "-B", self.build, f"-DPython_EXECUTABLE={sys.executable}"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        if not self.compiles():
            sys.exit("the core does not compile without any change")

    def compiles(self) -> bool:
        """Compile what has changed, and put the result where Python finds it."""
        made = subprocess.run(
            ["cmake", "--build", self.build], capture_output=True, check=False
        ).returncode
        if not made:
            name = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
            shutil.copy(self.build / name, self.root / "src/rankmark" / name)
        return not made

    def passes(self) -> bool:
        """Run the tests until one fails."""
        environment = {**os.environ, "PYTHONPATH": str(self.root / "src")}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS]
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def outcome(self, mutant: Mutant) -> str:
        """Try a mutant, and undo it."""
        path = self.root / "core" / mutant.file
        original = path.read_text("utf-8")
        lines = original.splitlines(keepends=True)
        lines[mutant.number - 1] = mutant.after + "\n"
        path.write_text("".join(lines), encoding="utf-8")
        try:
            if not self.compiles():
                return "refused by the compiler"
            return "survives" if self.passes() else "noticed"
        finally:
            path.write_text(original, encoding="utf-8")


def main() -> None:
    """Try mutants, print those that no test notices, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tried", type=int, default=60, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    asked = parser.parse_args()
    every = [mutant for file in FILES for mutant in mutants_of(file)]
    sample = random.Random(asked.seed).sample(every, min(asked.tried, len(every)))
    possible = Counter(mutant.file for mutant in every)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    explained = tomllib.loads(WITHOUT_EFFECT.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        if not copy.passes():
            sys.exit("a test fails without any change")
        for mutant in sample:
            outcome = copy.outcome(mutant)
            change = f"{mutant.before.strip()}  ->  {mutant.after.strip()}"
            if outcome == "survives" and change in explained.get(f"core/{mutant.file}", {}):
                outcome = "without effect"
            counts[mutant.file][outcome] += 1
            print(f"{outcome}: {mutant}", flush=True)
    outcomes = ("noticed", "without effect", "survives", "refused by the compiler")
    write_record(
        "mutants_of_the_core",
        promise="A wrong operator or number where the core matches and ranks makes a test fail.",
        method="One change at a time in the files of core/ that rank: comparisons, arithmetic, "
        "numbers. Each is compiled, and the tests of the core are run until one fails; a random "
        "sample of all possible changes is tried.",
        command=f"make core-mutants TRIED={asked.tried}",
        columns=["file", "possible", "tried", *outcomes],
        rows=[
            [name, possible[name], counts[name].total(), *(counts[name][o] for o in outcomes)]
            for name in FILES
        ],
    )


if __name__ == "__main__":
    main()
