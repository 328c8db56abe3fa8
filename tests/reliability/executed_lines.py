"""Which tests execute each line of the formulas, and how long each test takes.

What was recorded is kept in ``build/mutants``. A file of tests is run again when it has changed. A
module of the formulas that has changed counts as executed by all tests that executed any of it, and
a new one as executed by all tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "mutants" / "executed_lines.json"
PACKAGES = ("measures", "data/alignment")
TESTS = (
    "tests/golden",
    "tests/property",
    *(
        f"tests/conformance/test_{name}.py"
        for name in (
            *("reference", "diversity_reference", "tie_orders", "three_rules_of_ties", "policies"),
            *("holes", "judgment_groups", "one_class_only", "p_mrr", "query_weights"),
            *("similarity_reference", "traps_of_user_models"),
        )
    ),
    "tests/conformance/oracles",
    *(f"tests/unit/{name}" for name in ("measures", "alignment", "scoring", "explaining")),
    *(f"tests/unit/{name}" for name in ("similarity", "comparing_rankings")),
)


@dataclass
class ExecutedLines:
    """The tests that execute each line and each module, and the seconds that each test takes.

    ``at_import`` holds the lines that are executed while tests are collected: what they do may
    show in any test of their module. ``digests`` are those of the files of tests; ``changed`` are
    the modules whose lines have moved since.
    """

    tests_of_line: dict[tuple[str, int], set[str]]
    tests_of_module: dict[str, set[str]]
    at_import: set[tuple[str, int]]
    seconds: dict[str, float]
    digests: dict[str, str]
    changed: set[str]

    def tests_of(self, path: str, lines: Iterable[int]) -> set[str]:
        """List the tests that execute a statement, of which some lines are named."""
        if path in self.changed:
            return self.tests_of_module.get(path) or set(self.seconds)
        places = [(path, line) for line in lines]
        found: set[str] = set().union(*(self.tests_of_line.get(place, ()) for place in places))
        if not found and self.at_import.intersection(places):
            return self.tests_of_module.get(path) or set(self.seconds)
        return found


def executed_lines() -> ExecutedLines:
    """Give what the tests execute: as recorded before, or by running them."""
    modules = {str(m.relative_to(ROOT)): digest([m]) for p in PACKAGES for m in modules_of(p)}
    nothing = {"modules": modules, "files": {}, "at import": []}
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else nothing
    digests = {file: digest_of_tests(file) for file in files_of_tests()}
    files = {name: told for name, told in kept["files"].items() if name in digests}
    changed = [n for n, told in digests.items() if files.get(n, {}).get("digest") != told]
    if changed:
        told = record_lines(changed)
        for name in changed:
            files[name] = {"digest": digests[name], **told["files"][name]}
        at_import = kept["at import"] + told["at import"]
        kept = {"modules": kept["modules"], "files": files, "at import": at_import}
        KEPT.write_text(json.dumps(kept), encoding="utf-8")
    tests_of_line = defaultdict(set)
    tests_of_module = defaultdict(set)
    for told in files.values():
        for test, lines_of_module in told["lines"].items():
            for path, lines in lines_of_module.items():
                tests_of_module[path].add(test)
                for line in lines:
                    tests_of_line[path, line].add(test)
    return ExecutedLines(
        tests_of_line=dict(tests_of_line),
        tests_of_module=dict(tests_of_module),
        at_import={(path, line) for path, line in kept["at import"]},
        seconds={test: s for told in files.values() for test, s in told["seconds"].items()},
        digests=digests,
        changed={path for path, told in modules.items() if kept["modules"].get(path) != told},
    )


def modules_of(package: str) -> list[Path]:
    """List the modules of a package of rankmark."""
    return sorted((ROOT / "src/rankmark" / package).rglob("*.py"))


def files_of_tests() -> list[str]:
    """List the files of tests, relative to the checkout."""
    found = [f for name in TESTS for f in ([ROOT / name, *(ROOT / name).rglob("test_*.py")])]
    return sorted(str(file.relative_to(ROOT)) for file in found if file.is_file())


def digest_of_tests(file: str) -> str:
    """Give the digest of a file of tests, and of the figures beside it, but not of its helpers."""
    figures = sorted((ROOT / file).parent.glob("*.toml"))
    return digest([ROOT / file, *figures])


def digest(files: Iterable[Path]) -> str:
    """Give a digest of what files are called and hold."""
    found = hashlib.sha256()
    for file in files:
        found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def record_lines(files: Sequence[str]) -> dict[str, Any]:
    """Run files of tests in a process of its own, and give what each test executes."""
    print(f"running {len(files)} files of tests to learn what they execute", flush=True)
    out = KEPT.with_suffix(".new.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, __file__, out, *files], check=True, cwd=ROOT)
    told: dict[str, Any] = json.loads(out.read_text("utf-8"))
    out.unlink()
    return told


def run_and_record(out: Path, files: Sequence[str]) -> None:
    """Run tests under coverage, with each test as a context, and write what was recorded."""
    import coverage

    measured = coverage.Coverage(
        source=[str(ROOT / "src/rankmark" / name) for name in PACKAGES],
        data_file=None,
        config_file=False,
    )
    seconds: dict[str, float] = defaultdict(float)
    failing: set[str] = set()

    class Recorder:
        def pytest_runtest_logstart(self, nodeid: str) -> None:
            measured.switch_context(nodeid)

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            seconds[report.nodeid] += report.duration
            if report.failed:
                failing.add(report.nodeid)

    measured.start()
    code = pytest.main(["-q", "-p", "no:cacheprovider", *files], [Recorder()])
    measured.stop()
    if failing or code:
        sys.exit(f"tests fail without any change: {failing or code}")
    data = measured.get_data()
    told: dict[str, Any] = {file: {"seconds": {}, "lines": {}} for file in files}
    at_import = []
    for test, taken in seconds.items():
        told[test.partition("::")[0]]["seconds"][test] = taken
    for file in data.measured_files():
        path = os.path.relpath(file, ROOT)
        for line, tests in data.contexts_by_lineno(file).items():
            for test in tests:
                if test in seconds:
                    lines = told[test.partition("::")[0]]["lines"].setdefault(test, {})
                    lines.setdefault(path, []).append(line)
                else:
                    at_import.append([path, line])
    out.write_text(json.dumps({"files": told, "at import": at_import}), encoding="utf-8")


if __name__ == "__main__":
    run_and_record(Path(sys.argv[1]), sys.argv[2:])
