"""Change how the core ranks, one operator at a time, and count the changes that the tests notice.

The same question as ``mutants.py`` asks of the formulas, of the C++ that matches and ranks. A copy
of the sources is changed, compiled and tried on the tests of the core.

    make core-mutants TRIED=60

Each outcome is written to ``build/mutants/outcomes_of_the_core.jsonl`` at once, and a campaign that
was interrupted goes on where it ended. An outcome holds while the file that was changed is as it
was, and that of a survivor while the tests are.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reliability.campaign_records import write_record
from reliability.executed_lines import digest

ROOT = Path(__file__).resolve().parents[2]
OUTCOMES = ROOT / "build" / "mutants" / "outcomes_of_the_core.jsonl"
FILES = ("ranking.cpp", "query.cpp", "positions.cpp", "table_rankings.cpp", "rankings.cpp")
TESTS = (
    *("tests/unit/core/test_ranking.py", "tests/unit/core/test_ranks_of_arrays.py"),
    *("tests/conformance/test_tie_orders.py", "tests/conformance/test_three_rules_of_ties.py"),
    *("tests/unit/scoring", "tests/unit/core", "tests/conformance/test_reference.py"),
    "tests/property/test_input_forms.py",
)
TIMES_AS_LONG = 5
"""As the tests take without any change: after that, a mutant counts as noticed."""
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
        self.seconds: float | None = None
        begun = time.monotonic()
        if not self.passes():
            sys.exit("a test fails without any change")
        self.seconds = TIMES_AS_LONG * (time.monotonic() - begun)

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
                timeout=self.seconds,
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


def try_mutants(sample: Sequence[Mutant]) -> Iterator[tuple[Mutant, str]]:
    """Give what becomes of each mutant, as is known or by trying it."""
    tests = digest(file for name in TESTS for file in sorted(files_of(ROOT / name)))
    known = {}
    if OUTCOMES.exists():
        for line in OUTCOMES.read_text("utf-8").splitlines():
            key, outcome = json.loads(line)
            known[tuple(key)] = outcome
    OUTCOMES.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        copy: Copy | None = None
        for mutant in sample:
            told = digest([ROOT / "core" / mutant.file])
            key = (told, str(mutant), "")
            outcome = known.get(key) or known.get((told, str(mutant), tests))
            if outcome is None:
                copy = copy or Copy(Path(folder))
                outcome = copy.outcome(mutant)
                line = json.dumps([(*key[:2], tests if outcome == "survives" else ""), outcome])
                with OUTCOMES.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
            yield mutant, outcome


def files_of(path: Path) -> Iterator[Path]:
    """Give a file of tests, or those in a folder."""
    yield from path.rglob("test_*.py") if path.is_dir() else [path]


def drawn(mutant: Mutant, seed: int) -> bytes:
    """Give the place of a mutant in the random order of a seed, whatever else there is to draw."""
    return hashlib.sha256(f"{seed} {mutant}".encode()).digest()


def main() -> None:
    """Try mutants, print those that no test notices, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tried", type=int, default=60, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    asked = parser.parse_args()
    every = [mutant for file in FILES for mutant in mutants_of(file)]
    sample = sorted(every, key=lambda mutant: drawn(mutant, asked.seed))[: asked.tried]
    possible = Counter(mutant.file for mutant in every)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    explained = tomllib.loads(WITHOUT_EFFECT.read_text("utf-8"))
    for mutant, found in try_mutants(sample):
        change = f"{mutant.before.strip()}  ->  {mutant.after.strip()}"
        is_explained = change in explained.get(f"core/{mutant.file}", {})
        outcome = "without effect" if found == "survives" and is_explained else found
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
